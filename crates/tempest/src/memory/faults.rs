//! The access faults of a node: the threads that wait for each block, the accesses that are granted and not done yet,
//! and the prefetches under way.
//!
//! Waiting threads are in short lists by block, each under a lock of its own and in order of arrival. A handler looks
//! at a list when it serves a block or takes a right away. Lists are mostly empty, so a list tells without its lock
//! whether it is empty.
//!
//! # Prefetches
//!
//! A prefetch is a fault for which no thread waits. A later fault joins it. A prefetch pins nothing: the right that it
//! brings may be taken away before any thread has used it. A prefetch for which there is no room is dropped.
//!
//! Prefetches under way are recorded in sets of words, one word each. A thread takes a free word; the handler that
//! serves the block clears it, under the key of the block. A thread joins a prefetch if it has enlisted itself and then
//! finds the prefetch's word; the handler clears the word and then looks for enlisted threads. Each passes a fence
//! between its two steps. So either the thread does not find the word, and reports its fault to the protocol itself, or
//! the handler finds the thread. Both may happen: then the thread is served, and the protocol receives a fault that has
//! been served already.
//!
//! This module must never know tags. It uses only the atomics, locks and sizes of `sync`, so that a model checker can
//! run it as it is.

use crate::sync::{
    AtomicU64, AtomicUsize, FAULT_LISTS, Mutex, MutexGuard, Ordering, PoisonError, fence, mutated,
};
use crate::{Block, Right, Waiter};

/// Number of prefetches for which a set has room, one word each. All sets together bound the number of requests that
/// threads of this node can make of other nodes without waiting.
pub(super) const WAYS: usize = 4;

/// An access that faulted, and has not been done since.
#[derive(Clone, Copy, Debug)]
struct Access {
    block: Block,
    wants: Right,
    /// The right to resume the thread that waits to do the access.
    waiter: Waiter,
    /// Whether the thread has been resumed and has not done the access yet.
    granted: bool,
}

impl Access {
    fn waits_for(&self, block: Block) -> bool {
        self.block == block && !self.granted
    }

    /// Whether this access waits for `block`, and serving it will bring at least the right `wants`.
    fn covers(&self, block: Block, wants: Right) -> bool {
        self.waits_for(block) && self.wants >= wants
    }
}

/// The faults of a node, including granted ones and prefetches, by block.
#[derive(Debug)]
pub(super) struct Faults {
    lists: Box<[List]>,
    sets: Box<[Set]>,
}

impl Default for Faults {
    fn default() -> Self {
        let lists = (0..FAULT_LISTS).map(|_| List::default()).collect();
        let sets = (0..FAULT_LISTS).map(|_| Set::default()).collect();
        Self { lists, sets }
    }
}

impl Faults {
    /// Enlists the thread of `waiter`, which needs the right `wants` to a block. Returns true if the thread must report
    /// its fault to the protocol: no earlier fault or prefetch is known to bring this right.
    pub(super) fn enlist(&self, block: Block, wants: Right, waiter: Waiter) -> bool {
        let first = self.list(block).change(|list| {
            let first = !list.iter().any(|other| other.covers(block, wants));
            list.push(Access { block, wants, waiter, granted: false });
            first
        });
        if !mutated!("join-without-fence") {
            fence(Ordering::SeqCst);
        }
        first && !self.set(block).covers(block, wants)
    }

    /// Records a prefetch of the right `wants` to a block. Returns true if the thread must report it to the protocol:
    /// this right is not under way already, and there is room for another prefetch.
    pub(super) fn prefetch(&self, block: Block, wants: Right) -> bool {
        let (list, set) = (self.list(block), self.set(block));
        let awaited = !list.is_empty() && list.lock().iter().any(|other| other.covers(block, wants));
        !awaited && !set.covers(block, wants) && set.add(block, wants)
    }

    /// Grants the access of the first thread in the block's list for which `right` is enough, and returns the thread,
    /// if there is one. Removes the block's prefetches for which `right` is enough.
    pub(super) fn serve(&self, block: Block, right: Right) -> Option<Waiter> {
        if self.set(block).remove(block, right) && !mutated!("served-without-fence") {
            fence(Ordering::SeqCst);
        }
        let list = self.list(block);
        if list.is_empty() {
            return None;
        }
        list.change(|list| {
            let served = list.iter_mut().find(|access| access.waits_for(block) && access.wants <= right)?;
            served.granted = true;
            Some(served.waiter)
        })
    }

