//! A queue of entries in the order of their keys. The room's other queues are made of it.
//!
//! The next entries stand in a row, in order. The entries after them are in a heap. So the next entry is taken from the
//! front of the row, an entry that comes soon moves few others, and a caller can look some entries ahead. The row is
//! filled up from the heap when it gets short. If entries are very many, the last are in [bands](crate::bands) behind
//! the heap.
//!
//! This module must never know the meaning of an order or an entry.

use std::collections::BinaryHeap;

use crate::bands::{Bands, TAKEN};
use crate::entry::Entry;

/// The most entries that stand in the row.
const ROW: usize = 32;

/// The entries that stand in the row when it has been filled up, or when it was too long.
const FILLED: usize = 16;

/// The length at which the row is filled up. At least this many entries can be seen ahead.
const SHORT: usize = 8;

/// The length from which on a row is long: a push then looks whether fewer entries stand before its place or behind.
const LONG: usize = 8;

/// Entries in the order of their keys. Entries of equal keys come in any order. It is one line of a host's cache.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Queue<K, E> {
    /// The row, from `head` on. The entries before that have been taken.
    row: Vec<Entry<K, E>>,
    head: usize,
    /// The entries after the row. Each comes after all entries of the row, and there are none if the row is empty.
    later: BinaryHeap<Entry<K, E>>,
    /// The entries after the heap, of which there are none if the heap is empty; `None` before there are any.
    last: Option<Box<Bands<K, E>>>,
}

impl<K, E> Queue<K, E> {
    /// An empty queue.
    pub(crate) const fn new() -> Self
    where
        K: Ord,
    {
        Self { row: Vec::new(), head: 0, later: BinaryHeap::new(), last: None }
    }

    /// The number of entries.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.row.len() - self.head + self.later.len() + self.last.as_ref().map_or(0, |last| last.len())
    }

    /// All entries, in no particular order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &E> {
        let last = self.last.iter().flat_map(|last| last.iter());
        self.row[self.head..].iter().chain(&self.later).chain(last).map(|entry| &entry.thing)
    }
}

impl<K: Copy + Ord, E: Copy> Queue<K, E> {
    /// Adds an entry.
    #[inline(always)]
    pub(crate) fn push(&mut self, key: K, thing: E) {
        let has_room = || self.row.len() < self.row.capacity() && self.row.len() - self.head < ROW;
        if self.row.last().is_none_or(|last| last.key < key) && self.later.is_empty() && has_room() {
            self.row.push(Entry { key, thing });
        } else {
            self.push_among(Entry { key, thing });
        }
    }

    /// Adds an entry that comes before others, or for which the row has no room.
    #[inline(never)]
    fn push_among(&mut self, entry: Entry<K, E>) {
        if !self.later.is_empty() && self.row.last().is_some_and(|last| last.key < entry.key) {
            if self.last.is_some() || self.later.len() >= TAKEN {
                return self.push_to_many(entry);
            }
            return self.later.push(entry);
        }
        if self.comes_early(&entry.key) {
            self.move_down(&entry);
        } else {
            self.move_up(&entry);
        }
        if self.row.len() - self.head > ROW {
            self.shorten();
        }
    }

    /// Whether an entry of this key comes before more entries of a long row than behind, and a place before the first entry is free.
    #[inline]
    fn comes_early(&self, key: &K) -> bool {
        let stand = self.row.len() - self.head;
        let middle = self.head + stand / 2;
        stand >= LONG && self.head > 0 && self.row.get(middle).is_some_and(|other| *key < other.key)
    }

    /// Adds an entry before which few others stand in the row. These move one place towards the front.
    #[inline]
    fn move_down(&mut self, entry: &Entry<K, E>) {
        self.head -= 1;
        let Some((mut free, behind)) = self.row[self.head..].split_first_mut() else { return };
        for other in behind {
            if other.key >= entry.key {
                break;
            }
            *free = *other;
            free = other;
        }
        *free = *entry;
    }

    /// Adds an entry behind which few others stand in the row. These move one place towards the end.
    #[inline]
    fn move_up(&mut self, entry: &Entry<K, E>) {
        if self.row.len() == self.row.capacity() {
            self.make_room();
        }
        match self.row.last() {
            Some(&last) if last.key >= entry.key => self.row.push(last),
            _ => return self.row.push(*entry),
        }
        let [before @ .., free, _] = &mut self.row[self.head..] else { return };
        let mut free = free;
        for other in before.iter_mut().rev() {
            if other.key < entry.key {
                break;
            }
            *free = *other;
            free = other;
        }
        *free = *entry;
    }

