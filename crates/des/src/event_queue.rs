//! The queue of events to come: earliest first, simultaneous events in a fixed order.
//!
//! Entries are ordered by time, then by a *tie* the caller gives (so that a seed can decide between actors), then by
//! insertion: the events of one actor at one instant keep their order. No two entries are equal, so the order of pops
//! follows from the pushes alone. This module must never look into an event.

use std::fmt;

use units::Time;

use crate::queue::Queue;

/// Events to come, each at its time.
///
/// A queue of events in order of time. The next events stand in a row, the later ones in a heap. Events must be `Copy`;
/// keep them small.
///
/// A pop and the push that follows it, with 16-byte events, beside `std::collections::BinaryHeap` in the same order, on a
/// cloud Xeon (`cargo bench -p tradewind-des`; the host's speed drifts by half, the ratio less):
///
/// | pending | this queue | `BinaryHeap` |
/// |---|---|---|
/// | 1 | 9 ns | 7 ns |
/// | 16 | 24 ns | 24 ns |
/// | 64 | 33 ns | 29 ns |
/// | 256 | 33 ns | 35 ns |
/// | 1 024 | 39 ns | 45 ns |
/// | 4 096 | 45 ns | 60 ns |
/// | 16 384 | 59 ns | 74 ns |
pub struct EventQueue<E> {
    queue: Queue<Key, E>,
    /// The number of the next push.
    sequence: u32,
}

/// Time, tie and sequence as one number: comparing it takes no branch.
type Key = u128;

#[inline]
fn key(at: Time, tie: u32, sequence: u32) -> Key {
    u128::from(at.as_femtoseconds()) << 64 | u128::from(tie) << 32 | u128::from(sequence)
}

#[inline]
fn time_of(key: Key) -> Time {
    Time::from_femtoseconds((key >> 64) as u64)
}

impl<E: Copy> EventQueue<E> {
    /// An empty queue.
    pub const fn new() -> Self {
        Self { queue: Queue::new(), sequence: 0 }
    }

    /// Adds an event at `at`. Among simultaneous events the lower `tie` comes first, then the earlier push.
    #[inline]
    pub fn push(&mut self, at: Time, tie: u32, event: E) {
        let sequence = self.number();
        self.queue.push(key(at, tie, sequence), event);
    }

    /// Removes and returns the next event and its time.
    #[inline]
    pub fn pop(&mut self) -> Option<(Time, E)> {
        self.queue.pop().map(|(key, event)| (time_of(key), event))
    }

    /// The result of [`pop`](Self::pop) without removal, in constant time.
    #[inline]
    pub fn peek(&self) -> Option<(Time, &E)> {
        self.queue.first().map(|(key, event)| (time_of(key), event))
    }

    /// Time of the next event, in constant time.
    #[inline]
    pub fn next_time(&self) -> Option<Time> {
        self.peek().map(|(at, _)| at)
    }

    /// All events to come, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = &E> {
        self.queue.iter()
    }

    /// Number of events to come.
    pub fn len(&self) -> usize {
        self.queue.len()
    }

    /// Whether the queue is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    fn number(&mut self) -> u32 {
        if self.sequence == u32::MAX {
            self.renumber();
        }
        self.sequence += 1;
        self.sequence - 1
    }

    /// Renumbers the entries from zero, in their order: 32 bits would not last a long run.
    #[cold]
    fn renumber(&mut self) {
        let mut sequence = 0;
        self.queue.rekey(|old| {
            sequence += 1;
            old >> 32 << 32 | u128::from(sequence - 1)
        });
        self.sequence = sequence;
    }
}

