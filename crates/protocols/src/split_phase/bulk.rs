//! Reads, writes, gets, puts and stores of blocks: any number of consecutive words.
//!
//! A block is one operation: the messages that carry it have no bookkeeping and no polls of their own. If the program moves its
//! data by [bulk transfers](tempest::Mechanism::Bulk), a block is one transfer in either direction; the handler of a read request
//! transfers the block that is read. This module must never know which world moves them.

use std::borrow::Cow;

use tempest::Primitive;

use super::arena::{self, ArenaWord};
use super::handle::{Memory, Scope};
use super::pointers::{GlobalPtr, LocalPtr};
use super::state::{BLOCK, Kind, SplitPhase};

impl SplitPhase {
    /// Returns the number of words of a block of `words` words that a bulk transfer moves. It is 0 if blocks travel as messages.
    /// Otherwise it is `words`, or an even number for words of 4 bytes, because a transfer moves 8 bytes at a time.
    fn moved<T: ArenaWord>(&self, words: usize) -> usize {
        match (self.transfers, T::SHORT) {
            (false, _) => 0,
            (true, false) => words,
            (true, true) => words / 2 * 2,
        }
    }
}

/// Returns the largest number of words of a block that fit into one message.
const fn in_one_message<T: ArenaWord>() -> usize {
    BLOCK * size_of::<u64>() / size_of::<T>()
}

/// Splits a block into pieces that fit into one message each. Yields the offset and the words of each piece.
fn pieces<T: ArenaWord>(offset: u32, values: &[T]) -> impl Iterator<Item = (u32, &[T])> {
    (offset..).step_by(in_one_message::<T>()).zip(values.chunks(in_one_message::<T>()))
}

/// Packs words into a payload: words of 4 bytes in pairs, the last of an odd number alone.
fn payload<T: ArenaWord>(values: &[T]) -> Cow<'_, [u64]> {
    match values.split_last() {
        Some((last, pairs)) if T::SHORT && pairs.len().is_multiple_of(2) => {
            let mut packed = T::packed(pairs).into_owned();
            packed.push(arena::alone(*last));
            Cow::Owned(packed)
        }
        _ => T::packed(values),
    }
}

