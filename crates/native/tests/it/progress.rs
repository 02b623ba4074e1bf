//! Who serves a node whose thread computes and never looks.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use conformance::Setting;
use tempest::{
    Event, Handler, NodeId, Protocol, Quiet, Report, Rights, Segment, Setup, Thread, World, handlers,
};
use tradewind_native::Local;

use crate::load::launch;

/// Far longer than a helper waits.
const LONG: Duration = Duration::from_millis(300);

/// Longer than it takes to wake somebody on a host that has much else to do.
const PATIENCE: Duration = Duration::from_secs(5);

/// Node 1 computes until it is served, or for [`LONG`]; node 0 asks it again and again.
struct Ask {
    is_served: AtomicBool,
    answers: Event,
}

impl Protocol for Ask {
    type Config = ();

    fn install(_: &(), _: &mut Setup<'_>) -> Self {
        Self { is_served: AtomicBool::new(false), answers: Event::new("answers") }
    }
}

impl Ask {
    /// Whether it was served while it computed.
    fn computes(&self) -> bool {
        let start = Instant::now();
        while start.elapsed() < LONG && !self.is_served.load(Ordering::Relaxed) {
            std::hint::spin_loop();
        }
        self.is_served.load(Ordering::Relaxed)
    }
}

#[handlers]
impl Ask {
    #[message(key = 0)]
    fn question(&self, cx: &mut Handler<'_>) {
        self.is_served.store(true, Ordering::Relaxed);
        let source = cx.source();
        cx.send(source, Self::answer());
    }

    #[message(key = 0)]
    fn answer(&self, cx: &mut Handler<'_>) {
        cx.signal(&self.answers, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        if thread.node() == NodeId(0) {
            // Long enough for the other to compute.
            std::thread::sleep(LONG / 10);
            (1..=3).for_each(|number| {
                thread.send(NodeId(1), Self::question());
                thread.wait(&self.answers, number);
            });
        } else {
            assert!(self.computes(), "nobody serves");
        }
    }

    fn report(&self, _: &mut Quiet<'_>) -> Report {
        Report::default()
    }
}

#[test]
fn a_node_that_computes_is_served_by_its_helper() {
    for policy in ["single+helper", "floating+helper=20us", "floating+keyed+helper"] {
        let outcome = Local::new().run(&launch::<Ask>(policy, 2, 1, 1, ()));
        let outcome = outcome.unwrap_or_else(|failure| panic!("{policy}: {failure}"));
        let counters = outcome.counters;
        assert_eq!(counters.handlers, 6, "{policy}: three questions and answers");
        assert!((1..=6).contains(&counters.interrupts), "{policy}: {}", counters.interrupts);
    }
}

#[test]
fn a_helper_whose_node_looks_lets_it() {
    for policy in ["single+helper=1000ms", "floating+helper=1000ms"] {
        let setting =
            Setting { world: &Local::new(), policy: &policy.parse().unwrap(), nodes: 2, processors: 1 };
        conformance::equal_keys_exclude(&setting);
        let start = Instant::now();
        let outcome = Local::new().run(&crate::load::fetch_add(policy, 2, 1, 2, 1_000)).unwrap();
        assert!(outcome.report.verified(), "{policy}: {:?}", outcome.report.failures);
        assert_eq!(outcome.counters.interrupts, 0, "{policy}");
        assert!(start.elapsed() < Duration::from_millis(900), "{policy}: nobody waits for the helper");
    }
}

#[test]
fn nobody_else_takes_a_core_for_it() {
    for policy in ["single", "floating"] {
        let refusal = Local::new().run(&launch::<Ask>(policy, 2, 1, 1, ())).unwrap_err();
        assert!(refusal.to_string().contains("nobody serves"), "{policy}: {refusal}");
    }
}

/// Times that a thread of node 1 is woken just after a message has woken its processor.
const ROUNDS: u64 = 400;

/// Node 0 sends a message to node 1, which sleeps, and then wakes its first thread, which computes until the message has been
/// handled, or for [`PATIENCE`]. Another processor of node 1 has nothing to do.
struct Woken {
    words: Segment<u64>,
    handled: AtomicU64,
    answers: Event,
    end: Event,
}

impl Protocol for Woken {
    type Config = ();

