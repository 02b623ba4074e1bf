//! Keys pushed into bins one by one: the owner's processor appends each to a bin, and the target counts what has come.
//!
//! A push is atomic, so two keys never get one place. This module must never know how splitters are found.

use bytemuck::{Pod, Zeroable};
use protocols::split_phase::{LocalPtr, Memory, Plan, Procedure};
use tempest::{Cells, Handler, NodeId, Operations, Shape, Thread};

use super::problem::bin_of;
use crate::kit::Division;

/// The work of appending a key: load the tail, an address, store the key, add, store the tail.
const APPEND: Operations = Operations::NONE.integers(2).loads(1).stores(2);

/// The work of a key that is pushed, but for the search and the push: its load, node and address of a bin, and the loop.
const ROUTE: Operations = Operations::NONE.integers(3).loads(1);

/// Appends a key to a bin: takes the place that the tail says, and moves the tail on.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Push {
    /// The word of the tail. The keys stand behind it, one in each word.
    bin: u32,
    key: u32,
}

impl Procedure for Push {
    fn run(self, arena: &Cells<u64>, cx: &mut Handler<'_>) -> u64 {
        cx.charge(APPEND);
        let tail = arena.get(self.bin as usize);
        arena.set(self.bin as usize + 1 + tail as usize, self.key.into());
        arena.set(self.bin as usize, tail + 1);
        tail
    }
}

/// Bins into which keys are pushed. A bin is a tail and the keys behind it.
pub(super) struct Pushes {
    /// By thread of the node: its bin.
    bins: LocalPtr<u64>,
    /// The words of a bin.
    words: u32,
    shape: Shape,
}

impl Pushes {
    /// Makes room for bins of at most so many keys.
    pub(super) fn reserve(plan: &mut Plan, largest: u32, division: Division) -> Self {
        let (words, shape) = (largest + 1, division.shape());
        Self { bins: plan.local(shape.threads * words), words, shape }
    }

    fn bin(&self, index: u32) -> LocalPtr<u64> {
        self.bins + i64::from(index * self.words)
    }

    /// Pushes the keys of a thread, and returns those that all threads have pushed into its bin.
    pub(super) fn exchange(
        &self,
        thread: &Thread<'_>,
        memory: Memory<'_>,
        splitters: &[u32],
        own: &[u32],
        search: Operations,
    ) -> Vec<u32> {
        let work = search.and(ROUTE);
        for &key in own {
            thread.charge(work);
            let owner = bin_of(splitters, key) as u32;
            let bin = self.bin(owner % self.shape.threads).offset();
            memory.post(NodeId(owner / self.shape.threads), Push { bin, key });
        }
        memory.all_store_sync();
        let bin = self.bin(thread.index());
        (1..=memory.load(bin) as i64).map(|word| memory.load(bin + word) as u32).collect()
    }
}
