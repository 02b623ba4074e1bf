//! Tests of the prefetch of messages before they are handled.

use std::sync::atomic::{AtomicU64, Ordering};

use tempest::world::World;
use tempest::{Event, FinalState, Handler, Protocol, Report, Setup, Thread, handlers};
use tradewind_native::Local;

use crate::load::launch;

/// Number of messages, fewer than a processor receives at a time.
const NUMBERS: u64 = 20;

/// A node sends itself numbers, which wait until its thread does.
struct Numbers {
    handled: Event,
    /// Number of prefetched messages, and their sum.
    foreseen: AtomicU64,
    sum: AtomicU64,
    expected: u64,
}

impl Protocol for Numbers {
    /// Number of messages that should be prefetched.
    type Config = u64;

    fn install(expected: &u64, node: &mut Setup<'_>) -> Self {
        node.prefetch::<Number>(|number, numbers| {
            numbers.foreseen.fetch_add(1, Ordering::Relaxed);
            numbers.sum.fetch_add(number.number, Ordering::Relaxed);
        });
        let zero = AtomicU64::default;
        Self { handled: Event::new("numbers"), foreseen: zero(), sum: zero(), expected: *expected }
    }
}

#[handlers]
impl Numbers {
    /// A message without a prefetch.
    #[message(key = number)]
    fn other(&self, number: u64, cx: &mut Handler<'_>) {
        cx.signal(&self.handled, 1);
    }

    #[message(key = number)]
    fn number(&self, number: u64, cx: &mut Handler<'_>) {
        cx.signal(&self.handled, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        let here = thread.node();
        (0..NUMBERS).for_each(|number| match number % 2 {
            0 => thread.send(here, Self::other(number)),
            _ => thread.send(here, Self::number(number)),
        });
        thread.wait(&self.handled, NUMBERS);
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        let foreseen = (self.foreseen.load(Ordering::Relaxed), self.sum.load(Ordering::Relaxed));
        // The sum of the first n odd numbers is n squared.
        let expected = (self.expected, self.expected * self.expected);
        Report::checked(foreseen == expected, || format!("{foreseen:?}, expected {expected:?}"))
    }
}

#[test]
fn what_waits_is_foreseen_once_by_who_handles_it_in_order() {
    for (policy, processors, expected) in [("single", 1, NUMBERS / 2), ("floating+keyed", 2, 0)] {
        let outcome = Local::new().run(&launch::<Numbers>(policy, 1, processors, 1, expected)).unwrap();
        assert!(outcome.report.verified(), "{policy}: {:?}", outcome.report);
    }
}
