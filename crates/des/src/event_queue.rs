//! The queue of things to come: earliest first, equals in a fixed order.
//!
//! A binary heap of the standard library. Entries are ordered by time, then by a *tie* the caller gives (so that a
//! seed can decide between actors), then by insertion: what one actor does at one instant keeps its order.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use units::Time;

/// Bits of an entry's order that hold the sequence number: enough for 10¹² events.
const SEQUENCE_BITS: u32 = 40;

/// Ties are below this.
pub const TIES: u32 = 1 << (64 - SEQUENCE_BITS);

/// Things to come, each at its time.
#[derive(Debug)]
pub struct EventQueue<E> {
    heap: BinaryHeap<Entry<E>>,
    sequence: u64,
}

#[derive(Debug)]
struct Entry<E> {
    at: Time,
    /// Tie in the high bits, sequence number in the low ones.
    order: u64,
    event: E,
}

impl<E> Entry<E> {
    fn key(&self) -> (Time, u64) {
        (self.at, self.order)
    }
}

impl<E> Ord for Entry<E> {
    /// Earlier is greater: the heap yields its greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<E> Eq for Entry<E> {}

impl<E> Default for EventQueue<E> {
    fn default() -> Self {
        Self { heap: BinaryHeap::new(), sequence: 0 }
    }
}

impl<E> EventQueue<E> {
    /// Nothing to come.
    pub fn new() -> Self {
        Self::default()
    }

    /// Something will happen at `at`. Among simultaneous events the lower `tie` comes first, then the earlier push.
    ///
    /// # Panics
    /// If `tie` is not below [`TIES`].
    #[inline]
    pub fn push(&mut self, at: Time, tie: u32, event: E) {
        assert!(tie < TIES, "tie {tie}: expected below {TIES}");
        self.sequence += 1;
        self.heap.push(Entry { at, order: u64::from(tie) << SEQUENCE_BITS | self.sequence, event });
    }

    /// What happens next, and when.
    #[inline]
    pub fn pop(&mut self) -> Option<(Time, E)> {
        self.heap.pop().map(|entry| (entry.at, entry.event))
    }

    /// What [`pop`](Self::pop) would return.
    #[inline]
    pub fn peek(&self) -> Option<(Time, &E)> {
        self.heap.peek().map(|entry| (entry.at, &entry.event))
    }

    /// When something happens next.
    #[inline]
    pub fn next_time(&self) -> Option<Time> {
        self.heap.peek().map(|entry| entry.at)
    }

    /// How many things are to come.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Whether nothing is.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn simultaneous_events_come_by_tie_and_then_in_order_of_insertion() {
        let mut queue = EventQueue::new();
        let at = Time::from_nanoseconds(5);
        for (tie, event) in [(2, "c"), (1, "a"), (2, "d"), (1, "b")] {
            queue.push(at, tie, event);
        }
        queue.push(Time::ZERO, 9, "first");
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).map(|(_, event)| event).collect();
        assert_eq!(order, ["first", "a", "b", "c", "d"]);
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
            let popped: Vec<usize> = std::iter::from_fn(|| queue.pop()).map(|(_, index)| index).collect();
            prop_assert_eq!(popped, expected);
        }
    }
}