    fn install(_: &(), node: &mut Setup<'_>) -> Self {
        Self {
            words: node.segment_for(Rights::WRITE, "words", 1, 0),
            handled: AtomicU64::new(0),
            answers: Event::new("served"),
            end: Event::new("end"),
        }
    }
}

#[handlers]
impl Woken {
    #[message]
    fn wake(&self, cx: &mut Handler<'_>) {
        let round = self.handled.fetch_add(1, Ordering::Relaxed) + 1;
        if round == ROUNDS {
            cx.signal(&self.end, 1);
        }
        let source = cx.source();
        cx.send(source, Self::served());
    }

    #[message]
    fn served(&self, cx: &mut Handler<'_>) {
        cx.signal(&self.answers, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        match (thread.node().0, thread.index()) {
            (0, 0) => (1..=ROUNDS).for_each(|round| {
                // Long enough for the others to fall asleep.
                std::thread::sleep(Duration::from_micros(300));
                thread.send(NodeId(1), Self::wake());
                thread.deposit(NodeId(1), self.words.place(0), &[round]);
                thread.wait(&self.answers, round);
            }),
            (1, 0) => (1..=ROUNDS).for_each(|round| {
                thread.wait(self.words.deposited(), round);
                let start = Instant::now();
                while self.handled.load(Ordering::Relaxed) < round {
                    assert!(start.elapsed() < PATIENCE, "nobody serves in round {round}");
                    std::hint::spin_loop();
                }
            }),
            (1, _) => thread.wait(&self.end, 1),
            _ => {}
        }
    }

    fn report(&self, _: &mut Quiet<'_>) -> Report {
        Report::default()
    }
}

#[test]
fn who_is_woken_for_a_message_handles_it_before_it_computes() {
    for policy in ["floating", "floating+keyed", "adaptive", "adaptive+serial"] {
        let outcome = Local::new().restless().run(&launch::<Woken>(policy, 2, 2, 1, ()));
        outcome.unwrap_or_else(|failure| panic!("{policy}: {failure}"));
    }
}

/// A processor of node 1 runs a long handler of a message from its own node, and has passed the lane from node 0 by then. A
/// message from there wakes another processor, which cannot receive and has a thread to run; so has the first, after its
/// handler. The third has nothing to do.
struct Passed {
    words: Segment<u64>,
    is_handled: AtomicBool,
    began: Event,
    ended: Event,
    end: Event,
}

impl Protocol for Passed {
    type Config = ();

    fn install(_: &(), node: &mut Setup<'_>) -> Self {
        Self {
            words: node.segment_for(Rights::WRITE, "words", 1, 0),
            is_handled: AtomicBool::new(false),
            began: Event::new("began"),
            ended: Event::new("ended"),
            end: Event::new("end"),
        }
    }
}

impl Passed {
    fn compute(&self) {
        let start = Instant::now();
        while !self.is_handled.load(Ordering::Relaxed) {
            assert!(start.elapsed() < PATIENCE, "nobody serves");
            std::hint::spin_loop();
        }
    }
}

#[handlers]
impl Passed {
    #[message(key = 0)]
    fn begin(&self, cx: &mut Handler<'_>) {
        cx.send(NodeId(0), Self::began());
        let start = Instant::now();
        while start.elapsed() < LONG / 10 {
            std::hint::spin_loop();
        }
        cx.signal(&self.ended, 1);
    }

    #[message(key = 0)]
    fn began(&self, cx: &mut Handler<'_>) {
        cx.signal(&self.began, 1);
    }

    #[message(key = 1)]
    fn late(&self, cx: &mut Handler<'_>) {
        self.is_handled.store(true, Ordering::Relaxed);
        cx.signal(&self.end, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        match (thread.node().0, thread.index()) {
            (0, 0) => {
                thread.wait(&self.began, 1);
                thread.send(NodeId(1), Self::late());
                thread.deposit(NodeId(1), self.words.place(0), &[1]);
            }
            (1, 0) => {
                // The others fall asleep.
                std::thread::sleep(LONG / 10);
                thread.send(NodeId(1), Self::begin());
                thread.wait(&self.ended, 1);
                self.compute();
            }
            (1, 1) => {
                thread.wait(self.words.deposited(), 1);
                self.compute();
            }
            (1, _) => thread.wait(&self.end, 1),
            _ => {}
        }
    }

    fn report(&self, _: &mut Quiet<'_>) -> Report {
        Report::default()
    }
}

#[test]
fn who_cannot_take_what_it_was_woken_for_wakes_another() {
    for policy in ["floating", "floating+keyed", "adaptive"] {
        for _ in 0..10 {
            let outcome = Local::new().run(&launch::<Passed>(policy, 2, 3, 1, ()));
            outcome.unwrap_or_else(|failure| panic!("{policy}: {failure}"));
        }
    }
}
