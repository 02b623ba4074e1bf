//! The turns that the processors of a node take, where any of them may look for events.
//!
//! One processor looks at a time. The turn then goes to the next processor, round robin. An idle processor looks in a
//! loop, so with nothing to do it passes the turn on in no time. A computing processor looks only at its next poll.
//! Until then [`tempest::policy::Turns`] decides: the turn rests with that processor, or passes it while another
//! processor idles, or while another processor is held. A *held* processor idles too: its thread has faulted, and the
//! fault waits in the processor's slot.
//!
//! This module must never know the result of a look, or its consequences.

use tempest::policy::Turns as Order;

use crate::processor::core::Core;

/// The turns of one node.
#[derive(Clone, Debug)]
pub(crate) struct Turns {
    order: Order,
    /// The number of processors that take turns. Their numbers on the node are the lowest.
    count: usize,
    /// The number of the processor whose turn it is.
    owner: usize,
}

impl Turns {
    /// The turns of the first `count` processors of a node at the start: the first turn belongs to processor 0.
    pub(crate) fn new(order: Order, count: usize) -> Self {
        Self { order, count, owner: 0 }
    }

    /// Whether a processor takes turns.
    pub(crate) fn includes(&self, number: usize) -> bool {
        number < self.count
    }

    /// The idle processor that looks for an event which has just come. `finds` says whether a processor would find the event,
    /// and `held` whether a processor is held.
    pub(crate) fn caller(
        &mut self,
        cores: &[Core],
        finds: impl Fn(usize) -> bool,
        held: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        // Before the event came, the turn passed all idle processors and came to rest with a computing one.
        let computes = |core: &Core| core.thread().is_some();
        let rests = self.order != Order::IdleFirst && cores[..self.count].iter().any(computes);
        if rests && self.first(cores, &held).is_none() {
            self.rest(cores);
            return None;
        }
        self.next_caller(cores, finds, held)
    }

    /// The idle processor that looks for an event which waited while the turn was passed on.
    pub(crate) fn next_caller(
        &mut self,
        cores: &[Core],
        finds: impl Fn(usize) -> bool,
        held: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let looks = |&number: &usize| cores[number].is_idle() || cores[number].thread().is_some();
        let passes = self.order == Order::IdleFirst;
        let next = || if passes { None } else { self.in_turn().find(looks) };
        let first = self.first(cores, held).or_else(next);
        let caller = first.filter(|&number| cores[number].is_idle() && finds(number));
        if caller.is_none() && !passes {
            self.rest(cores);
        }
        caller
    }

    /// Whether it is the turn of computing processor `number`, which polls.
    pub(crate) fn is_of(&self, number: usize, cores: &[Core], held: impl Fn(usize) -> bool) -> bool {
        let left_out = self.first(cores, held).is_some();
        !left_out && self.in_turn().find(|&other| cores[other].thread().is_some()) == Some(number)
    }

    /// The next of the processors that come before computing ones.
    fn first(&self, cores: &[Core], held: impl Fn(usize) -> bool) -> Option<usize> {
        let comes_first = |number: usize| match self.order {
            Order::IdleFirst => true,
            Order::Waiting => held(number),
            Order::Strict => false,
        };
        self.in_turn().find(|&number| cores[number].is_idle() && comes_first(number))
    }

    /// Whether the turn was passed last to processor `number`, regardless of its present activity.
    pub(crate) fn owner_is(&self, number: usize) -> bool {
        self.owner == number
    }

    /// Passes the turn from processor `number` to the next.
    pub(crate) fn pass(&mut self, number: usize) {
        self.owner = (number + 1) % self.count;
    }

    /// Lets the turn rest with the next processor that computes, if there is one.
    fn rest(&mut self, cores: &[Core]) {
        let next = self.in_turn().find(|&number| cores[number].thread().is_some());
        self.owner = next.unwrap_or(self.owner);
    }

    /// The numbers of the processors that take turns, in the order of their turns.
    fn in_turn(&self) -> impl Iterator<Item = usize> + use<> {
        let (owner, count) = (self.owner, self.count);
        (0..count).map(move |offset| (owner + offset) % count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::testing::{computing, idle, node};

    /// No processor is held.
    fn none(_: usize) -> bool {
        false
    }

    #[test]
    fn an_idle_processor_comes_first_where_the_policy_says_so() {
        let mut turns = Turns::new(Order::IdleFirst, 3);
        let cores = node([computing(), idle(5), idle(3)]);
        assert_eq!(turns.caller(&cores, |_| true, none), Some(1));
        assert!(!turns.is_of(0, &cores, none), "a processor that polls is left out while another idles");
        turns.pass(1);
        assert_eq!(turns.next_caller(&cores, |_| true, none), Some(2));
    }

    #[test]
    fn a_strict_turn_rests_with_the_computing_processor_until_it_polls() {
        let mut turns = Turns::new(Order::Strict, 4);
        let cores = node([idle(0), computing(), idle(0), computing()]);
        assert_eq!(turns.caller(&cores, |_| true, none), None);
        assert!(turns.is_of(1, &cores, none));
        assert!(!turns.is_of(3, &cores, none));
        turns.pass(1);
        // Processor 2 idles, and has the turn before it can come to 3.
        assert_eq!(turns.next_caller(&cores, |_| true, none), Some(2));
        turns.pass(2);
        assert_eq!(turns.next_caller(&cores, |_| true, none), None);
        assert!(turns.is_of(3, &cores, none));
    }

    #[test]
    fn a_held_processor_comes_before_computing_ones_where_the_policy_says_so() {
        let cores = node([computing(), idle(0), idle(0), computing()]);
        let held = |number| number == 2;
        for (order, caller) in [(Order::Strict, None), (Order::Waiting, Some(2))] {
            let mut turns = Turns::new(order, 4);
            assert_eq!(turns.caller(&cores, |_| true, held), caller, "{order:?}");
            assert_eq!(turns.is_of(0, &cores, held), caller.is_none(), "{order:?}");
        }
        let mut turns = Turns::new(Order::Waiting, 4);
        assert_eq!(turns.caller(&cores, |_| true, none), None, "idle processors wait for computing ones");
        assert!(turns.is_of(0, &cores, none));
        turns.pass(0);
        assert_eq!(
            turns.next_caller(&cores, |_| true, held),
            Some(2),
            "processor 1 is the next, and not held"
        );
        assert_eq!(turns.next_caller(&cores, |_| true, none), Some(1));
        assert_eq!(turns.caller(&cores, |number| number != 2, held), None, "it finds nothing");
    }

    #[test]
    fn with_all_processors_computing_turns_go_round() {
        for order in [Order::IdleFirst, Order::Strict, Order::Waiting] {
            let mut turns = Turns::new(order, 2);
            let cores = node([computing(), computing()]);
            assert_eq!([turns.is_of(0, &cores, none), turns.is_of(1, &cores, none)], [true, false]);
            turns.pass(0);
            assert_eq!([turns.is_of(0, &cores, none), turns.is_of(1, &cores, none)], [false, true]);
            turns.pass(1);
            assert!(turns.owner_is(0));
        }
    }

    #[test]
    fn an_idle_processor_that_finds_nothing_does_not_call() {
        let mut turns = Turns::new(Order::IdleFirst, 2);
        let cores = node([idle(0), idle(0)]);
        assert_eq!(turns.caller(&cores, |number| number == 1, none), None, "the turn is that of processor 0");
        turns.pass(0);
        assert_eq!(turns.caller(&cores, |number| number == 1, none), Some(1));
    }
}
