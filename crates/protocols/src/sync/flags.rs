//! Flags in shared memory: words that one node raises and another waits for, each on a block of its own.
//!
//! A waiting thread reads the copy of its own node, yields its processor until the copy is invalidated by the raising store, and
//! fetches the block once more ([`Thread::wait_for`]). So a raised flag costs one transfer to the raising node and one to the waiting
//! node. A flag only grows, so that it never has to be lowered. Shared memory begins with 0: a flag that has not been raised. The
//! thread that raises a flag must be of another node than the waiting thread.
//!
//! This module must never know the meaning of a flag.

use std::sync::Arc;

use tempest::data::BadLayout;
use tempest::{Array, Homes, Layout, Memory, NodeId, Shared, Thread};

/// Reserves room for `len` flags, each on a block of its own. With [`Homes::Parts`] each node has `len` flags.
pub(super) fn room(
    layout: &mut Layout,
    name: &'static str,
    len: usize,
    homes: Homes,
) -> Result<Array<u64>, BadLayout> {
    let words = layout.block_words() as u32;
    layout.records(name, len, words, homes)
}

/// Flags in shared memory, as a node accesses them.
#[derive(Debug)]
pub(super) struct Flags(Shared<u64>);

impl Flags {
    /// Makes the flags that are the words of `array`.
    pub(super) fn at(memory: &Arc<Memory>, array: Array<u64>) -> Self {
        Self(memory.bind(array))
    }

    /// Returns the index of the flag that has number `index` in the part of `node`.
    pub(super) fn of(&self, node: NodeId, index: usize) -> usize {
        self.0.at(node, index)
    }

    /// Raises a flag to the number `to`. A thread that has waited for the flag sees all stores to shared memory that this thread
    /// made before.
    pub(super) fn raise(&self, thread: &Thread<'_>, flag: usize, to: u64) {
        thread.write(&self.0, flag, to);
    }

    /// Waits until a flag has been raised to the number `to`. No thread may raise the flag further before that.
    pub(super) fn wait(&self, thread: &Thread<'_>, flag: usize, to: u64) {
        thread.wait_for(&self.0, flag, |raised| raised == to);
    }
}
