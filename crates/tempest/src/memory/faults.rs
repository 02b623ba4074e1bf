//! The threads that wait for each block, the accesses that are granted and not done yet, and the prefetches under way.
//!
//! A node keeps its waiting threads in short lists, by block and in order of arrival. Each list has a lock of its own.
//! A handler looks at a list when it serves a block or takes a right away. Most lists are empty, so a reader learns
//! without the lock whether a list is.
//!
//! # Prefetches
//!
//! A prefetch is a fault for which no thread waits. A later fault joins the prefetch. A prefetch pins nothing: a
//! handler may take the right that it brings away before any thread has used the right. The node drops a prefetch for
//! which there is no room.
//!
//! Prefetches under way stand in sets of words, one word each. A thread takes a free word; the handler that serves the block clears it,
//! under the key of the block. A thread joins a prefetch if it has enlisted itself and then finds the word; the handler clears the word
//! and then looks for enlisted threads. Each passes a fence between the two. So either the thread finds no word, and
//! tells the protocol itself, or the handler finds the thread. Both may happen: then the thread is served, and the
//! protocol is told of a fault that it finds served.
//!
//! This module must never know tags; it names only the atomics, locks and sizes of `sync`, so that a model checker runs
//! it as it is.

use crate::sync::{
    AtomicU64, AtomicUsize, FAULT_LISTS, Mutex, MutexGuard, Ordering, PoisonError, fence, mutated,
};
use crate::{Block, Right, Waiter};

/// The number of words of a set of prefetches: each word has room for one prefetch. All sets together bound the number
/// of requests to other nodes that threads can make without waiting.
pub(super) const WAYS: usize = 4;

/// An access to shared memory that faulted and is not done yet.
#[derive(Clone, Copy, Debug)]
struct Access {
    block: Block,
    wants: Right,
    /// The right to resume the thread that made the access.
    waiter: Waiter,
    /// Whether the thread has been resumed and has not done the access yet.
    granted: bool,
}

impl Access {
    fn waits_for(&self, block: Block) -> bool {
        self.block == block && !self.granted
    }

    /// Whether the protocol, when it serves this access, brings at least the right `wants` to `block`.
    fn covers(&self, block: Block, wants: Right) -> bool {
        self.waits_for(block) && self.wants >= wants
    }
}

/// The access faults of a node by block: waiting threads, granted accesses that are not done yet, and prefetches.
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
    /// Enlists the thread of `waiter`, whose access to `block` needs the right `wants`. Returns true if no fault and no
    /// prefetch under way is known to bring that right: the caller then raises an event that tells the protocol. The
    /// protocol serves later threads together with the first.
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

    /// Notes a prefetch of the right `wants` to `block`. Returns true if the caller has to raise an event that tells
    /// the protocol. Returns false if the right is under way already, or there is no room for another prefetch.
    pub(super) fn prefetch(&self, block: Block, wants: Right) -> bool {
        let (list, set) = (self.list(block), self.set(block));
        let awaited = !list.is_empty() && list.lock().iter().any(|other| other.covers(block, wants));
        !awaited && !set.covers(block, wants) && set.add(block, wants)
    }

    /// Grants the access of the next thread that waits for `block` and needs no more than `right`, and returns the
    /// thread's waiter. Returns `None` if no such thread waits. Ends the prefetches of the block that need no more than
    /// `right`.
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

    /// Records that the thread with the index `thread` has done its access to `block`. Returns true if no granted
    /// access to the block is outstanding any more.
    ///
    /// The thread matters: a thread that was resumed by mistake withdraws its own fault, not the access that another
    /// thread was granted.
    pub(super) fn done(&self, block: Block, thread: u32) -> bool {
        self.list(block).change(|list| {
            list.retain(|access| access.block != block || access.waiter.thread != thread);
            !is_pinned(list, block)
        })
    }

    /// Whether a thread has been granted an access to any of `blocks` and has not done it yet.
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

/// The index of the list of faults, and of the set of prefetches, of a block. Several blocks have the same index.
fn place(block: Block) -> usize {
    block.0 as usize % FAULT_LISTS
}

/// Whether `list` has an access to `block` that has been granted and is not done yet.
fn is_pinned(list: &[Access], block: Block) -> bool {
    list.iter().any(|access| access.block == block && access.granted)
}

/// The access faults of all blocks that share this list, in order of arrival.
#[derive(Default, Debug)]
struct List {
    accesses: Mutex<Vec<Access>>,
    /// The number of accesses in the list. A reader that finds 0 needs no lock.
    count: AtomicUsize,
}

impl List {
    /// Whether the list has no access. The call sees every fault that was enlisted before it in happens-before order:
    /// the count falls only when an access is done, and a reader of the lower count acquires that access.
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

/// The prefetches under way of all blocks that share this set. Each word is empty, or encodes a block and the wanted
/// right.
#[derive(Default, Debug)]
struct Set([AtomicU64; WAYS]);

/// A word of a set that holds no prefetch.
const NONE: u64 = 0;

/// Encodes a prefetch of the right `wants` to `block` as a word of a set.
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

    /// Notes a prefetch of the right `wants` to `block`. Returns false, and notes nothing, if the set has no empty
    /// word.
    fn add(&self, block: Block, wants: Right) -> bool {
        let word = word(block, wants);
        self.0.iter().any(|held| {
            held.load(Ordering::Relaxed) == NONE
                && held.compare_exchange(NONE, word, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        })
    }

    /// Forgets the prefetches of `block` that need no more than `right`. Returns whether there was any. The caller
    /// holds the block's key, so no other handler forgets these prefetches meanwhile.
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