impl Memory<'_> {
    /// Copies `len` words from a node's arena to the arena of this node. Returns when the words are there.
    ///
    /// # Panics
    /// If a pointer leads out of the arena, or to a node that does not exist.
    pub fn bulk_read<T: ArenaWord>(&self, from: GlobalPtr<T>, to: LocalPtr<T>, len: usize) {
        self.read_block(Kind::Blocking, from, to, len);
        self.issuer.complete(self.thread, Kind::Blocking);
    }

    /// Writes `values` to consecutive words of a node's arena, from `to` on. Returns when they are in place.
    ///
    /// # Panics
    /// If a pointer leads out of the arena, or to a node that does not exist.
    pub fn bulk_write<T: ArenaWord>(&self, to: GlobalPtr<T>, values: &[T]) {
        self.write_block(Kind::Blocking, to, values);
        self.issuer.complete(self.thread, Kind::Blocking);
    }

    /// Stores `values` to consecutive words of a node's arena, from `to` on, without waiting. The target node counts their bytes when
    /// they are in place.
    ///
    /// # Panics
    /// If a pointer leads out of the arena, or to a node that does not exist.
    pub fn bulk_store<T: ArenaWord>(&self, to: GlobalPtr<T>, values: &[T]) {
        let bytes = size_of_val(values) as u64;
        let here = self.own(to, values.len());
        self.issuer.note_stored(to.node(), bytes);
        if let Some(here) = here {
            self.copy_here(here, values);
            return self.thread.signal(&self.split.arrivals.bytes, bytes);
        }
        self.thread.charge(Primitive::Issue);
        let (moved, rest) = values.split_at(self.split.moved::<T>(values.len()));
        if !moved.is_empty() || values.is_empty() && self.split.transfers {
            let (thread, confirms) = self.count_store(to.node());
            let (place, packed) = (self.split.arena.segment::<T>().place(to.offset()), T::packed(moved));
            let stored = SplitPhase::stored(packed.len() as u32, thread, confirms);
            self.thread.transfer(to.node(), place, &packed, stored);
        }
        for (offset, values) in pieces(to.offset() + moved.len() as u32, rest) {
            let (thread, confirms) = self.count_store(to.node());
            let place = arena::place::<T>(offset, values.len());
            self.thread.send_with(to.node(), SplitPhase::store(place, thread, confirms), &payload(values));
        }
        self.thread.poll();
    }

    fn read_block<T: ArenaWord>(&self, kind: Kind, from: GlobalPtr<T>, to: LocalPtr<T>, len: usize) {
        self.own(to.on(self.split.node), len);
        if let Some(here) = self.own(from, len) {
            let values: Vec<T> = (0..len).map(|word| self.load(here + word as i64)).collect();
            return self.copy_here(to, &values);
        }
        if let Some(there) = self.direct::<T>(from.node()) {
            return there.read_block(from, to, len);
        }
        let ticket = self.ticket(kind);
        self.thread.charge(Primitive::Issue);
        let place = |pointer: u32, words: usize| arena::place::<T>(pointer, words);
        let moved = self.split.moved::<T>(len);
        if moved > 0 || len == 0 && self.split.transfers {
            self.issuer.reserve(self.thread);
            self.issuer.count(kind, 1);
            let (offset, landing) = (place(from.offset(), moved), place(to.offset(), moved));
            let packed = (moved * size_of::<T>()).div_ceil(size_of::<u64>()) as u32;
            self.thread.send(from.node(), SplitPhase::fetch(offset, landing, ticket, packed));
        }
        for start in (moved..len).step_by(in_one_message::<T>()) {
            let words = in_one_message::<T>().min(len - start);
            let (offset, landing) = (from.offset() + start as u32, to.offset() + start as u32);
            self.issuer.reserve(self.thread);
            self.issuer.count(kind, 1);
            let (offset, landing) = (place(offset, words), place(landing, words));
            self.thread.send(from.node(), SplitPhase::read(offset, landing, ticket, words as u32));
        }
        self.thread.poll();
    }

    fn write_block<T: ArenaWord>(&self, kind: Kind, to: GlobalPtr<T>, values: &[T]) {
        if let Some(here) = self.own(to, values.len()) {
            return self.copy_here(here, values);
        }
        if let Some(there) = self.direct::<T>(to.node()) {
            return there.write_block(to, values);
        }
        let ticket = self.ticket(kind);
        self.thread.charge(Primitive::Issue);
        let (moved, rest) = values.split_at(self.split.moved::<T>(values.len()));
        if !moved.is_empty() || values.is_empty() && self.split.transfers {
            self.issuer.reserve(self.thread);
            self.issuer.count(kind, 1);
            let place = self.split.arena.segment::<T>().place(to.offset());
            self.thread.transfer(to.node(), place, &T::packed(moved), SplitPhase::written(ticket));
        }
        for (offset, values) in pieces(to.offset() + moved.len() as u32, rest) {
            self.issuer.reserve(self.thread);
            self.issuer.count(kind, 1);
            let place = arena::place::<T>(offset, values.len());
            self.thread.send_with(to.node(), SplitPhase::write(place, ticket), &payload(values));
        }
        self.thread.poll();
    }

    /// Copies `values` into the arena of this node, from `to` on.
    fn copy_here<T: ArenaWord>(&self, to: LocalPtr<T>, values: &[T]) {
        let len = values.len() as u32;
        self.thread.charge(tempest::Operations::NONE.loads(len).stores(len));
        self.split.arena.cells::<T>().write(self.thread, to.offset() as usize, bytemuck::cast_slice(values));
    }
}

impl Scope<'_> {
    /// Requests `len` words of a node's arena, from `from` on. They are at `to` after the scope has been synchronized.
    ///
    /// # Panics
    /// If a pointer leads out of the arena, or to a node that does not exist.
    pub fn bulk_get<T: ArenaWord>(&self, from: GlobalPtr<T>, to: LocalPtr<T>, len: usize) {
        self.memory.read_block(Kind::Split, from, to, len);
    }

    /// Requests that `values` be written to consecutive words of a node's arena, from `to` on. They are in place after the scope has
    /// been synchronized.
    ///
    /// # Panics
    /// If a pointer leads out of the arena, or to a node that does not exist.
    pub fn bulk_put<T: ArenaWord>(&self, to: GlobalPtr<T>, values: &[T]) {
        self.memory.write_block(Kind::Split, to, values);
    }
}
