//! Tests of progress on a node whose thread computes and never polls.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use conformance::Setting;
use tempest::world::{Launch, World};
use tempest::{
    Event, FinalState, Handler, NodeId, Protocol, Report, Rights, Segment, Setup, Thread, handlers,
};
use tradewind_native::Local;
use units::Time;

use crate::load::launch;

/// Far longer than a helper waits.
const LONG: Duration = Duration::from_millis(300);

/// Longer than a wake-up on a busy host.
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
    /// Computes. Returns whether the request was served meanwhile.
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
            // Long enough for the other node to start computing.
            std::thread::sleep(LONG / 10);
            (1..=3).for_each(|number| {
                thread.send(NodeId(1), Self::question());
                thread.wait(&self.answers, number);
            });
        } else {
            assert!(self.computes(), "nobody serves");
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
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
fn every_promise_holds_where_no_back_edge_looks() {
    let _alone = crate::alone();
    conformance::run_all(&Local::new(), &["single+every=0", "floating+every=0"], 2, 3);
}

#[test]
fn nobody_else_takes_a_core_for_it() {
    for policy in ["single", "floating"] {
        let refusal = Local::new().run(&launch::<Ask>(policy, 2, 1, 1, ())).unwrap_err();
        assert!(refusal.to_string().contains("nobody serves"), "{policy}: {refusal}");
    }
}

/// The threads of node 0 wait for an event that never comes; the last thread of node 1 neither polls nor waits for a while.
struct Endless {
    never: Event,
}

impl Protocol for Endless {
    type Config = ();

    fn install(_: &(), _: &mut Setup<'_>) -> Self {
        Self { never: Event::new("never") }
    }
}

#[handlers]
impl Endless {
    fn main(&self, thread: &Thread<'_>) {
        if thread.node() == NodeId(0) {
            thread.wait(&self.never, 1);
        } else if thread.index() + 1 == thread.threads() {
            let start = Instant::now();
            while start.elapsed() < PATIENCE && self.never.count(thread) == 0 {
                std::hint::spin_loop();
            }
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::default()
    }
}

#[test]
fn a_stall_names_the_threads_that_run() {
    for (policy, processors, threads, named) in [
        ("single", 1, 1, "node 1 thread 0 runs, and neither waits nor does anything that others see"),
        ("floating", 2, 1, "node 1 thread 1 runs, and neither waits nor does anything that others see"),
        ("single", 1, 3, "one of the 3 threads of a processor from node 1 thread 0 on runs"),
    ] {
        let stall_limit = Some(Time::from_microseconds(500_000));
        let launch = Launch { stall_limit, ..launch::<Endless>(policy, 2, processors, threads, ()) };
        let said = Local::new().run(&launch).unwrap_err().to_string();
        assert!(said.starts_with("nothing happened for 500 ms; 1 thread spins, "), "{policy}: {said}");
        assert!(said.contains(named), "{policy}: {said}");
        assert!(said.contains("node 0 thread 0 waits for event `never`"), "{policy}: {said}");
    }
}

/// Number of messages that circle between two nodes: more than there is room for.
const CIRCLING: u64 = 100;

/// Sends of each node's thread beside them.
const BESIDE: u64 = 10;

/// Handlers send without end until the threads of both nodes have finished their sends.
struct Storm {
    /// Number of threads of the other nodes that are done.
    done: AtomicU64,
    ended: Event,
}

impl Protocol for Storm {
    type Config = ();

    fn install(_: &(), _: &mut Setup<'_>) -> Self {
        Self { done: AtomicU64::new(0), ended: Event::new("both are done") }
    }
}

#[handlers]
impl Storm {
    #[message]
    fn circle(&self, cx: &mut Handler<'_>) {
        if self.done.load(Ordering::Relaxed) < 2 {
            let source = cx.source();
            cx.send(source, Self::circle());
        }
    }

    #[message]
    fn beside(&self, _cx: &mut Handler<'_>) {}

    #[message]
    fn done(&self, cx: &mut Handler<'_>) {
        self.done.fetch_add(1, Ordering::Relaxed);
        cx.signal(&self.ended, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        if thread.index() == 0 {
            (0..CIRCLING).for_each(|_| thread.send(thread.next_node(), Self::circle()));
            (0..BESIDE).for_each(|_| thread.send(thread.next_node(), Self::beside()));
            (0..2).for_each(|node| thread.send(NodeId(node), Self::done()));
        }
        thread.wait(&self.ended, 2);
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::default()
    }
}

#[test]
fn threads_send_beside_handlers_that_send_without_end() {
    for (policy, processors) in [("single", 1), ("floating", 2), ("fixed:1", 2)] {
        let outcome = Local::with_depths(16, 24).run(&launch::<Storm>(policy, 2, processors, 1, ()));
        let counters = outcome.unwrap_or_else(|failure| panic!("{policy}: {failure}")).counters;
        assert!(counters.messages > 2 * (CIRCLING + BESIDE), "{policy}: {} messages", counters.messages);
    }
}

/// Number of times that a thread of node 1 is woken just after a message has woken its processor.
const ROUNDS: u64 = 400;

/// Node 0 sends a message to node 1, which sleeps, and then wakes its first thread, which computes until the message has been handled, or
/// for [`PATIENCE`]. Another processor of node 1 is idle.
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

    fn report(&self, _: &mut FinalState<'_>) -> Report {
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

/// A processor of node 1 runs a long handler of a message from its own node, and has passed the lane from node 0 by then. A message from
/// there wakes a second processor, which cannot receive and has a thread to run, as has the first after its handler. The third is idle.
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

    fn report(&self, _: &mut FinalState<'_>) -> Report {
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
