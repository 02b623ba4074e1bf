//! An interface that is full for too long traps its processor, which empties it; nothing is lost.

use tempest::{
    Event, Handler, Job, Launch, NodeId, Operations, Outcome, Protocol, Quiet, Report, Setup, Thread, World,
    handlers,
};
use tradewind_sim::Model;
use units::Time;

use crate::setup::machine;

/// Every node but the first sends so many messages to the first, which computes for long without looking.
const MESSAGES: u64 = 100;

struct Flood {
    arrived: Event,
}

impl Protocol for Flood {
    type Config = ();
    fn install(_: &(), _: &mut Setup<'_>) -> Self {
        Flood { arrived: Event::new("arrived") }
    }
}

#[handlers]
impl Flood {
    #[message]
    fn drop(&self, cx: &mut Handler<'_>) {
        cx.signal(&self.arrived, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        thread.phase("flood");
        if thread.node() == NodeId(0) {
            thread.charge(Operations::NONE.integers(1_000_000));
            thread.wait(&self.arrived, MESSAGES * u64::from(thread.nodes() - 1));
        } else {
            (0..MESSAGES).for_each(|_| thread.send(NodeId(0), Self::drop()));
        }
    }
    fn report(&self, _: &mut Quiet<'_>) -> Report {
        Report::checked(true, || unreachable!("what is checked is that everything arrives"))
    }
}

fn flood(after: &str) -> Outcome {
    let machine = machine("alewife", &[("interface.overflow.after", after)]);
    let launch =
        Launch { nodes: 4, ..Launch::new(Job::new::<Flood>(()), "single".parse().expect("a policy")) };
    Model::new(machine).run(&launch).expect("everything arrives")
}

#[test]
fn a_processor_is_trapped_while_its_interface_is_full_and_only_then() {
    let (trapped, patient) = (flood("1000 cycles"), flood("1 s"));
    assert_eq!(patient.counters.interrupts, 0);
    // 300 messages, of which 32 fit at a time: the last batch needs no trap.
    assert!((2..=10).contains(&trapped.counters.interrupts), "{}", trapped.counters.interrupts);
    assert_eq!(trapped.counters.handlers, patient.counters.handlers);
    // Senders that wait for the interface to be emptied by a poll wait for the whole computation, 50 ms.
    let wait = |outcome: &Outcome| outcome.breakdown.memory;
    assert!(wait(&patient) > Time::from_microseconds(100_000), "{}", wait(&patient));
    assert!(wait(&trapped) < Time::from_microseconds(10_000), "{}", wait(&trapped));
    // What the traps cost the processor that computes: 500 cycles of 50 ns each, and more for the bytes that they
    // move.
    let traps = trapped.counters.interrupts;
    assert!(trapped.time > Time::from_microseconds(50_000 + 25 * traps), "{}", trapped.time);
}
