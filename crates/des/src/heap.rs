//! A heap of things in an order given with each of them.
//!
//! A node of the heap has four children, so the heap is half as deep as a binary one. Entries move into a hole instead of being
//! swapped. Entries are copied at each move and should be small.
//!
//! This module must never know what an order or a thing means.

/// Children of a node of the heap.
const ARITY: usize = 4;

/// A thing and its place in the order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<K, E> {
    pub(crate) key: K,
    pub(crate) thing: E,
}

/// Things, the first of which can be taken. Things of equal keys come in any order.
#[derive(Clone, Debug)]
pub(crate) struct Heap<K, E> {
    /// The children of entry `i` are the entries from `4 i + 1` to `4 i + 4`, none of them before it.
    entries: Vec<Entry<K, E>>,
}

impl<K, E> Heap<K, E> {
    /// An empty heap.
    pub(crate) const fn new() -> Self {
        Self { entries: Vec::new() }
    }

    /// The number of things.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing is in it.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All things, in no particular order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &E> {
        self.entries.iter().map(|entry| &entry.thing)
    }
}

impl<K: Copy + Ord, E: Copy> Heap<K, E> {
    /// Adds a thing.
    #[inline]
    pub(crate) fn push(&mut self, entry: Entry<K, E>) {
        let mut hole = self.entries.len();
        self.entries.push(entry);
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

    /// Removes and returns the first thing, with its key.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Entry<K, E>> {
        let last = self.entries.pop()?;
        let Some(&first) = self.entries.first() else { return Some(last) };
        self.sink(last);
        Some(first)
    }

    /// Gives the things new keys, which must have the same order. The things get them in their order.
    pub(crate) fn rekey(&mut self, mut key: impl FnMut(K) -> K) {
        // A sorted array is a heap.
        self.entries.sort_unstable_by_key(|entry| entry.key);
        self.entries.iter_mut().for_each(|entry| entry.key = key(entry.key));
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
