//! *Long handlers*: the latency of a message on a node with another server while a handler of another key takes long there. Each long
//! handler goes on until that message has been handled. Compared with a wake-up there and back between two OS threads that sleep in the
//! kernel, because the other server sleeps too.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use tempest::{Event, FinalState, Handler, Job, Protocol, Report, Setup, Thread, handlers};

use crate::progress::raw_wake_ups;
use crate::run;
use tradewind_bench::median;
use tradewind_bench::table::{Aim, TableRow, Unit, paired};

/// Time between two rounds, so that every server sleeps again.
const PAUSE: Duration = Duration::from_millis(2);

/// Time after the message with the long handler, which runs by then.
const HEAD_START: Duration = Duration::from_micros(200);

const ROUNDS: u64 = 100;

/// Brief messages before the long one, so that handlers count as brief.
const BRIEF: u64 = 8;

/// Microseconds from the send of each message to its handler.
type Latencies = Arc<Mutex<Vec<f64>>>;

/// A node whose first thread sends to the node itself.
struct Beside {
    epoch: Instant,
    latencies: Latencies,
    /// Number of messages handled beside a long handler.
    handled: AtomicU64,
    done: Event,
}

impl Beside {
    fn now_ns(&self) -> u64 {
        self.epoch.elapsed().as_nanos() as u64
    }
}

impl Protocol for Beside {
    type Config = (Instant, Latencies);
    fn install((epoch, latencies): &Self::Config, _: &mut Setup<'_>) -> Self {
        let latencies = Arc::clone(latencies);
        Self { epoch: *epoch, latencies, handled: AtomicU64::new(0), done: Event::new("done") }
    }
}

#[handlers]
impl Beside {
    #[message(key = key)]
    fn brief(&self, key: u64, _: &mut Handler<'_>) {
        std::hint::black_box(key);
    }

    #[message(key = 0)]
    fn long(&self, until: u64, cx: &mut Handler<'_>) {
        while self.handled.load(Ordering::Acquire) < until {
            std::hint::spin_loop();
        }
        cx.signal(&self.done, 1);
    }

    #[message(key = 1)]
    fn other(&self, sent_ns: u64, cx: &mut Handler<'_>) {
        let taken = self.now_ns() - sent_ns;
        self.latencies.lock().expect("nobody panics with it").push(taken as f64 / 1e3);
        self.handled.fetch_add(1, Ordering::Release);
        cx.signal(&self.done, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        if thread.index() > 0 {
            return;
        }
        for round in 1..=ROUNDS {
            thread::sleep(PAUSE);
            (0..BRIEF).for_each(|key| thread.send(thread.node(), Self::brief(2 + key)));
            thread.send(thread.node(), Self::long(round));
            thread::sleep(HEAD_START);
            thread.send(thread.node(), Self::other(self.now_ns()));
            thread.wait(&self.done, 2 * round);
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::checked(true, String::new)
    }
}

/// The median of the latencies, in microseconds.
fn latency(policy: &str, processors: u32) -> f64 {
    let latencies = Latencies::default();
    run(Job::new::<Beside>((Instant::now(), Arc::clone(&latencies))), 1, processors, 1, policy);
    median(&std::mem::take(&mut *latencies.lock().expect("nobody panics with it")))
}

/// Rows for dedicated processors, and for processors that compute and serve in turn.
pub(crate) fn rows() -> Vec<TableRow> {
    let shapes = [("fixed:2", 3), ("floating+keyed", 3)];
    let row = |(policy, processors): (&str, u32)| {
        let figures = paired(|| latency(policy, processors), || median(&raw_wake_ups()));
        let what = format!("message beside a long handler, {policy}");
        TableRow::new(what, Unit::Microseconds, figures, "wake-up and back", Aim::Value(20.0, 40.0))
    };
    shapes.map(row).into()
}