impl<E: Copy> Default for EventQueue<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: Copy> fmt::Debug for EventQueue<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventQueue")
            .field("len", &self.len())
            .field("next_time", &self.next_time())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn drain<E: Copy>(queue: &mut EventQueue<E>) -> Vec<E> {
        std::iter::from_fn(|| queue.pop()).map(|(_, event)| event).collect()
    }

    #[test]
    fn simultaneous_events_come_by_tie_and_then_in_order_of_insertion() {
        let mut queue = EventQueue::new();
        let at = Time::from_nanoseconds(5);
        for (tie, event) in [(2, "c"), (1, "a"), (u32::MAX, "e"), (2, "d"), (1, "b")] {
            queue.push(at, tie, event);
        }
        queue.push(Time::ZERO, 9, "first");
        assert_eq!(drain(&mut queue), ["first", "a", "b", "c", "d", "e"]);
    }

    #[test]
    fn an_emptied_queue_is_empty_and_of_use() {
        let mut queue = EventQueue::new();
        for round in 0..3 {
            assert_eq!((queue.len(), queue.is_empty(), queue.next_time()), (0, true, None));
            assert_eq!(queue.pop(), None);
            queue.push(Time::MAX, 0, round);
            assert_eq!((queue.len(), queue.peek()), (1, Some((Time::MAX, &round))));
            assert_eq!(queue.pop(), Some((Time::MAX, round)));
        }
    }

    #[test]
    fn insertion_order_survives_the_end_of_the_sequence_numbers() {
        let mut queue = EventQueue::new();
        queue.sequence = u32::MAX - 50;
        queue.push(Time::ZERO, 0, 1000);
        queue.pop();
        for event in 0..100 {
            queue.push(Time::from_femtoseconds(event % 2), 7, event);
        }
        assert!(queue.sequence < 200, "the numbers did not begin anew");
        let expected: Vec<_> = (0..100).step_by(2).chain((1..100).step_by(2)).collect();
        assert_eq!(drain(&mut queue), expected);
    }

    /// A reference for the tests: a list that is searched.
    #[derive(Default)]
    struct Reference(Vec<(Time, u32, usize)>);

    impl Reference {
        fn pop(&mut self) -> Option<(Time, usize)> {
            // The first of several least entries, so that equals come in order of insertion.
            let least = (0..self.0.len()).min_by_key(|&index| (self.0[index].0, self.0[index].1))?;
            let (at, _, event) = self.0.remove(least);
            Some((at, event))
        }
    }

    proptest! {
        #[test]
        fn pops_are_a_stable_sort_of_pushes(pushes in proptest::collection::vec((0_u64..20, 0_u32..3), 0..200)) {
            let mut queue = EventQueue::new();
            for (index, &(at, tie)) in pushes.iter().enumerate() {
                queue.push(Time::from_femtoseconds(at), tie, index);
            }
            let mut expected: Vec<usize> = (0..pushes.len()).collect();
            expected.sort_by_key(|&index| pushes[index]);
            prop_assert_eq!(drain(&mut queue), expected);
        }

        /// `None` pops, in any interleaving with pushes and looks; a push may be earlier than an event that was popped.
        #[test]
        fn mixed_with_pops_it_agrees_with_a_searched_list(
            steps in proptest::collection::vec(proptest::option::of((0_u64..20, 0_u32..3)), 0..400)
        ) {
            let mut queue = EventQueue::new();
            let mut reference = Reference::default();
            for (index, step) in steps.into_iter().enumerate() {
                match step {
                    Some((at, tie)) => {
                        let at = Time::from_femtoseconds(at);
                        queue.push(at, tie, index);
                        reference.0.push((at, tie, index));
                    }
                    None => {
                        let seen = queue.peek().map(|(at, &event)| (at, event));
                        let popped = queue.pop();
                        prop_assert_eq!(seen, popped);
                        prop_assert_eq!(popped, reference.pop());
                    }
                }
                prop_assert_eq!(queue.len(), reference.0.len());
                prop_assert_eq!(queue.iter().count(), queue.len());
                prop_assert_eq!(queue.next_time(), reference.0.iter().map(|entry| entry.0).min());
            }
        }
    }
}
