//! The threads that wait for each block, the accesses that are granted and not done yet, and the blocks that are prefetched.
//!
//! Threads are in short lists by block, each under a lock of its own and in order of arrival. A list is looked at where a block is
//! served or a right is taken away, and is mostly empty, so it says without its lock whether it is.
//!
//! # Prefetches
//!
//! A prefetch is a fault for which no thread waits. A later fault joins it, and it pins nothing: the right that it
//! brings may be taken away before any thread has used it. A prefetch for which there is no room is dropped.
//!
//! Prefetches under way stand in sets of words, one word each. A thread takes a free word; the handler that serves the block clears it,
//! under the key of the block. A thread joins a prefetch if it has enlisted itself and then finds the word; the handler clears the word
//! and then looks for enlisted threads. Each passes a fence between the two. So either the thread finds no word, and
//! tells the protocol itself, or the handler finds the thread. Both may happen: then the thread is served, and the
//! protocol is told of a fault that it finds served.
//!
//! This module must never know tags; it names only the atomics, locks and sizes of `sync`, so that models run it as
//! it is.

use crate::sync::{
    AtomicU64, AtomicUsize, FAULT_LISTS, Mutex, MutexGuard, Ordering, PoisonError, fence, mutated,
};
use crate::{Block, Right, Waiter};

/// The words of a set of prefetches. All sets together bound the requests that a thread without waits can make of other nodes.
pub(super) const WAYS: usize = 4;

/// An access that faulted.
#[derive(Clone, Copy, Debug)]
struct Access {
    block: Block,
    wants: Right,
    /// The thread that waits.
    waiter: Waiter,
    /// Whether the thread has been resumed and has not done the access yet.
    granted: bool,
}

impl Access {
    fn waits_for(&self, block: Block) -> bool {
        self.block == block && !self.granted
    }

    /// Whether the access brings at least the right `wants`, when it is served.
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
    /// Enlists a thread. Returns true if nothing that is under way is known to bring this right, so that an event has to
    /// tell the protocol; later threads are served together with the first.
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

    /// Notes a prefetch. Returns true if an event has to tell the protocol of it: not if this right is under way already, nor if
    /// there is no room for another prefetch.
    pub(super) fn prefetch(&self, block: Block, wants: Right) -> bool {
        let (list, set) = (self.list(block), self.set(block));
        let awaited = !list.is_empty() && list.lock().iter().any(|other| other.covers(block, wants));
        !awaited && !set.covers(block, wants) && set.add(block, wants)
    }

    /// Grants the access of the next thread that `right` serves, and returns the thread. Prefetches that `right` serves are done.
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

    /// Records that a thread has done its access. Returns true if no granted access of the block is
    /// outstanding any more.
    ///
    /// The thread matters: a thread that was resumed by mistake withdraws its own fault, not the access that another
    /// thread was granted.
    pub(super) fn done(&self, block: Block, thread: u32) -> bool {
        self.list(block).change(|list| {
            list.retain(|access| access.block != block || access.waiter.thread != thread);
            !is_pinned(list, block)
        })
    }

    /// Whether a granted access of any of the blocks is not done yet.
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

/// The number of the list, and of the set, of a block. Others may have it too.
fn place(block: Block) -> usize {
    block.0 as usize % FAULT_LISTS
}

/// Whether a granted access of the block is not done yet.
fn is_pinned(list: &[Access], block: Block) -> bool {
    list.iter().any(|access| access.block == block && access.granted)
}

/// Accesses to some blocks.
#[derive(Default, Debug)]
struct List {
    accesses: Mutex<Vec<Access>>,
    /// The number of accesses. A reader that finds 0 needs no lock.
    count: AtomicUsize,
}

impl List {
    /// Whether there is no fault whose access is not done. A fault that was enlisted before, in happens-before
    /// order, is seen: the count falls only when an access is done, and a reader of the lower count acquires that.
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

/// Prefetches that are under way, of the blocks that fall into this set. Each word is empty, or has a block and the wanted right.
#[derive(Default, Debug)]
struct Set([AtomicU64; WAYS]);

/// A word of a set that holds no prefetch.
const NONE: u64 = 0;

/// The word of a prefetch.
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

    /// Notes a prefetch, if there is room.
    fn add(&self, block: Block, wants: Right) -> bool {
        let word = word(block, wants);
        self.0.iter().any(|held| {
            held.load(Ordering::Relaxed) == NONE
                && held.compare_exchange(NONE, word, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        })
    }

    /// Forgets the prefetches of a block that `right` serves. Returns whether there was any. The caller holds the
    /// block's key, and no other thread forgets them.
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