    /// Removes and returns the first entry, with its key.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<(K, E)> {
        let first = *self.row.get(self.head)?;
        self.head += 1;
        if self.row.len() - self.head < SHORT && !self.later.is_empty() {
            self.fill();
        }
        if self.head == self.row.len() {
            self.row.clear();
            self.head = 0;
        }
        Some((first.key, first.thing))
    }

    /// Gives the entry of the key `from` the later key `to`. Returns whether it has. It has not if the entry stands
    /// behind the row, or would have to.
    #[inline]
    pub(crate) fn postpone(&mut self, from: K, to: K) -> bool {
        let row = &mut self.row[self.head..];
        let leaves_row = !self.later.is_empty() && row.last().is_some_and(|last| last.key < to);
        let Some(mut place) = row.iter().position(|entry| entry.key == from).filter(|_| !leaves_row) else {
            return false;
        };
        let thing = row[place].thing;
        while let Some(next) = row.get(place + 1).copied().filter(|next| next.key < to) {
            row[place] = next;
            place += 1;
        }
        row[place] = Entry { key: to, thing };
        true
    }

    /// The first entry and its key, in constant time.
    #[inline]
    pub(crate) fn first(&self) -> Option<(K, &E)> {
        self.nth(0)
    }

    /// The entry at index `ahead`, and its key, in constant time. `None` if there is none, or if it stands behind the
    /// row. The first [`SHORT`] entries stand in the row.
    #[inline]
    pub(crate) fn nth(&self, ahead: usize) -> Option<(K, &E)> {
        self.row.get(self.head + ahead).map(|entry| (entry.key, &entry.thing))
    }

    /// The first entry, as it stands in memory.
    pub(crate) fn front(&self) -> Option<&Entry<K, E>> {
        self.row.get(self.head)
    }

    /// The last entry of the row, as it stands in memory.
    pub(crate) fn back(&self) -> Option<&Entry<K, E>> {
        self.row.last()
    }

    /// Makes room for another entry in the row: drops the taken entries if they are many, or else reserves memory.
    #[inline(never)]
    fn make_room(&mut self) {
        if 2 * self.head > self.row.len() {
            self.row.drain(..self.head);
            self.head = 0;
        } else {
            self.row.reserve(1);
        }
    }

    /// Fills the row up from the heap.
    #[inline(never)]
    fn fill(&mut self) {
        self.row.drain(..self.head);
        self.head = 0;
        while self.row.len() < FILLED
            && let Some(entry) = self.later.pop()
        {
            self.row.push(entry);
        }
        if self.later.is_empty() {
            self.bring_near();
        }
    }

    /// Brings the soonest entries from behind the empty heap into it.
    fn bring_near(&mut self) {
        if let Some(things) = self.last.as_mut().and_then(|last| last.take_soonest()) {
            self.later = things.into();
        }
    }

    /// Adds an entry behind the row, when very many entries are there.
    #[inline(never)]
    fn push_to_many(&mut self, entry: Entry<K, E>) {
        let last = self.last.get_or_insert_with(|| Box::new(Bands::new()));
        if last.push(entry) {
            return;
        }
        self.later.push(entry);
        if self.later.len() > TAKEN {
            self.later = last.push_before(std::mem::take(&mut self.later).into_vec()).into();
        }
    }

    /// Moves the last entries of a row that is too long into the heap.
    #[inline(never)]
    fn shorten(&mut self) {
        let last = self.row.drain(self.head + FILLED..);
        last.for_each(|entry| self.later.push(entry));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn few_things_and_many_come_in_the_order_of_their_keys(
            steps in proptest::collection::vec((0_u64..3, 0_u64..1000), 0..400)
        ) {
            // The queue grows over the longest row, and shrinks again.
            let (mut queue, mut plain) = (Queue::new(), std::collections::BTreeMap::<(u64, usize), u64>::new());
            let half = steps.len() / 2;
            for (number, (what, at)) in steps.into_iter().enumerate() {
                if number % 5 == 1
                    && let Some(&from) = plain.keys().nth(at as usize % 7)
                    && queue.postpone(from, (from.0 + 1 + at, 1000 + number))
                {
                    let postponed = plain.remove(&from).expect("it is there");
                    plain.insert((from.0 + 1 + at, 1000 + number), postponed);
                }
                let pushes = if number < half { what > 0 } else { what == 0 };
                if pushes {
                    queue.push((at, number), at);
                    plain.insert((at, number), at);
                } else {
                    prop_assert_eq!(queue.pop(), plain.pop_first());
                }
                for (ahead, (&key, thing)) in plain.iter().enumerate().take(SHORT) {
                    prop_assert_eq!(queue.nth(ahead), Some((key, thing)));
                }
                prop_assert_eq!(queue.first().is_none(), plain.is_empty());
                prop_assert_eq!(queue.len(), plain.len());
                prop_assert_eq!(queue.iter().sum::<u64>(), plain.values().sum::<u64>());
            }
        }
    }
}
