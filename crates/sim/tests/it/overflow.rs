//! An interface that is full for too long traps its processor, which empties it; nothing is lost.

use tempest::outcome::Outcome;
use tempest::world::{Launch, World};
use tempest::{
    Event, FinalState, Handler, Job, NodeId, Operations, Protocol, Report, Setup, Thread, handlers,
};
use tradewind_sim::Model;
use units::Time;

use crate::setup::machine;

/// Number of messages that every thread of the other nodes sends to the first node, which computes for long without
/// looking.
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
            let senders = thread.threads() * (thread.nodes() - 1);
            thread.wait(&self.arrived, MESSAGES * u64::from(senders));
        } else {
            (0..MESSAGES).for_each(|_| thread.send(NodeId(0), Self::drop()));
        }
    }
    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::checked(true, || unreachable!("what is checked is that everything arrives"))
    }
}

/// The outcome on nodes of `processors` processors under a policy.
fn flood(after: &str, (policy, processors): (&str, u32)) -> Outcome {
    let machine = machine("alewife", &[("interface.overflow.after", after)]);
    let launch = Launch::new(Job::new::<Flood>(()), policy.parse().expect("a policy"));
    Model::new(machine).run(&Launch { nodes: 4, processors, ..launch }).expect("everything arrives")
}

#[test]
fn a_processor_is_trapped_while_its_interface_is_full_and_only_then() {
    let alone = ("single", 1);
    let (trapped, patient) = (flood("1000 cycles", alone), flood("1 s", alone));
    assert_eq!(patient.counters.interrupts, 0);
    // 300 messages, of which 32 fit at a time: the last batch needs no trap.
    assert!((2..=10).contains(&trapped.counters.interrupts), "{}", trapped.counters.interrupts);
    assert_eq!(trapped.counters.handlers, patient.counters.handlers);
    // Senders that wait for the interface to be emptied by a poll wait for the whole computation, 50 ms.
    let wait = |outcome: &Outcome| outcome.breakdown.memory;
    assert!(wait(&patient) > Time::from_microseconds(100_000), "{}", wait(&patient));
    assert!(wait(&trapped) < Time::from_microseconds(10_000), "{}", wait(&trapped));
    // The cost of the traps to the processor that computes: 500 cycles of 50 ns each, and more for the bytes that they
    // move.
    let traps = trapped.counters.interrupts;
    assert!(trapped.time > Time::from_microseconds(50_000 + 25 * traps), "{}", trapped.time);
}

#[test]
fn messages_wait_in_the_interface_until_one_of_several_processors_looks() {
    // Nothing moves them into a queue that the machine does not have.
    let several = ("floating", 2);
    let (trapped, patient) = (flood("1000 cycles", several), flood("1 s", several));
    assert_eq!(patient.counters.interrupts, 0);
    assert!(trapped.counters.interrupts >= 2, "{}", trapped.counters.interrupts);
    assert_eq!(trapped.counters.handlers, patient.counters.handlers);
    let wait = |outcome: &Outcome| outcome.breakdown.memory;
    assert!(wait(&patient) > Time::from_microseconds(100_000), "{}", wait(&patient));
    assert!(wait(&trapped) < Time::from_microseconds(30_000), "{}", wait(&trapped));
}
