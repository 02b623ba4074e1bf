//! *Progress*: the latency of a request whose target computes and never polls, from the send to the reply's handler on the requesting node.
//! Compared with a wake-up there and back between two OS threads that sleep in the kernel while a third computes: the answering processor
//! sleeps too until then.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use tempest::{Event, FinalState, Handler, Job, NodeId, Protocol, Report, Setup, Thread, handlers};

use crate::run;
use tradewind_bench::pin;
use tradewind_bench::table::{Aim, TableRow, Unit, paired};

/// Maximum time for which the target computes; normally it stops after the last request.
const LONGEST: Duration = Duration::from_secs(20);

/// Time between two requests, so that all processors sleep again.
const PAUSE: Duration = Duration::from_millis(5);

const REQUESTS: u64 = 30;

/// Latency of each request, in microseconds.
type Latencies = Arc<Mutex<Vec<f64>>>;

/// Node 0 asks while node 1 computes.
struct Late {
    epoch: Instant,
    latencies: Latencies,
    replies: Event,
    computes: AtomicBool,
    /// Number of requests handled here.
    asked: AtomicU64,
}

impl Late {
    fn now_ns(&self) -> u64 {
        self.epoch.elapsed().as_nanos() as u64
    }
}

impl Protocol for Late {
    type Config = (Instant, Latencies);
    fn install((epoch, latencies): &Self::Config, _: &mut Setup<'_>) -> Self {
        Self {
            epoch: *epoch,
            latencies: Arc::clone(latencies),
            replies: Event::new("replies"),
            computes: AtomicBool::new(false),
            asked: AtomicU64::new(0),
        }
    }
}

#[handlers]
impl Late {
    #[message(key = 0)]
    fn ask(&self, sent_ns: u64, cx: &mut Handler<'_>) {
        let (back, computed) = (cx.source(), self.computes.load(Ordering::Relaxed));
        cx.send(back, Self::answer(sent_ns, computed.into()));
        self.asked.fetch_add(1, Ordering::Relaxed);
    }

    #[message(key = 0)]
    fn answer(&self, sent_ns: u64, computed: u64, cx: &mut Handler<'_>) {
        let taken = self.now_ns() - sent_ns;
        if computed == 1 {
            self.latencies.lock().expect("nobody panics with it").push(taken as f64 / 1e3);
        }
        cx.signal(&self.replies, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        if thread.index() > 0 {
            return;
        }
        if thread.node() == NodeId(1) {
            self.computes.store(true, Ordering::Relaxed);
            compute_until(|| self.asked.load(Ordering::Relaxed) == REQUESTS);
            self.computes.store(false, Ordering::Relaxed);
            return;
        }
        for number in 1..=REQUESTS {
            thread::sleep(PAUSE);
            thread.send(NodeId(1), Self::ask(self.now_ns()));
            thread.wait(&self.replies, number);
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::checked(true, String::new)
    }
}

/// Computes until `is_enough` or [`LONGEST`].
fn compute_until(is_enough: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_enough() && start.elapsed() < LONGEST {
        (0..1000).for_each(|i| {
            black_box(i);
        });
    }
}

/// Latencies of requests that were served while their target computed, ascending.
fn served(policy: &str, processors: u32) -> Vec<f64> {
    let latencies = Latencies::default();
    run(Job::new::<Late>((Instant::now(), Arc::clone(&latencies))), 2, processors, 1, policy);
    let mut latencies = std::mem::take(&mut *latencies.lock().expect("nobody panics with it"));
    // However late the host lets each run, the target computes until the request has arrived.
    assert!(
        latencies.len() > REQUESTS as usize / 2,
        "{policy}: requests are served while their target computes"
    );
    latencies.sort_by(f64::total_cmp);
    latencies
}

/// Microseconds from each unpark to the answer of the woken thread.
pub(crate) fn raw_wake_ups() -> Vec<f64> {
    let (asked, answered) = (AtomicU64::new(0), AtomicU64::new(0));
    let is_over = AtomicBool::new(false);
    let asker = thread::current();
    let await_number = |counter: &AtomicU64, number| {
        while counter.load(Ordering::Acquire) < number {
            thread::park();
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            pin(1);
            compute_until(|| is_over.load(Ordering::Relaxed));
        });
        let answerer = scope.spawn(|| {
            for number in 1..=REQUESTS {
                await_number(&asked, number);
                answered.store(number, Ordering::Release);
                asker.unpark();
            }
        });
        let ask = |number| {
            thread::sleep(PAUSE);
            let start = Instant::now();
            asked.store(number, Ordering::Release);
            answerer.thread().unpark();
            await_number(&answered, number);
            start.elapsed().as_secs_f64() * 1e6
        };
        let mut all: Vec<f64> = (1..=REQUESTS).map(ask).collect();
        is_over.store(true, Ordering::Relaxed);
        all.sort_by(f64::total_cmp);
        all
    })
}

/// Rows for a dedicated processor and for a helper: the median, and the latency that a tenth of the requests exceed.
pub(crate) fn rows() -> Vec<TableRow> {
    let shapes = [("fixed:1", 2, (20.0, 40.0)), ("floating+helper", 1, (100.0, 200.0))];
    let ranks = [("", 0.5), (", 9 of 10", 0.9)];
    let row = |(policy, processors, (aim, floor)): (&str, u32, (f64, f64)), (within, rank)| {
        let at_rank = |all: Vec<f64>| all[(all.len() as f64 * rank) as usize];
        let figures = paired(|| at_rank(served(policy, processors)), || at_rank(raw_wake_ups()));
        let what = format!("target computes, {policy}{within}");
        TableRow::new(what, Unit::Microseconds, figures, "wake-up and back", Aim::Value(aim, floor))
    };
    shapes.into_iter().flat_map(|shape| ranks.map(|rank| row(shape, rank))).collect()
}
