//! Whole blocks: read, write, get, put and store of any number of words.
//!
//! A block is issued once: its messages have no bookkeeping and no poll of their own. Where the program's data moves by
//! [bulk transfers](tempest::Mechanism::Bulk), a block is one, whichever way it goes: one that is read is transferred by the
//! handler of the request. This module must never know which world moves them.

use tempest::{Primitive, Word};

use super::handle::{Memory, Scope};
use super::messages::WORD_BYTES;
use super::pointers::{GlobalPtr, LocalPtr};
use super::state::{BLOCK, Kind, SplitPhase};

impl Memory<'_> {
    /// Copies `len` words to the own arena, and returns when they are there.
    pub fn bulk_read<T: Word>(&self, from: GlobalPtr<T>, to: LocalPtr<T>, len: usize) {
        self.read_block(Kind::Blocking, from, to, len);
        self.issuer.complete(self.thread, Kind::Blocking);
    }

    /// Writes words one after the other, and returns when they are in place.
    pub fn bulk_write<T: Word>(&self, to: GlobalPtr<T>, values: &[T]) {
        self.write_block(Kind::Blocking, to, values);
        self.issuer.complete(self.thread, Kind::Blocking);
    }

    /// Stores words one after the other; the target counts 8 bytes for each, when they are in place.
    pub fn bulk_store<T: Word>(&self, to: GlobalPtr<T>, values: &[T]) {
        let bytes = values.len() as u64 * WORD_BYTES;
        let here = self.own(to, values.len());
        self.issuer.note_stored(to.node(), bytes);
        if let Some(here) = here {
            self.copy_here(here, values);
            return self.thread.signal(&self.split.arrivals.bytes, bytes);
        }
        let place = self.split.memory.place(to.offset());
        self.thread.charge(Primitive::Issue);
        if self.split.transfers {
            let (thread, confirms) = self.count_store(to.node());
            let stored = SplitPhase::stored(values.len() as u32, thread, confirms);
            self.thread.transfer(to.node(), place, &T::packed(values), stored);
        } else {
            for (offset, values) in (to.offset()..).step_by(BLOCK).zip(values.chunks(BLOCK)) {
                let (thread, confirms) = self.count_store(to.node());
                self.thread.send_with(
                    to.node(),
                    SplitPhase::store(offset, thread, confirms),
                    &T::packed(values),
                );
            }
        }
        self.thread.poll();
    }

    fn read_block<T: Word>(&self, kind: Kind, from: GlobalPtr<T>, to: LocalPtr<T>, len: usize) {
        self.own(to.on(self.split.node), len);
        if let Some(here) = self.own(from, len) {
            let values: Vec<T> = (0..len).map(|word| self.load(here + word as i64)).collect();
            return self.copy_here(to, &values);
        }
        if let Some(there) = self.direct(from.node()) {
            return there.read_block(from, to, len);
        }
        let ticket = self.ticket(kind);
        self.thread.charge(Primitive::Issue);
        if self.split.transfers {
            self.issuer.reserve(self.thread);
            self.issuer.count(kind, 1);
            let (offset, landing, words) = (from.offset(), to.offset(), len as u32);
            self.thread.send(from.node(), SplitPhase::fetch(offset, landing, ticket, words));
        } else {
            for start in (0..len).step_by(BLOCK) {
                let (offset, landing) = (from.offset() + start as u32, to.offset() + start as u32);
                let words = BLOCK.min(len - start) as u32;
                self.issuer.reserve(self.thread);
                self.issuer.count(kind, 1);
                self.thread.send(from.node(), SplitPhase::read(offset, landing, ticket, words));
            }
        }
        self.thread.poll();
    }

    fn write_block<T: Word>(&self, kind: Kind, to: GlobalPtr<T>, values: &[T]) {
        if let Some(here) = self.own(to, values.len()) {
            return self.copy_here(here, values);
        }
        if let Some(there) = self.direct(to.node()) {
            return there.write_block(to, values);
        }
        let ticket = self.ticket(kind);
        self.thread.charge(Primitive::Issue);
        if self.split.transfers {
            self.issuer.reserve(self.thread);
            self.issuer.count(kind, 1);
            let place = self.split.memory.place(to.offset());
            self.thread.transfer(to.node(), place, &T::packed(values), SplitPhase::written(ticket));
        } else {
            for (offset, values) in (to.offset()..).step_by(BLOCK).zip(values.chunks(BLOCK)) {
                self.issuer.reserve(self.thread);
                self.issuer.count(kind, 1);
                self.thread.send_with(to.node(), SplitPhase::write(offset, ticket), &T::packed(values));
            }
        }
        self.thread.poll();
    }

    /// Copies words into the own arena.
    fn copy_here<T: Word>(&self, to: LocalPtr<T>, values: &[T]) {
        let len = values.len() as u32;
        self.thread.charge(tempest::Operations::NONE.loads(len).stores(len));
        self.split.arena().write(to.offset() as usize, &T::packed(values));
    }
}

impl Scope<'_> {
    /// Asks for `len` words, which will be at `to` when the scope is synchronized.
    pub fn bulk_get<T: Word>(&self, from: GlobalPtr<T>, to: LocalPtr<T>, len: usize) {
        self.memory.read_block(Kind::Split, from, to, len);
    }

    /// Has words written one after the other; they are in place when the scope is synchronized.
    pub fn bulk_put<T: Word>(&self, to: GlobalPtr<T>, values: &[T]) {
        self.memory.write_block(Kind::Split, to, values);
    }
}
