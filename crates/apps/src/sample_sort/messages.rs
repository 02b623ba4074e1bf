//! Keys pushed into bins, one or two at a time: the owner's processor appends them to a bin, and the target counts
//! arrivals.
//!
//! A push is atomic, so two keys never get one place. This module must never know how splitters are found.

use bytemuck::{Pod, Zeroable};
use protocols::split_phase::{LocalPtr, Memory, Plan, Procedure};
use tempest::{Cells, Handler, NodeId, Operations, Shape, Thread};

use super::problem::{PUSHED, bin_of};
use crate::kit::Division;

/// The work of a push where it arrives: load the tail, and store it.
const TAIL: Operations = Operations::NONE.loads(1).stores(1);

/// The work of appending a key: an address, store the key, add.
const APPEND: Operations = Operations::NONE.integers(2).stores(1);

/// The work of a key that is pushed, but for the search and the push: its load, node and address of a bin, and the loop.
const ROUTE: Operations = Operations::NONE.integers(3).loads(1);

/// Appends keys to a bin: takes the places that the tail says, and moves the tail on.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Push {
    /// The word of the tail. The keys stand behind it, a word each.
    bin: u32,
    /// The number of keys.
    count: u32,
    keys: [u32; PUSHED],
}

impl Push {
    fn of(bin: u32, keys: &[u32]) -> Self {
        let mut push = Self { bin, count: keys.len() as u32, keys: [0; PUSHED] };
        push.keys[..keys.len()].copy_from_slice(keys);
        push
    }
}

impl Procedure for Push {
    fn run(self, arena: &Cells<u64>, cx: &mut Handler<'_>) -> u64 {
        cx.charge(TAIL.and(APPEND.times(self.count)));
        let tail = arena.get(cx, self.bin as usize);
        for (&key, place) in self.keys[..self.count as usize].iter().zip(tail..) {
            arena.set(cx, self.bin as usize + 1 + place as usize, key.into());
        }
        arena.set(cx, self.bin as usize, tail + u64::from(self.count));
        tail
    }
}

/// Bins into which keys are pushed. A bin is a tail and the keys behind it.
pub(super) struct Pushes {
    /// By thread of the node: its bin.
    bins: LocalPtr<u64>,
    /// The words of a bin.
    words: u32,
    /// The keys of a push.
    each: u32,
    shape: Shape,
}

impl Pushes {
    /// Makes room for bins of at most `largest` keys, which come `each` at a time.
    pub(super) fn reserve(plan: &mut Plan, largest: u32, each: u32, division: Division) -> Self {
        let (words, shape) = (largest + 1, division.shape());
        Self { bins: plan.local(shape.threads * words), words, each, shape }
    }

    fn bin(&self, index: u32) -> LocalPtr<u64> {
        self.bins + i64::from(index * self.words)
    }

    /// Pushes the keys of a thread, and returns the keys that all threads have pushed into its bin.
    pub(super) fn exchange(
        &self,
        thread: &Thread<'_>,
        memory: Memory<'_>,
        splitters: &[u32],
        own: &[u32],
        search: Operations,
    ) -> Vec<u32> {
        let (each, work) = (self.each as usize, search.and(ROUTE));
        // By owner: the keys that wait until there are enough for a push.
        let mut waiting = vec![Vec::with_capacity(each); splitters.len() + 1];
        for &key in own {
            thread.charge(work);
            let owner = bin_of(splitters, key);
            waiting[owner].push(key);
            if waiting[owner].len() == each {
                self.push(memory, owner as u32, &waiting[owner]);
                waiting[owner].clear();
            }
        }
        for (owner, keys) in waiting.iter().enumerate().filter(|(_, keys)| !keys.is_empty()) {
            self.push(memory, owner as u32, keys);
        }
        memory.all_store_sync();
        let bin = self.bin(thread.index());
        (1..=memory.load(bin) as i64).map(|word| memory.load(bin + word) as u32).collect()
    }

    fn push(&self, memory: Memory<'_>, owner: u32, keys: &[u32]) {
        let bin = self.bin(owner % self.shape.threads).offset();
        memory.post(NodeId(owner / self.shape.threads), Push::of(bin, keys));
    }
}
