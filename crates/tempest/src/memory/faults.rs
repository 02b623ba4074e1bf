//! The threads that wait for each block, and the accesses that are granted and not done yet.
//!
//! All of it is under one lock, taken only where an access faults and where a fault is served. A node has at
//! most as many faults as threads, and mostly one or none, so a list in order of arrival serves best. This
//! module must never know tags; it names no atomic and no lock but those of `sync`, so that models run it as
//! it is.

use crate::sync::{AtomicUsize, Mutex, MutexGuard, Ordering, PoisonError, mutated};
use crate::{Block, Right, Waiter};

/// An access that faulted.
#[derive(Clone, Copy, Debug)]
struct Access {
    block: Block,
    wants: Right,
    waiter: Waiter,
    /// Whether the thread has been resumed and has not done the access yet.
    granted: bool,
}

impl Access {
    fn waits_for(&self, block: Block) -> bool {
        self.block == block && !self.granted
    }
}

/// The faults of a node, including granted ones.
#[derive(Default, Debug)]
pub(super) struct Faults {
    list: Mutex<Vec<Access>>,
    /// The number of faults. A reader that finds 0 needs no lock.
    outstanding: AtomicUsize,
}

impl Faults {
    /// Enlists a thread. Returns true if no enlisted thread waits for this right yet, so that an event has to
    /// tell the protocol; later threads are served together with the first.
    pub(super) fn enlist(&self, block: Block, wants: Right, waiter: Waiter) -> bool {
        self.change(|list| {
            let first = !list.iter().any(|other| other.waits_for(block) && other.wants >= wants);
            list.push(Access { block, wants, waiter, granted: false });
            first
        })
    }

    /// Grants the access of the next thread that `right` serves, and returns the thread.
    pub(super) fn serve(&self, block: Block, right: Right) -> Option<Waiter> {
        if self.is_empty() {
            return None;
        }
        let mut list = self.lock();
        let served = list.iter_mut().find(|access| access.waits_for(block) && access.wants <= right)?;
        served.granted = true;
        Some(served.waiter)
    }

    /// Records that a thread has done its access. Returns true if no granted access of the block is
    /// outstanding any more.
    ///
    /// The thread matters: one that was resumed by mistake withdraws its own fault, not the access that
    /// another thread was granted.
    pub(super) fn done(&self, block: Block, thread: u32) -> bool {
        self.change(|list| {
            list.retain(|access| access.block != block || access.waiter.thread != thread);
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

    /// Whether there is no fault whose access is not done. A fault that was enlisted before, in happens-before
    /// order, is seen: the count falls only when an access is done, and a reader of the lower count acquires
    /// that.
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
