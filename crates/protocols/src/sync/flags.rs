//! Flags in shared memory: words that one node raises and another waits for, each on a block of its own.
//!
//! Who waits reads the copy of its own node, gives its processor away until the raising takes that copy away, and fetches the
//! block once more ([`Thread::wait_for`]). So a flag that is raised costs one transfer to who raises it and one to who waits. A
//! flag only grows, so that nobody ever has to lower it, and what shared memory begins with, 0, is a flag that was never
//! raised. The one who raises a flag that is waited for is of another node.
//!
//! This module must never know what a flag stands for.

use std::sync::Arc;

use tempest::{Array, BadLayout, Homes, Layout, Memory, NodeId, Shared, Thread};

/// Room for `len` words, each on a block of its own; by node, where the homes are parts.
pub(super) fn room(
    layout: &mut Layout,
    name: &'static str,
    len: usize,
    homes: Homes,
) -> Result<Array<u64>, BadLayout> {
    let words = layout.block_words() as u32;
    layout.records(name, len, words, homes)
}

/// Flags, as a node sees them.
#[derive(Debug)]
pub(super) struct Flags(Shared<u64>);

impl Flags {
    /// Those at an array.
    pub(super) fn at(memory: &Arc<Memory>, array: Array<u64>) -> Self {
        Self(memory.bind(array))
    }

    /// Which flag is number `index` of a node's part.
    pub(super) fn of(&self, node: NodeId, index: usize) -> usize {
        self.0.at(node, index)
    }

    /// Raises a flag. What the thread did to shared memory before happens before a wait for it ends.
    pub(super) fn raise(&self, thread: &Thread<'_>, flag: usize, to: u64) {
        thread.write(&self.0, flag, to);
    }

    /// Waits until a flag has been raised so far. It is raised further only after that.
    pub(super) fn wait(&self, thread: &Thread<'_>, flag: usize, to: u64) {
        thread.wait_for(&self.0, flag, |raised| raised == to);
    }
}
