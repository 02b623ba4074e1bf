//! The threads that wait for another node to change a word: each waits until this node loses the word's block.
//!
//! # No missed change
//!
//! A thread enlists itself under the block's key, after it has read the word once more under that key. A
//! right is taken away under that key too. So either the thread has read the new value, or it is enlisted and
//! is resumed. The entries of a block change only under its key: the holder of the key sees at least that
//! block's entries in `enlisted`, and finds out with one relaxed load that no thread watches.
//!
//! This module must never know the value that a thread waits for.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::{Block, Waiter};

/// The threads of a node that wait until the node loses its right to a block.
#[derive(Default, Debug)]
pub(super) struct Watchers {
    list: Mutex<Vec<(Block, Waiter)>>,
    /// The number of entries of the list. A reader that finds 0 needs no lock.
    enlisted: AtomicUsize,
}

impl Watchers {
    /// Enlists the thread of `waiter`, which waits until the node loses its right to `block`. The caller holds the
    /// block's key.
    pub(super) fn enlist(&self, block: Block, waiter: Waiter) {
        self.change(|list| list.push((block, waiter)));
    }

    /// Removes and returns the threads that wait until the node loses its right to any of `blocks`, in order of
    /// arrival. The caller holds the blocks' key.
    pub(super) fn take(&self, blocks: &RangeInclusive<Block>) -> Vec<Waiter> {
        if self.enlisted.load(Ordering::Relaxed) == 0 {
            return Vec::new();
        }
        self.change(|list| {
            list.extract_if(.., |(block, _)| blocks.contains(block)).map(|(_, waiter)| waiter).collect()
        })
    }

    fn change<R>(&self, change: impl FnOnce(&mut Vec<(Block, Waiter)>) -> R) -> R {
        // Nothing that can panic runs under the lock.
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        let result = change(&mut list);
        self.enlisted.store(list.len(), Ordering::Relaxed);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_who_watch_a_block_are_taken_once_and_others_stay() {
        let watchers = Watchers::default();
        let waiter = |thread| Waiter { thread, generation: 0 };
        for (block, thread) in [(3, 0), (4, 1), (3, 2)] {
            watchers.enlist(Block(block), waiter(thread));
        }
        assert_eq!(watchers.take(&(Block(3)..=Block(3))), [waiter(0), waiter(2)]);
        assert_eq!(watchers.take(&(Block(3)..=Block(3))), []);
        assert_eq!(watchers.take(&(Block(0)..=Block(9))), [waiter(1)]);
        assert_eq!(watchers.enlisted.load(Ordering::Relaxed), 0);
    }
}
