//! The queue of things to come: earliest first, equals in a fixed order.
//!
//! Entries are ordered by time, then by a *tie* the caller gives (so that a seed can decide between actors), then by
//! insertion: what one actor does at one instant keeps its order. No two entries are equal, so the order of pops
//! follows from the pushes alone. Must never look into an event.

use std::fmt;
use std::mem;

use units::Time;

/// Children of a heap node.
const ARITY: usize = 4;

/// Things to come, each at its time.
///
/// A heap of four children a node, which is half as deep as a binary one; its entries move into a hole rather than
/// being swapped. A pop leaves the hole at the root, for the push that usually follows to fill: one descent in place
/// of two. Both are why events must be `Copy`; keep them small.
///
/// A pop and the push that follows it, with 16-byte events, beside `std::collections::BinaryHeap` in the same order, on a
/// cloud Xeon (`cargo bench -p tradewind-des`; the host's speed drifts by half, the ratio does not):
///
/// | pending | this queue | `BinaryHeap` |
/// |---|---|---|
/// | 1 | 11 ns | 7 ns |
/// | 16 | 24 ns | 27 ns |
/// | 64 | 26 ns | 34 ns |
/// | 256 | 30 ns | 41 ns |
/// | 1 024 | 35 ns | 51 ns |
/// | 4 096 | 43 ns | 67 ns |
pub struct EventQueue<E> {
    /// The children of entry `i` are the entries from `4 i + 1` to `4 i + 4`, none of them before it.
    heap: Vec<Entry<E>>,
    /// The first entry has been popped and holds the place of the next push.
    vacant: bool,
    /// What the next push gets.
    sequence: u32,
}

#[derive(Clone, Copy)]
struct Entry<E> {
    at: Time,
    tie: u32,
    sequence: u32,
    event: E,
}

impl<E> Entry<E> {
    /// Time, tie and sequence as one number: comparing it takes no branch.
    #[inline]
    fn key(&self) -> u128 {
        u128::from(self.at.as_femtoseconds()) << 64 | u128::from(self.tie) << 32 | u128::from(self.sequence)
    }
}

impl<E: Copy> EventQueue<E> {
    /// Nothing to come.
    pub const fn new() -> Self {
        Self { heap: Vec::new(), vacant: false, sequence: 0 }
    }

    /// Something will happen at `at`. Among simultaneous events the lower `tie` comes first, then the earlier push.
    #[inline]
    pub fn push(&mut self, at: Time, tie: u32, event: E) {
        let entry = Entry { at, tie, sequence: self.number(), event };
        if mem::take(&mut self.vacant) {
            self.sink(entry);
        } else {
            self.heap.push(entry);
            self.rise(entry);
        }
    }

    /// What happens next, and when.
    #[inline]
    pub fn pop(&mut self) -> Option<(Time, E)> {
        self.close();
        let first = self.heap.first()?;
        self.vacant = true;
        Some((first.at, first.event))
    }

    /// What [`pop`](Self::pop) would return, in constant time.
    #[inline]
    pub fn peek(&self) -> Option<(Time, &E)> {
        let first = if self.vacant { self.least_child(0)? } else { 0 };
        self.heap.get(first).map(|entry| (entry.at, &entry.event))
    }

    /// When something happens next, in constant time.
    #[inline]
    pub fn next_time(&self) -> Option<Time> {
        self.peek().map(|(at, _)| at)
    }

    /// All things to come, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = &E> {
        self.heap[usize::from(self.vacant)..].iter().map(|entry| &entry.event)
    }

    /// How many things are to come.
    pub fn len(&self) -> usize {
        self.heap.len() - usize::from(self.vacant)
    }

    /// Whether nothing is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Moves `entry`, the last, up to its place.
    #[inline]
    fn rise(&mut self, entry: Entry<E>) {
        let mut hole = self.heap.len() - 1;
        while hole > 0 {
            let parent = (hole - 1) / ARITY;
            if self.heap[parent].key() < entry.key() {
                break;
            }
            self.heap[hole] = self.heap[parent];
            hole = parent;
        }
        self.heap[hole] = entry;
    }

    /// Moves `entry` from the root, which is free, down to its place.
    #[inline]
    fn sink(&mut self, entry: Entry<E>) {
        let mut hole = 0;
        while let Some(child) = self.least_child(hole) {
            if entry.key() < self.heap[child].key() {
                break;
            }
            self.heap[hole] = self.heap[child];
            hole = child;
        }
        self.heap[hole] = entry;
    }

    /// Which child of `parent` comes first, if it has any.
    #[inline]
    fn least_child(&self, parent: usize) -> Option<usize> {
        let first = ARITY * parent + 1;
        let Some([a, b, c, d]) = self.heap.get(first..first + ARITY) else {
            return (first..self.heap.len()).min_by_key(|&child| self.heap[child].key());
        };
        let left = if b.key() < a.key() { (b.key(), first + 1) } else { (a.key(), first) };
        let right = if d.key() < c.key() { (d.key(), first + 3) } else { (c.key(), first + 2) };
        Some(if right.0 < left.0 { right.1 } else { left.1 })
    }

    /// Fills the hole that a pop left with the last entry.
    #[inline]
    fn close(&mut self) {
        if !mem::take(&mut self.vacant) {
            return;
        }
        let last = self.heap.pop().expect("a vacant root is an entry");
        if !self.heap.is_empty() {
            self.sink(last);
        }
    }

    #[inline]
    fn number(&mut self) -> u32 {
        if self.sequence == u32::MAX {
            self.renumber();
        }
        self.sequence += 1;
        self.sequence - 1
    }

    /// Numbers the entries anew from zero, in their order: 32 bits would not last a long run.
    #[cold]
    fn renumber(&mut self) {
        self.close();
        // A sorted array is a heap.
        self.heap.sort_unstable_by_key(Entry::key);
        self.sequence = 0;
        for entry in &mut self.heap {
            entry.sequence = self.sequence;
            self.sequence += 1;
        }
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

    /// The queue without the cleverness: a list, searched.
    #[derive(Default)]
    struct Reference(Vec<(Time, u32, usize)>);

    impl Reference {
        fn pop(&mut self) -> Option<(Time, usize)> {
            // The first of several least ones, so equals come in order of insertion.
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

        /// `None` pops, in any interleaving with pushes and looks; pushes may be earlier than what was popped.
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
