//! Known delay: a known piece of work, with a stated extra share of it under one of two mechanisms.
//!
//! This is a test object for measurements, not a measurement: the result of a comparison is known before. Every thread
//! works and sends, round after round, and waits at the end for all messages to it. By both mechanisms it sends the
//! same small messages, so nothing but the delay tells them apart. With `delay=0%` not even that does.
//!
//! | mechanism | work of a round |
//! |---|---|
//! | `messages` | `work` |
//! | `bulk` | `work`, and `delay` of it |
//!
//! # Timed regions
//!
//! `work` has all rounds.
//!
//! # How it is checked
//!
//! The work is a sequence of numbers, each from the one before, so that its last number shows that all of it was done. The sum
//! of all numbers that a node receives is compared with the sum that is due.

use std::fmt;
use std::hint::black_box;
use std::str::FromStr;

use tempest::entry::{BadPlan, Entry, Inputs, Instance, Plan};
use tempest::{
    Event, FinalState, Handler, Job, Key, Keyed, Mechanism, NodeId, Operations, Protocol, Report, Setup,
    Shape, Thread, handlers,
};

/// The entry of known-delay in a table of programs.
pub const ENTRY: Entry = Entry {
    name: "known-delay",
    summary: "work that takes a stated share longer by bulk than by messages: what a comparison should find",
    mechanisms: &[Mechanism::Messages, Mechanism::Bulk],
    inputs: Options::INPUTS,
    load: |given| Ok(Box::new(Options::from_given(given)?)),
};

/// The key of a node's only sum.
const KEY: Key = Key::User(0);

/// The integer operations of a step: a multiplication and an addition.
const OF_A_STEP: u32 = 2;

/// A share that is added, in percent.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Percent(f64);

impl FromStr for Percent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_suffix('%').and_then(|number| number.trim_end().parse().ok());
        let percent = number.filter(|percent| (0.0..=1000.0).contains(percent));
        percent.map(Self).ok_or_else(|| format!("`{text}`: expected a share from 0% to 1000%, such as 10%"))
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", self.0)
    }
}

/// The inputs of known-delay.
#[derive(Clone, Copy, Debug, Inputs)]
struct Options {
    /// how often each thread works and sends
    #[input(default = 100, range = 1..=1_000_000)]
    rounds: u32,
    /// integer operations of a round by messages
    #[input(default = 20000, range = 2..=100_000_000)]
    work: u32,
    /// the share of the work that comes on top of it by bulk
    #[input(default = "10%")]
    delay: Percent,
}

impl Instance for Options {
    fn job(&self, &Plan { mechanism, shape, .. }: &Plan) -> Result<Job, BadPlan> {
        let share = if mechanism == Mechanism::Bulk { self.delay.0 / 100.0 } else { 0.0 };
        let steps = (f64::from(self.work / OF_A_STEP) * (1.0 + share)).round() as u32;
        Ok(Job::new::<KnownDelay>(Work { rounds: self.rounds, steps, shape }))
    }

    fn describe(&self) -> Vec<(&'static str, String)> {
        vec![
            ("rounds", self.rounds.to_string()),
            ("operations of a round", self.work.to_string()),
            ("delay by bulk", self.delay.to_string()),
        ]
    }
}

/// The work of each thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Work {
    rounds: u32,
    /// The steps of a round.
    steps: u32,
    shape: Shape,
}

/// Makes a step: the next number from the one before.
fn step(number: u64) -> u64 {
    number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407)
}

/// The number after `steps` steps, found in as few steps as the count has binary digits.
fn jump(number: u64, mut steps: u32) -> u64 {
    // The effect of `2^k` steps: multiply by `factor` and add `addend`.
    let (mut factor, mut addend) = (step(0).wrapping_neg().wrapping_add(step(1)), step(0));
    let mut reached = number;
    while steps > 0 {
        if steps % 2 == 1 {
            reached = reached.wrapping_mul(factor).wrapping_add(addend);
        }
        addend = addend.wrapping_mul(factor).wrapping_add(addend);
        factor = factor.wrapping_mul(factor);
        steps /= 2;
    }
    reached
}

/// The number that a thread begins a round with.
fn first(node: NodeId, thread: u32, round: u32) -> u64 {
    u64::from(node.0) << 48 | u64::from(thread) << 32 | u64::from(round)
}

/// The state of the program on one node.
struct KnownDelay {
    work: Work,
    node: NodeId,
    sum: Keyed<u64>,
    /// The numbers that have come.
    come: Event,
}

impl Protocol for KnownDelay {
    type Config = Work;

    fn install(work: &Work, setup: &mut Setup<'_>) -> Self {
        let sum = setup.keyed(1, |_| 0);
        Self { work: *work, node: setup.node(), sum, come: Event::new("known-delay.come") }
    }
}

#[handlers]
impl KnownDelay {
    /// Brings the last number of a round.
    #[message(key = KEY)]
    fn number(&self, number: u64, cx: &mut Handler<'_>) {
        cx.with(&self.sum, |sum, cx| {
            *sum = sum.wrapping_add(number);
            cx.signal(&self.come, 1);
        });
    }

    /// The numbers that are sent to each node.
    fn due(&self) -> u64 {
        u64::from(self.work.rounds) * u64::from(self.work.shape.threads)
    }

    fn main(&self, thread: &Thread<'_>) {
        let Work { rounds, steps, .. } = self.work;
        thread.phase("work");
        for round in 0..rounds {
            thread.charge(Operations::NONE.integers(steps.saturating_mul(OF_A_STEP)));
            // Hidden, or the compiler would find the shorter way too.
            let from = first(self.node, thread.index(), round);
            let number = (0..steps).fold(from, |number, _| black_box(step(number)));
            thread.send(thread.next_node(), Self::number(number));
        }
        thread.wait(&self.come, self.due());
        thread.phase("check");
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let Work { rounds, steps, shape } = self.work;
        let sender = NodeId((self.node.0 + shape.nodes - 1) % shape.nodes);
        let ends = (0..shape.threads)
            .flat_map(|thread| (0..rounds).map(move |round| jump(first(sender, thread, round), steps)));
        let (due, sum) = (ends.fold(0, u64::wrapping_add), *end.get(&self.sum, 0));
        Report::checked(sum == due, || format!("{} has the sum {sum:#x}: expected {due:#x}", self.node))
    }
}

#[cfg(test)]
mod tests {
    use tempest::entry::Given;

    use super::*;

    #[test]
    fn a_jump_is_as_many_steps() {
        for steps in [0, 1, 2, 3, 7, 100, 12_345] {
            assert_eq!(jump(42, steps), (0..steps).fold(42, |number, _| step(number)), "{steps} steps");
        }
    }

    #[test]
    fn a_delay_is_a_share() {
        assert_eq!("12.5 %".parse(), Ok(Percent(12.5)));
        for wrong in ["10", "-1%", "nan%", "2000%", "%"] {
            let values = [("delay".to_owned(), wrong.to_owned())].into();
            let errors = (ENTRY.load)(&Given { values, ..Given::default() }).map(|_| ()).unwrap_err();
            let due = format!("input `delay`: `{wrong}`: expected a share from 0% to 1000%, such as 10%");
            assert_eq!(errors.texts(), [due]);
        }
    }
}
