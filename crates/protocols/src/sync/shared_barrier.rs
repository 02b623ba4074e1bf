//! A barrier of all threads of all nodes, through shared memory.
//!
//! The threads of a node meet under the barrier's key; the last of them acts for the node. It waits until each node below has raised
//! its flag, raises the node's own flag for the node above, waits to be released, and releases the nodes below: the tree barrier of
//! J. M. Mellor-Crummey and M. L. Scott (*Algorithms for scalable synchronization on shared-memory multiprocessors*, ACM
//! Transactions on Computer Systems 9, 1991). Each flag is on a block of its own, with one writer and one reader, so that there is no
//! contention for a block. Instead of reversing a sense, a flag is raised to the number of the barrier. With fan-in 2 it is the
//! tournament of D. Hensgen, R. Finkel and U. Manber (International Journal of Parallel Programming 17, 1988).

use std::num::NonZeroU32;
use std::sync::Arc;

use tempest::data::BadLayout;
use tempest::{Array, Event, Keyed, Layout, Memory, Operations, Setup, Thread};

use super::flag_tree::FlagTree;
use super::tree::{self, Place};

/// Key of a node's only entry.
const KEY: u64 = 2;

/// Cost of counting one arrival and testing whether it is the last.
const STEP: Operations = Operations::NONE.loads(1).integers(2).stores(1);

/// The memory of a barrier: its part of the address space, reserved by [`SharedBarrier::room`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BarrierRoom(Array<u64>);

/// A barrier of all threads of all nodes through shared memory. It may be used any number of times.
///
/// It sends no messages and needs no installation: [`room`](Self::room) reserves its memory, and [`new`](Self::new) makes it on each node.
#[derive(Debug)]
pub struct SharedBarrier {
    threads: u32,
    tree: FlagTree,
    /// Number of threads of this node that have arrived at the current barrier.
    come: Keyed<u32>,
    /// Event that counts the barriers that are over on this node.
    passed: Event,
}

impl SharedBarrier {
    /// Fan-in of the tree barrier of Mellor-Crummey and Scott: four nodes report to one.
    pub const FAN_IN: NonZeroU32 = tree::FAN_IN;

    /// Reserves the memory of a barrier: a page at each node.
    ///
    /// # Errors
    /// [`BadLayout`] if the address space has no room for the barrier.
    pub fn room(layout: &mut Layout) -> Result<BarrierRoom, BadLayout> {
        FlagTree::room(layout, "barrier").map(BarrierRoom)
    }

    /// Makes the barrier on the node that `setup` sets up. At most `fan_in` nodes report to one node.
    ///
    /// # Panics
    /// If `room` is in another address space.
    pub fn new(setup: &mut Setup<'_>, memory: &Arc<Memory>, room: BarrierRoom, fan_in: NonZeroU32) -> Self {
        let space = setup.fresh_space();
        let place = Place::of(setup.node(), setup.shape().nodes, fan_in);
        Self {
            threads: setup.shape().threads,
            tree: FlagTree::new(setup, memory, room.0, place),
            come: setup.keyed_sparse_in(space, |_| 0),
            passed: Event::new("barrier"),
        }
    }

    /// Waits until every thread of every node has called `wait` as many times as this thread. A thread that returns sees the stores to
    /// shared memory that any thread made before that call. Of threads of its own node it sees everything that they did before.
    pub fn wait(&self, thread: &Thread<'_>) {
        // The barrier cannot pass before this thread has arrived.
        let barrier = self.passed.count(thread) + 1;
        let last = thread.hold(self.come.key(KEY), |cx| {
            cx.with(&self.come, |come, cx| {
                cx.charge(STEP);
                *come = (*come + 1) % self.threads;
                *come == 0
            })
        });
        if last {
            self.tree.meet(thread, barrier, || (), || ());
            thread.signal(&self.passed, 1);
        } else {
            thread.wait(&self.passed, barrier);
        }
    }
}
