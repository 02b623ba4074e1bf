//! The threads that wait for each block, and the accesses that are granted and not done yet.
//!
//! All of it is under one lock, taken only where an access faults and where a fault is served. A node has at
//! most as many faults as threads, and mostly one or none, so a list in order of arrival serves best. This
//! module must never know tags.

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

/// The faults of a node.
#[derive(Default, Debug)]
pub(super) struct Faults(Vec<Access>);

impl Faults {
    /// The number of faults, including granted ones.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Enlists a thread. Returns true if no enlisted thread waits for this right yet, so that an event has to
    /// tell the protocol; later threads are served together with the first.
    pub(super) fn enlist(&mut self, block: Block, wants: Right, waiter: Waiter) -> bool {
        let first = !self.0.iter().any(|other| other.waits_for(block) && other.wants >= wants);
        self.0.push(Access { block, wants, waiter, granted: false });
        first
    }

    /// Grants the access of the next thread that `right` serves, and returns the thread.
    pub(super) fn serve(&mut self, block: Block, right: Right) -> Option<Waiter> {
        let served = self.0.iter_mut().find(|access| access.waits_for(block) && access.wants <= right)?;
        served.granted = true;
        Some(served.waiter)
    }

    /// Records that a thread has done its access. Returns true if no granted access of the block is
    /// outstanding any more.
    ///
    /// The thread matters: one that was resumed by mistake withdraws its own fault, not the access that
    /// another thread was granted.
    pub(super) fn done(&mut self, block: Block, thread: u32) -> bool {
        self.0.retain(|access| access.block != block || access.waiter.thread != thread);
        !self.is_pinned(block)
    }

    /// Whether a granted access of the block is not done yet.
    pub(super) fn is_pinned(&self, block: Block) -> bool {
        self.0.iter().any(|access| access.block == block && access.granted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiter(thread: u32) -> Waiter {
        Waiter { thread, generation: 0 }
    }

    #[test]
    fn threads_that_want_one_block_make_one_event_for_each_right() {
        let mut faults = Faults::default();
        let block = Block(3);
        assert!(faults.enlist(block, Right::Read, waiter(0)));
        assert!(!faults.enlist(block, Right::Read, waiter(1)));
        assert!(faults.enlist(block, Right::Write, waiter(2)), "reading does not serve it");
        assert!(
            !faults.enlist(block, Right::Read, waiter(3)) && !faults.enlist(block, Right::Write, waiter(4))
        );
        assert!(faults.enlist(Block(4), Right::Read, waiter(5)), "another block");
        let serve = |faults: &mut Faults, right| {
            std::iter::from_fn(|| faults.serve(block, right)).map(|waiter| waiter.thread).collect::<Vec<_>>()
        };
        assert_eq!(serve(&mut faults, Right::Read), [0, 1, 3]);
        assert!(faults.is_pinned(block));
        assert!(!faults.done(block, 2), "resumed by mistake, it has nothing");
        assert!(!faults.enlist(block, Right::Write, waiter(2)), "thread 4 waits for the same");
        assert_eq!([0, 3, 1].map(|thread| faults.done(block, thread)), [false, false, true]);
        assert!(!faults.is_pinned(block));
        assert_eq!(serve(&mut faults, Right::Write), [4, 2]);
        assert_eq!([2, 4].map(|thread| faults.done(block, thread)), [false, true]);
        assert_eq!(faults.len(), 1);
    }
}
