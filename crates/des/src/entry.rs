//! An item with its place in an order, as queues keep it.
//!
//! This module must never know the meaning of an order or an item.

use std::cmp::Ordering;

/// An item and its place in the order. The first entry is the greatest, as a heap of the standard library takes the greatest first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<K, E> {
    pub(crate) key: K,
    pub(crate) thing: E,
}

impl<K: Ord, E> Ord for Entry<K, E> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        other.key.cmp(&self.key)
    }
}

impl<K: Ord, E> PartialOrd for Entry<K, E> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    #[inline]
    fn le(&self, other: &Self) -> bool {
        // The heap mostly asks this, and keys can answer it faster than a full comparison.
        other.key <= self.key
    }
}

impl<K: Eq, E> PartialEq for Entry<K, E> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl<K: Eq, E> Eq for Entry<K, E> {}
