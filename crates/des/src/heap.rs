//! A heap of things in an order given with each of them. The room's queues are made of it.
//!
//! Few things stand in order, the first of them at the end: a pop takes the end, and a push moves what comes before the new
//! thing. Many things are a heap. A node of the heap has four children, so the heap is half as deep as a binary one. Entries move
//! into a hole instead of being swapped. Entries are copied at each move and should be small.
//!
//! This module must never know what an order or a thing means.

/// Children of a node of the heap.
const ARITY: usize = 4;

/// The most things that stand in order. A heap of half as many becomes a row again.
const FEW: usize = 16;

/// A thing and its place in the order.
#[derive(Clone, Copy, Debug)]
struct Entry<K, E> {
    key: K,
    thing: E,
}

/// Things in the order of their keys. The caller sees to it that no two keys are equal.
#[derive(Clone, Debug)]
pub(crate) struct Heap<K, E> {
    /// Few entries stand in a row, the last first. Of many, the children of entry `i` are the entries from `4 i + 1` to
    /// `4 i + 4`, none of them before it.
    entries: Vec<Entry<K, E>>,
    many: bool,
}

impl<K, E> Heap<K, E> {
    /// An empty heap.
    pub(crate) const fn new() -> Self {
        Self { entries: Vec::new(), many: false }
    }

    /// The number of things.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// All things, in no particular order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &E> {
        self.entries.iter().map(|entry| &entry.thing)
    }
}

impl<K: Copy + Ord, E: Copy> Heap<K, E> {
    /// Adds a thing.
    #[inline]
    pub(crate) fn push(&mut self, key: K, thing: E) {
        let entry = Entry { key, thing };
        if !self.many && self.entries.len() == FEW {
            // A sorted array is a heap.
            self.entries.reverse();
            self.many = true;
        }
        self.entries.push(entry);
        if self.many {
            self.rise(entry);
        } else {
            self.step_back(entry);
        }
    }

    /// Removes and returns the first thing, with its key.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<(K, E)> {
        let last = self.entries.pop()?;
        let first = if self.many { self.pop_of_many(last) } else { last };
        Some((first.key, first.thing))
    }

    fn pop_of_many(&mut self, last: Entry<K, E>) -> Entry<K, E> {
        let first = self.entries[0];
        self.sink(last);
        if self.entries.len() <= FEW / 2 {
            self.entries.sort_unstable_by_key(|entry| std::cmp::Reverse(entry.key));
            self.many = false;
        }
        first
    }

    /// The first thing and its key, in constant time.
    #[inline]
    pub(crate) fn first(&self) -> Option<(K, &E)> {
        let first = if self.many { self.entries.first() } else { self.entries.last() };
        first.map(|entry| (entry.key, &entry.thing))
    }

    /// Gives the things new keys, which must have the same order.
    pub(crate) fn rekey(&mut self, mut key: impl FnMut(K) -> K) {
        self.entries.sort_unstable_by_key(|entry| entry.key);
        self.entries.iter_mut().for_each(|entry| entry.key = key(entry.key));
        if !self.many {
            self.entries.reverse();
        }
    }

    /// Moves `entry`, the last of a row, behind all that come before it.
    #[inline]
    fn step_back(&mut self, entry: Entry<K, E>) {
        let mut hole = self.entries.len() - 1;
        while let Some(before) = hole.checked_sub(1).filter(|&before| self.entries[before].key < entry.key) {
            self.entries[hole] = self.entries[before];
            hole = before;
        }
        self.entries[hole] = entry;
    }

    /// Moves `entry`, the last, up to its place.
    #[inline]
    fn rise(&mut self, entry: Entry<K, E>) {
        let mut hole = self.entries.len() - 1;
        while hole > 0 {
            let parent = (hole - 1) / ARITY;
            if self.entries[parent].key < entry.key {
                break;
            }
            self.entries[hole] = self.entries[parent];
            hole = parent;
        }
        self.entries[hole] = entry;
    }

    /// Moves `entry` from the root, which is free, down to its place.
    #[inline]
    fn sink(&mut self, entry: Entry<K, E>) {
        let mut hole = 0;
        while let Some(child) = self.least_child(hole) {
            if entry.key < self.entries[child].key {
                break;
            }
            self.entries[hole] = self.entries[child];
            hole = child;
        }
        self.entries[hole] = entry;
    }

    /// The child of `parent` that comes first, if it has any.
    #[inline]
    fn least_child(&self, parent: usize) -> Option<usize> {
        let first = ARITY * parent + 1;
        let children = self.entries.get(first..)?;
        let children = &children[..children.len().min(ARITY)];
        let (mut least, mut key) = (0, &children.first()?.key);
        for (place, child) in children.iter().enumerate().skip(1) {
            if child.key < *key {
                (least, key) = (place, &child.key);
            }
        }
        Some(first + least)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn few_things_and_many_come_in_the_order_of_their_keys(
            steps in proptest::collection::vec((0_u64..3, 0_u64..1000), 0..300), rekeyed in 0_usize..300,
        ) {
            // The queue grows over both sizes at which its form changes, and shrinks again.
            let (mut heap, mut plain) = (Heap::new(), std::collections::BTreeMap::new());
            let half = steps.len() / 2;
            for (number, (what, at)) in steps.into_iter().enumerate() {
                if number == rekeyed {
                    heap.rekey(|(at, number)| (2 * at, number));
                    plain = plain.into_iter().map(|((at, number), thing)| ((2 * at, number), thing)).collect();
                }
                let pushes = if number < half { what > 0 } else { what == 0 };
                if pushes {
                    heap.push((at, number), at);
                    plain.insert((at, number), at);
                } else {
                    prop_assert_eq!(heap.pop(), plain.pop_first());
                }
                prop_assert_eq!(heap.first(), plain.first_key_value().map(|(&key, thing)| (key, thing)));
                prop_assert_eq!(heap.len(), plain.len());
                prop_assert_eq!(heap.iter().sum::<u64>(), plain.values().sum::<u64>());
            }
        }
    }
}
