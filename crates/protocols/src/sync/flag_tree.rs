//! A barrier of nodes by flags in shared memory. A node waits for its children in the tree, reports to its parent and waits for it,
//! and then releases its children.
//!
//! Each flag is on a block of its own, with one writer and one reader. This module must never know the data that travel beside the
//! flags.

use std::sync::Arc;

use tempest::data::BadLayout;
use tempest::{Array, Homes, Layout, Memory, NodeId, Setup, Thread};

use super::flags::{self, Flags};
use super::tree::Place;

/// Index of a node's flag that is raised when all threads of the node and of the nodes below it in the tree have arrived.
const COME: usize = 0;

/// Index of a node's flag that is raised when all threads of all nodes have arrived.
const RELEASED: usize = 1;

/// Part of a node in a barrier along the tree.
#[derive(Debug)]
pub(super) struct FlagTree {
    node: NodeId,
    pub(super) place: Place,
    flags: Flags,
}

impl FlagTree {
    /// Reserves room for the flags of all nodes: a page at each node.
    pub(super) fn room(layout: &mut Layout, name: &'static str) -> Result<Array<u64>, BadLayout> {
        flags::room(layout, name, 2, Homes::Parts)
    }

    /// Makes the part of the node that `setup` sets up, at `place` in the tree.
    pub(super) fn new(setup: &Setup<'_>, memory: &Arc<Memory>, room: Array<u64>, place: Place) -> Self {
        Self { node: setup.node(), place, flags: Flags::at(memory, room) }
    }

    /// Waits until all other nodes have called `meet` too. `number` must increase each time and be equal on all nodes: flags are
    /// raised to it. Runs `gather` when all nodes below have arrived, before the report to the node above; runs `spread` when all
    /// nodes have arrived, before the release of the nodes below.
    pub(super) fn meet(
        &self,
        thread: &Thread<'_>,
        number: u64,
        gather: impl FnOnce(),
        spread: impl FnOnce(),
    ) {
        for &child in &self.place.children {
            self.flags.wait(thread, self.flags.of(child, COME), number);
        }
        gather();
        if self.place.parent.is_some() {
            self.flags.raise(thread, self.flags.of(self.node, COME), number);
            self.flags.wait(thread, self.flags.of(self.node, RELEASED), number);
        }
        spread();
        for &child in &self.place.children {
            self.flags.raise(thread, self.flags.of(child, RELEASED), number);
        }
    }
}
