//! A barrier of all threads of all nodes, through shared memory.
//!
//! The threads of a node meet under the barrier's key; the last of them goes for the node. It waits until each node below has
//! raised its flag, raises the node's own for the node above, waits to be released, and releases those below: the tree barrier
//! of J. M. Mellor-Crummey and M. L. Scott (*Algorithms for scalable synchronization on shared-memory multiprocessors*, ACM
//! Transactions on Computer Systems 9, 1991), each flag on a block of its own, with one writer and one reader, so that no block
//! is wanted by many. Where they flip a sense, a flag here is raised to the number of the barrier. With fan-in 2 it is the
//! tournament of D. Hensgen, R. Finkel and U. Manber (International Journal of Parallel Programming 17, 1988).

use std::num::NonZeroU32;
use std::sync::Arc;

use tempest::{Array, BadLayout, Event, Keyed, Layout, Memory, Operations, Setup, Thread};

use super::flag_tree::FlagTree;
use super::tree::{self, Place};

/// The number of a node's only entry.
const KEY: u64 = 2;

/// Counting one that has come, and asking whether it is the last.
const STEP: Operations = Operations::NONE.loads(1).integers(2).stores(1);

/// Where a barrier is in the address space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BarrierRoom(Array<u64>);

/// A barrier of all threads of all nodes through shared memory. It may be used any number of times.
///
/// It has no messages of its own and is installed with nothing: room for it is made in the layout, and it is bound to a node's
/// copy of it.
#[derive(Debug)]
pub struct SharedBarrier {
    threads: u32,
    tree: FlagTree,
    /// Threads of this node that have come to the present barrier.
    come: Keyed<u32>,
    /// How many barriers everybody has come to.
    passed: Event,
}

impl SharedBarrier {
    /// The number of nodes that report to one in the tree barrier of Mellor-Crummey and Scott: four.
    pub const FAN_IN: NonZeroU32 = tree::FAN_IN;

    /// Room for a barrier: a page at each node.
    ///
    /// # Errors
    /// [`BadLayout`] if the space has no room for it.
    pub fn room(layout: &mut Layout) -> Result<BarrierRoom, BadLayout> {
        FlagTree::room(layout, "barrier").map(BarrierRoom)
    }

    /// The barrier on the node being settled, with so many nodes reporting to one.
    ///
    /// # Panics
    /// If the room is in another space.
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

    /// Waits until every thread of every node has called this as often. What they did to shared memory before happens before
    /// the return; of what they did otherwise that holds for the threads of this node.
    pub fn wait(&self, thread: &Thread<'_>) {
        // It cannot pass before this thread has come.
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
