//! Accesses to another node's arena as loads and stores, where its memory is mapped and the plan asks for it.
//!
//! Each polls once, as every operation on another node's memory does, and is done when it returns. This module must never
//! know which world maps memory.

use tempest::{Mapped, NodeId, Word};

use super::handle::Memory;
use super::pointers::{GlobalPtr, LocalPtr};

/// Another node's arena in reach. Pointers into it have been checked.
pub(super) struct Direct<'a> {
    memory: Memory<'a>,
    there: Mapped<'a, u64>,
}

impl<'a> Memory<'a> {
    /// A node's arena, if accesses to it are direct.
    #[inline]
    pub(super) fn direct(&self, node: NodeId) -> Option<Direct<'a>> {
        if !self.split.direct {
            return None;
        }
        let there = self.thread.map(&self.split.memory, node)?;
        Some(Direct { memory: *self, there })
    }
}

impl Direct<'_> {
    pub(super) fn read<T: Word>(&self, from: GlobalPtr<T>) -> T {
        let value = T::from_bits(self.there.get(from.offset() as usize));
        self.memory.thread.poll();
        value
    }

    pub(super) fn write<T: Word>(&self, to: GlobalPtr<T>, value: T) {
        self.there.put(to.offset() as usize, value.to_bits());
        self.memory.thread.poll();
    }

    /// Into the own arena.
    pub(super) fn read_block<T: Word>(&self, from: GlobalPtr<T>, to: LocalPtr<T>, len: usize) {
        let arena = self.memory.split.arena();
        self.there.read_into(from.offset() as usize, arena, to.offset() as usize, len);
        self.memory.thread.poll();
    }

    pub(super) fn write_block<T: Word>(&self, to: GlobalPtr<T>, values: &[T]) {
        self.there.write(to.offset() as usize, &T::packed(values));
        self.memory.thread.poll();
    }
}
