//! The threads that wait for each block, the accesses that are granted and not done yet, and the blocks that are prefetched.
//!
//! All of it is under one lock, taken only where an access faults, where a block is prefetched and where a fault is served. A node
//! has at most as many faults as threads, and mostly one or none, and few prefetches, so a list in order of arrival serves best.
//!
//! A prefetch is a fault for which no thread waits. A later fault joins it, and it pins nothing: the right that it brings may be
//! taken away before anybody has used it. A prefetch for which there is no room is dropped. This
//! module must never know tags; it names no atomic and no lock but those of `sync`, so that models run it as
//! it is.

use crate::sync::{AtomicUsize, Mutex, MutexGuard, Ordering, PoisonError, mutated};
use crate::{Block, Right, Waiter};

/// The most prefetches of a node that are under way. It bounds what a thread that never waits can ask of other nodes.
pub(super) const PREFETCHES: usize = 32;

/// An access that faulted, or a prefetch.
#[derive(Clone, Copy, Debug)]
struct Access {
    block: Block,
    wants: Right,
    /// The thread that waits; none waits for a prefetch.
    waiter: Option<Waiter>,
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

    fn is_of(&self, thread: u32) -> bool {
        self.waiter.is_some_and(|waiter| waiter.thread == thread)
    }

    /// Whether it is a prefetch that `right` serves.
    fn is_fetched_by(&self, block: Block, right: Right) -> bool {
        self.waiter.is_none() && self.block == block && self.wants <= right
    }
}

/// The faults of a node, including granted ones and prefetches.
#[derive(Default, Debug)]
pub(super) struct Faults {
    list: Mutex<Vec<Access>>,
    /// The number of faults and prefetches. A reader that finds 0 needs no lock.
    outstanding: AtomicUsize,
}

impl Faults {
    /// Enlists a thread. Returns true if no enlisted thread waits for this right yet, so that an event has to
    /// tell the protocol; later threads are served together with the first.
    pub(super) fn enlist(&self, block: Block, wants: Right, waiter: Waiter) -> bool {
        self.change(|list| {
            let first = !list.iter().any(|other| other.covers(block, wants));
            list.push(Access { block, wants, waiter: Some(waiter), granted: false });
            first
        })
    }

    /// Enlists a prefetch. Returns true if an event has to tell the protocol of it: not if this right is under way already, nor if
    /// there is no room for another prefetch.
    pub(super) fn prefetch(&self, block: Block, wants: Right) -> bool {
        self.change(|list| {
            let under_way = list.iter().any(|other| other.covers(block, wants));
            let prefetches = list.iter().filter(|access| access.waiter.is_none()).count();
            let goes = !under_way && prefetches < PREFETCHES;
            if goes {
                list.push(Access { block, wants, waiter: None, granted: false });
            }
            goes
        })
    }

    /// Grants the access of the next thread that `right` serves, and returns the thread. Prefetches that `right` serves are done.
    pub(super) fn serve(&self, block: Block, right: Right) -> Option<Waiter> {
        if self.is_empty() {
            return None;
        }
        self.change(|list| {
            list.retain(|access| mutated!("prefetch-stays") || !access.is_fetched_by(block, right));
            let served = list.iter_mut().find(|access| access.waits_for(block) && access.wants <= right)?;
            served.granted = true;
            served.waiter
        })
    }

    /// Records that a thread has done its access. Returns true if no granted access of the block is
    /// outstanding any more.
    ///
    /// The thread matters: one that was resumed by mistake withdraws its own fault, not the access that
    /// another thread was granted.
    pub(super) fn done(&self, block: Block, thread: u32) -> bool {
        self.change(|list| {
            list.retain(|access| access.block != block || !access.is_of(thread));
            !is_pinned(list, block)
        })
    }

    /// Whether a granted access of any of the blocks is not done yet.
    pub(super) fn pins_any_of(&self, mut blocks: impl Iterator<Item = Block>) -> bool {
        !mutated!("grant-forgotten") && !self.is_empty() && {
            let list = self.lock();
            blocks.any(|block| is_pinned(&list, block))
        }
    }

    /// Whether there is no fault whose access is not done, and no prefetch. A fault that was enlisted before, in happens-before
    /// order, is seen: the count falls only when an access is done or a prefetch is served, and a reader of the lower count
    /// acquires that.
    #[inline]
    fn is_empty(&self) -> bool {
        self.outstanding.load(Ordering::Acquire) == 0
    }

    fn change<R>(&self, change: impl FnOnce(&mut Vec<Access>) -> R) -> R {
        let mut list = self.lock();
        let result = change(&mut list);
        self.outstanding.store(list.len(), Ordering::Release);
        result
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Access>> {
        // Nothing that can panic runs under the lock.
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a granted access of the block is not done yet.
fn is_pinned(list: &[Access], block: Block) -> bool {
    list.iter().any(|access| access.block == block && access.granted)
}