    /// Records that a thread has done its access to a block. Returns true if no granted access to the block is
    /// outstanding any more.
    ///
    /// Only the access of `thread` is removed: a thread that was resumed by mistake withdraws its own fault, not the
    /// access that another thread was granted.
    pub(super) fn done(&self, block: Block, thread: u32) -> bool {
        self.list(block).change(|list| {
            list.retain(|access| access.block != block || access.waiter.thread != thread);
            !is_pinned(list, block)
        })
    }

    /// Whether a granted access to any of the blocks is not done yet.
    pub(super) fn pins_any_of(&self, mut blocks: impl Iterator<Item = Block>) -> bool {
        !mutated!("grant-forgotten")
            && blocks.any(|block| {
                let list = self.list(block);
                !list.is_empty() && is_pinned(&list.lock(), block)
            })
    }

    fn list(&self, block: Block) -> &List {
        &self.lists[place(block)]
    }

    fn set(&self, block: Block) -> &Set {
        &self.sets[place(block)]
    }
}

/// The index of the list, and of the set, of a block. Other blocks share them.
fn place(block: Block) -> usize {
    block.0 as usize % FAULT_LISTS
}

/// Whether `list` has a granted access to the block that is not done yet.
fn is_pinned(list: &[Access], block: Block) -> bool {
    list.iter().any(|access| access.block == block && access.granted)
}

/// The faulted accesses to all blocks that share this list.
#[derive(Default, Debug)]
struct List {
    accesses: Mutex<Vec<Access>>,
    /// The number of accesses. A reader that finds 0 needs no lock.
    count: AtomicUsize,
}

impl List {
    /// Whether the list is empty. A fault that was enlisted before, in happens-before order, is seen: the count falls
    /// only when an access is done, and the reader acquires that.
    #[inline]
    fn is_empty(&self) -> bool {
        self.count.load(Ordering::Acquire) == 0
    }

    fn change<R>(&self, change: impl FnOnce(&mut Vec<Access>) -> R) -> R {
        let mut list = self.lock();
        let result = change(&mut list);
        self.count.store(list.len(), Ordering::Release);
        result
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Access>> {
        // Nothing that can panic runs under the lock.
        self.accesses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The prefetches under way of all blocks that share this set: each word is [`NONE`], or a block and a right.
#[derive(Default, Debug)]
struct Set([AtomicU64; WAYS]);

/// The value of a word that holds no prefetch.
const NONE: u64 = 0;

/// Encodes a prefetch of the right `wants` to a block as a word.
fn word(block: Block, wants: Right) -> u64 {
    (u64::from(block.0) + 1) << 1 | u64::from(wants == Right::Write)
}

impl Set {
    /// Whether a prefetch under way brings at least the right `wants` to a block.
    #[inline]
    fn covers(&self, block: Block, wants: Right) -> bool {
        let good = word(block, wants)..=word(block, Right::Write);
        self.0.iter().any(|held| good.contains(&held.load(Ordering::Relaxed)))
    }

    /// Records a prefetch of the right `wants` to a block. Returns false if no word is free.
    fn add(&self, block: Block, wants: Right) -> bool {
        let word = word(block, wants);
        self.0.iter().any(|held| {
            held.load(Ordering::Relaxed) == NONE
                && held.compare_exchange(NONE, word, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        })
    }

    /// Removes the prefetches of a block for which `right` is enough. Returns whether there was any. The caller holds
    /// the block's key, so that no other thread removes them at the same time.
    #[inline]
    fn remove(&self, block: Block, right: Right) -> bool {
        let served = word(block, Right::Read)..=word(block, right);
        let mut any = false;
        for held in &self.0 {
            if served.contains(&held.load(Ordering::Relaxed)) {
                if !mutated!("prefetch-stays") {
                    held.store(NONE, Ordering::Relaxed);
                }
                any = true;
            }
        }
        any
    }
}
