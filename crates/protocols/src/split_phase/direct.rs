//! Accesses to another node's arena as loads and stores, where its memory is mapped and the plan asks for it.
//!
//! Each polls once, as every operation on another node's memory does, and is done when it returns. This module must never
//! know which world maps memory.

use tempest::{Mapped, NodeId};

use super::arena::{ArenaWord, raw, value};
use super::handle::Memory;
use super::pointers::{GlobalPtr, LocalPtr};

/// Another node's arena in reach. Pointers into it have been checked.
pub(super) struct Direct<'a, T: ArenaWord> {
    memory: Memory<'a>,
    there: Mapped<'a, T::Raw>,
}

impl<'a> Memory<'a> {
    /// A node's arena, if accesses to it are direct.
    #[inline]
    pub(super) fn direct<T: ArenaWord>(&self, node: NodeId) -> Option<Direct<'a, T>> {
        if !self.split.direct {
            return None;
        }
        let there = self.thread.map(self.split.arena.segment::<T>(), node)?;
        Some(Direct { memory: *self, there })
    }
}

impl<T: ArenaWord> Direct<'_, T> {
    pub(super) fn read(&self, from: GlobalPtr<T>) -> T {
        let found = self.there.get(from.offset() as usize);
        self.memory.thread.poll();
        value(found)
    }

    pub(super) fn write(&self, to: GlobalPtr<T>, value: T) {
        self.there.put(to.offset() as usize, raw(value));
        self.memory.thread.poll();
    }

    /// Into the own arena.
    pub(super) fn read_block(&self, from: GlobalPtr<T>, to: LocalPtr<T>, len: usize) {
        let arena = self.memory.split.arena.cells::<T>();
        self.there.read_into(from.offset() as usize, arena, to.offset() as usize, len);
        self.memory.thread.poll();
    }

    pub(super) fn write_block(&self, to: GlobalPtr<T>, values: &[T]) {
        self.there.write(to.offset() as usize, bytemuck::cast_slice(values));
        self.memory.thread.poll();
    }
}
