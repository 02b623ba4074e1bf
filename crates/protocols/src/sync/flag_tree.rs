//! The tree of nodes whose members meet by raising flags in shared memory: up the tree, and down again.
//!
//! Each flag is on a block of its own, with one writer and one reader. This module must never know what travels beside the flags.

use std::sync::Arc;

use tempest::{Array, BadLayout, Homes, Layout, Memory, NodeId, Setup, Thread};

use super::flags::{self, Flags};
use super::tree::Place;

/// The flag of a node that says that all threads of the node, and of those below, have come.
const COME: usize = 0;

/// The flag of a node that says that everybody has come.
const RELEASED: usize = 1;

/// A node's part in the tree.
#[derive(Debug)]
pub(super) struct FlagTree {
    node: NodeId,
    pub(super) place: Place,
    flags: Flags,
}

impl FlagTree {
    /// Room for the flags: a page at each node.
    pub(super) fn room(layout: &mut Layout, name: &'static str) -> Result<Array<u64>, BadLayout> {
        flags::room(layout, name, 2, Homes::Parts)
    }

    /// The part of the node being settled, which has `place` in the tree.
    pub(super) fn new(setup: &Setup<'_>, memory: &Arc<Memory>, room: Array<u64>, place: Place) -> Self {
        Self { node: setup.node(), place, flags: Flags::at(memory, room) }
    }

    /// Meets all other nodes. Flags are raised to `number`, which is larger each time and equal on all nodes. `gather` is done when
    /// all nodes below have come and before the node above hears of that; `spread` when everybody has come and before the nodes
    /// below hear of that.
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
