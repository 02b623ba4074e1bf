//! The native world beside what the host can do at best.
//!
//! `cargo bench -p tradewind-native` prints two tables, every answer checked.
//!
//! 1. *Round trip*: a thread sends a request to another node, whose handler replies, and waits for the reply; beside a
//!    raw ping-pong over two cache lines between two OS threads pinned to the same cores. Both are measured in turn in
//!    each round; the ratio is taken within the round. On a host with a single core both mean nothing.
//! 2. *Oversubscription*: the same work by 2 and by 8 processors, on however many cores there are.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytemuck::{Pod, Zeroable};
use native::Local;
use tempest::{
    Event, Handler, Job, Key, Keyed, Launch, Message, NodeId, Outcome, Program, Protocol, Report, Setup, Thread,
    World,
};

const ROUNDS: usize = 9;
const TRIPS: u64 = 200_000;
const WORDS: u64 = 1024;
const ADDITIONS: u64 = 400_000;

/// Thread 0 of node 0 counts as far as the other node echoes.
struct Echo {
    replies: Event,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Ping {
    number: u64,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Pong {
    number: u64,
}

impl Message for Ping {
    type Protocol = Echo;
    fn key(&self) -> Key {
        Key::User(0)
    }
    fn handle(self, _: &Echo, _: &[u64], cx: &mut Handler<'_>) {
        let back = cx.source();
        cx.send(back, Pong { number: self.number }, &[]);
    }
}

impl Message for Pong {
    type Protocol = Echo;
    fn key(&self) -> Key {
        Key::User(0)
    }
    fn handle(self, echo: &Echo, _: &[u64], cx: &mut Handler<'_>) {
        assert_eq!(self.number, echo.replies.count(), "replies come in order");
        cx.signal(&echo.replies, 1);
    }
}

impl Protocol for Echo {
    type Config = ();
    fn install(_: &(), node: &mut Setup<'_>) -> Self {
        node.message::<Ping>();
        node.message::<Pong>();
        Self { replies: Event::new("replies") }
    }
}

impl Program for Echo {
    fn main(&self, thread: &Thread<'_>) {
        thread.phase("echo");
        if thread.node() == NodeId(0) && thread.index() == 0 {
            for number in 0..TRIPS {
                thread.send(NodeId(1), Ping { number }, &[]);
                thread.wait(&self.replies, number + 1);
            }
        }
    }

    fn report(&self) -> Report {
        let count = self.replies.count();
        Report::checked(count == 0 || count == TRIPS, || format!("{count} replies of {TRIPS}"))
    }
}

/// Threads share a number of additions to words of all nodes.
struct Adders {
    words: Keyed<u64>,
    added: Event,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Add {
    word: u64,
}

impl Message for Add {
    type Protocol = Adders;
    fn key(&self) -> Key {
        Key::User(self.word)
    }
    fn handle(self, adders: &Adders, _: &[u64], cx: &mut Handler<'_>) {
        cx.with(&adders.words, |word, cx| {
            *word += 1;
            cx.signal(&adders.added, 1);
        });
    }
}

impl Protocol for Adders {
    type Config = ();
    fn install(_: &(), node: &mut Setup<'_>) -> Self {
        node.message::<Add>();
        Self { words: node.keyed(WORDS as usize, |_| 0), added: Event::new("added") }
    }
}

impl Program for Adders {
    fn main(&self, thread: &Thread<'_>) {
        let share = ADDITIONS / u64::from(thread.nodes() * thread.threads());
        thread.phase("add");
        for number in 0..share {
            let to = NodeId((thread.node().0 + 1) % thread.nodes());
            thread.send(to, Add { word: number % WORDS }, &[]);
            thread.poll();
        }
        thread.wait(&self.added, share * u64::from(thread.threads()));
    }

    fn report(&self) -> Report {
        let added = self.added.count();
        Report::checked(added > 0 && ADDITIONS.is_multiple_of(added), || format!("{added} additions"))
            .figure("added", added as f64, tempest::Merge::Sum)
    }
}

fn launch<P: Program<Config = ()>>(nodes: u32, processors: u32, policy: &str) -> Outcome {
    let launch = Launch {
        job: Job::new::<P>(()),
        nodes,
        processors,
        threads: 1,
        policy: policy.parse().expect("a policy of the table"),
        seed: 1,
        stall_limit: None,
    };
    let outcome = Local::new().run(&launch).expect("the run ends well");
    assert!(outcome.report.verified(), "{:?}", outcome.report);
    outcome
}

/// A counter on lines of its own.
#[repr(align(128))]
struct Line(AtomicU64);

/// Two OS threads on two cores pass a number to and fro over a line each way.
fn raw_ping_pong() -> Duration {
    let (there, back) = (Line(AtomicU64::new(0)), Line(AtomicU64::new(0)));
    let cores = core_affinity::get_core_ids().unwrap_or_default();
    let await_number = |line: &Line, number| {
        while line.0.load(Ordering::Acquire) != number {
            spin_loop();
        }
    };
    let pin = |index: usize| cores.get(index).map(|core| core_affinity::set_for_current(*core));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            pin(1);
            for number in 1..=TRIPS {
                await_number(&there, number);
                back.0.store(number, Ordering::Release);
            }
        });
        let timed = scope.spawn(|| {
            pin(0);
            let start = Instant::now();
            for number in 1..=TRIPS {
                there.0.store(number, Ordering::Release);
                await_number(&back, number);
            }
            start.elapsed()
        });
        timed.join().expect("the ping-pong ends")
    })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn round_trips(policy: &str, processors: u32) {
    let (mut ours, mut raw, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let trip = launch::<Echo>(2, processors, policy).timed().as_nanoseconds() / TRIPS as f64;
        let bound = raw_ping_pong().as_nanos() as f64 / TRIPS as f64;
        ours.push(trip);
        raw.push(bound);
        ratios.push(trip / bound);
    }
    println!("{policy:<12} {:>12.0} {:>12.0} {:>8.2}", median(ours), median(raw), median(ratios));
}

fn oversubscription(policy: &str) {
    let (mut few, mut many, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let two = launch::<Adders>(2, 1, policy).timed().as_seconds();
        let eight = launch::<Adders>(2, 4, policy).timed().as_seconds();
        few.push(two * 1e3);
        many.push(eight * 1e3);
        ratios.push(eight / two);
    }
    println!("{policy:<12} {:>12.2} {:>12.2} {:>8.2}", median(few), median(many), median(ratios));
}

fn main() {
    println!("round trip through handlers, 2 nodes, {TRIPS} trips, median of {ROUNDS} rounds");
    println!("{:<12} {:>12} {:>12} {:>8}", "policy", "ns", "raw ns", "ratio");
    round_trips("single", 1);
    println!("\n{ADDITIONS} additions by messages, 2 nodes, {} cores, median of {ROUNDS} rounds", Local::cores());
    println!("{:<12} {:>12} {:>12} {:>8}", "policy", "2 proc. ms", "8 proc. ms", "ratio");
    oversubscription("floating");
    oversubscription("floating+keyed");
}
