//! Who serves a node whose thread computes and never looks.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bytemuck::{Pod, Zeroable};
use conformance::Setting;
use native::Local;
use tempest::{Event, Handler, Key, Message, NodeId, Program, Protocol, Report, Setup, Thread, World};

use crate::load::launch;

/// Far longer than a helper waits.
const LONG: Duration = Duration::from_millis(300);

/// Node 1 computes until it is served, or for [`LONG`]; node 0 asks it again and again.
struct Ask {
    is_served: AtomicBool,
    answers: Event,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Question {
    unused: u64,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Answer {
    unused: u64,
}

impl Message for Question {
    type Protocol = Ask;

    fn key(&self) -> Key {
        Key::User(0)
    }

    fn handle(self, ask: &Ask, _: &[u64], cx: &mut Handler<'_>) {
        ask.is_served.store(true, Ordering::Relaxed);
        let source = cx.source();
        cx.send(source, Answer { unused: 0 }, &[]);
    }
}

impl Message for Answer {
    type Protocol = Ask;

    fn key(&self) -> Key {
        Key::User(0)
    }

    fn handle(self, ask: &Ask, _: &[u64], cx: &mut Handler<'_>) {
        cx.signal(&ask.answers, 1);
    }
}

impl Protocol for Ask {
    type Config = ();

    fn install(_: &(), node: &mut Setup<'_>) -> Self {
        node.message::<Question>();
        node.message::<Answer>();
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

impl Program for Ask {
    fn main(&self, thread: &Thread<'_>) {
        if thread.node() == NodeId(0) {
            // Long enough for the other to compute.
            std::thread::sleep(LONG / 10);
            (1..=3).for_each(|number| {
                thread.send(NodeId(1), Question { unused: 0 }, &[]);
                thread.wait(&self.answers, number);
            });
        } else {
            assert!(self.computes(), "nobody serves");
        }
    }

    fn report(&self) -> Report {
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
