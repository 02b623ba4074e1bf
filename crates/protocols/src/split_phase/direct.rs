//! Loads and stores on another node's arena, if its memory is mapped and the plan asks for direct access.
//!
//! Each access polls once, like every operation on another node's memory, and is complete when it returns. This module must
//! never know which world maps memory.

use tempest::{Mapped, NodeId, Thread};

use super::arena::{Arena, ArenaWord, raw, value};
use super::pointers::{GlobalPtr, LocalPtr};

/// Mapped arena of another node. The caller has checked the bounds of every pointer into it.
pub(super) struct Direct<'a, T: ArenaWord> {
    thread: &'a Thread<'a>,
    /// Arena of the thread's own node.
    arena: &'a Arena,
    there: Mapped<'a, T::Raw>,
}

impl<'a, T: ArenaWord> Direct<'a, T> {
    /// Maps the arena of `node`. `arena` is that of the thread's own node. `None` if the world does not map the other node's memory.
    #[inline]
    pub(super) fn of(thread: &'a Thread<'a>, arena: &'a Arena, node: NodeId) -> Option<Self> {
        let there = thread.map(arena.segment::<T>(), node)?;
        Some(Self { thread, arena, there })
    }

    pub(super) fn read(&self, from: GlobalPtr<T>) -> T {
        let found = self.there.get(from.offset() as usize);
        self.thread.poll();
        value(found)
    }

    pub(super) fn write(&self, to: GlobalPtr<T>, value: T) {
        self.there.put(to.offset() as usize, raw(value));
        self.thread.poll();
    }

    /// Copies `len` words of the mapped arena, from `from` on, into the arena of this node.
    pub(super) fn read_block(&self, from: GlobalPtr<T>, to: LocalPtr<T>, len: usize) {
        let arena = self.arena.cells::<T>();
        self.there.read_into(from.offset() as usize, arena, to.offset() as usize, len);
        self.thread.poll();
    }

    pub(super) fn write_block(&self, to: GlobalPtr<T>, values: &[T]) {
        self.there.write(to.offset() as usize, bytemuck::cast_slice(values));
        self.thread.poll();
    }
}
