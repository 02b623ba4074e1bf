//! Accesses to memory as messages: requests of a word or a few, and their answers.
//!
//! So small and fixed that a network processor or hardware may run them: they read or write words of the arena and count,
//! all by atomics, and need no key. What can be done after an answer has been sent is done after. This module must never know
//! what a program's procedures do.

use bytemuck::{Pod, Zeroable};
use tempest::{Class, Handler, Key, Message, Operations, Primitive, Volume};

use super::state::{Kind, SplitPhase, Ticket};

/// Bytes of a word of the arena.
pub(super) const WORD_BYTES: u64 = size_of::<u64>() as u64;

/// Reads `words` words at `offset`, for the words at `landing` of the source.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Read {
    pub(super) offset: u32,
    pub(super) landing: u32,
    pub(super) ticket: u32,
    pub(super) words: u32,
}

/// Brings the words that were read; they are the payload.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Reply {
    landing: u32,
    ticket: u32,
}

/// Reads any number of words, as [`Read`] does, and has them brought by a transfer.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Fetch {
    pub(super) offset: u32,
    pub(super) landing: u32,
    pub(super) ticket: u32,
    pub(super) words: u32,
}

/// The words have been brought by a transfer.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Fetched {
    ticket: u32,
}

/// Writes its payload at `offset`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Write {
    pub(super) offset: u32,
    pub(super) ticket: u32,
}

/// A block has been written by a transfer.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Written {
    pub(super) ticket: u32,
}

/// So many writes or stores are done.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Acknowledge {
    ticket: u32,
    amount: u32,
}

/// Stores its payload at `offset`, counts it, and confirms so many stores to the source, mostly none.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Store {
    pub(super) offset: u32,
    pub(super) thread: u16,
    pub(super) confirms: u16,
}

/// A block has been stored by a transfer.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Stored {
    pub(super) words: u32,
    pub(super) thread: u16,
    pub(super) confirms: u16,
}

/// The source has stored so many bytes here since it said so last.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Owe {
    pub(super) bytes: u64,
    pub(super) ticket: u32,
    pub(super) unused: u32,
}

pub(super) fn register(messages: &mut tempest::Messages<'_, SplitPhase>) {
    messages.add::<Read>();
    messages.add::<Reply>();
    messages.add::<Fetch>();
    messages.add::<Fetched>();
    messages.add::<Write>();
    messages.add::<Written>();
    messages.add::<Acknowledge>();
    messages.add::<Store>();
    messages.add::<Stored>();
    messages.add::<Owe>();
}

impl SplitPhase {
    /// Puts a payload into the arena. Its first word has the full price; the others stand beside it.
    fn place(&self, offset: u32, payload: &[u64], cx: &mut Handler<'_>) {
        cx.charge(Primitive::PlaceWord);
        if payload.len() > 1 {
            cx.charge(Operations::NONE.stores(payload.len() as u32 - 1));
        }
        for (place, word) in (offset as usize..).zip(payload) {
            self.memory.cells().set(place, *word);
        }
    }

    /// Counts requests of a thread of this node as done.
    fn count_done(&self, ticket: u32, amount: u32, cx: &mut Handler<'_>) {
        let Ticket { thread, kind } = Ticket::from_bits(ticket);
        cx.charge(Primitive::Complete);
        cx.signal(self.issuers[thread as usize].completed(kind), amount.into());
    }

    /// Confirms stores to their source.
    fn confirm(&self, thread: u16, confirms: u16, cx: &mut Handler<'_>) {
        if confirms > 0 {
            let ticket = Ticket { thread: thread.into(), kind: Kind::Store }.to_bits();
            let source = cx.source();
            cx.send(source, Acknowledge { ticket, amount: confirms.into() });
        }
    }

    /// Counts what has been stored here.
    fn count_stored(&self, words: u64, cx: &mut Handler<'_>) {
        cx.charge(Primitive::CountStore);
        cx.signal(&self.arrivals.bytes, words * WORD_BYTES);
    }
}

impl Message for Read {
    type Protocol = SplitPhase;
    const CLASS: Class = Class::Read;
    const VOLUME: Volume = Volume::Request;

    fn key(&self) -> Key {
        Key::NoSync
    }

    fn handle(self, split: &SplitPhase, _payload: &[u64], cx: &mut Handler<'_>) {
        cx.charge(Primitive::Translate);
        cx.charge(Primitive::FetchWord);
        if self.words > 1 {
            cx.charge(Operations::NONE.loads(self.words - 1));
        }
        let mut words = [0; super::state::BLOCK];
        let words = &mut words[..self.words as usize];
        for (place, word) in (self.offset as usize..).zip(words.iter_mut()) {
            *word = split.memory.cells().get(place);
        }
        let source = cx.source();
        cx.send_with(source, Reply { landing: self.landing, ticket: self.ticket }, words);
    }
}

impl Message for Reply {
    type Protocol = SplitPhase;
    const CLASS: Class = Class::Reply;

    fn key(&self) -> Key {
        Key::NoSync
    }

    fn handle(self, split: &SplitPhase, payload: &[u64], cx: &mut Handler<'_>) {
        cx.charge(Primitive::Translate);
        split.place(self.landing, payload, cx);
        split.count_done(self.ticket, 1, cx);
    }
}

impl Message for Fetch {
    type Protocol = SplitPhase;
    const CLASS: Class = Class::Read;
    const VOLUME: Volume = Volume::Request;

    fn key(&self) -> Key {
        Key::NoSync
    }

    fn handle(self, split: &SplitPhase, _payload: &[u64], cx: &mut Handler<'_>) {
        cx.charge(Primitive::Translate);
        let mut words = vec![0; self.words as usize];
        split.memory.cells().read(self.offset as usize, &mut words);
        let source = cx.source();
        cx.transfer(source, split.memory.place(self.landing), &words, Fetched { ticket: self.ticket });
    }
}

impl Message for Fetched {
    type Protocol = SplitPhase;
    const CLASS: Class = Class::Reply;

    fn key(&self) -> Key {
        Key::NoSync
    }

    fn handle(self, split: &SplitPhase, _payload: &[u64], cx: &mut Handler<'_>) {
        cx.charge(Primitive::Translate);
        split.count_done(self.ticket, 1, cx);
    }
}

impl Message for Write {
    type Protocol = SplitPhase;
    const CLASS: Class = Class::Write;

    fn key(&self) -> Key {
        Key::NoSync
    }

    fn handle(self, split: &SplitPhase, payload: &[u64], cx: &mut Handler<'_>) {
        cx.charge(Primitive::Translate);
        split.place(self.offset, payload, cx);
        let source = cx.source();
        cx.send(source, Acknowledge { ticket: self.ticket, amount: 1 });
    }
}

impl Message for Written {
    type Protocol = SplitPhase;
    const CLASS: Class = Class::Write;

    fn key(&self) -> Key {
        Key::NoSync
    }

    fn handle(self, _split: &SplitPhase, _payload: &[u64], cx: &mut Handler<'_>) {
        cx.charge(Primitive::Translate);
        let source = cx.source();
        cx.send(source, Acknowledge { ticket: self.ticket, amount: 1 });
    }
}

impl Message for Acknowledge {
    type Protocol = SplitPhase;
    const CLASS: Class = Class::Acknowledge;
    const VOLUME: Volume = Volume::Request;

    fn key(&self) -> Key {
        Key::NoSync
    }

    fn handle(self, split: &SplitPhase, _payload: &[u64], cx: &mut Handler<'_>) {
        split.count_done(self.ticket, self.amount, cx);
    }
}

impl Message for Store {
    type Protocol = SplitPhase;
    const CLASS: Class = Class::System;

    fn key(&self) -> Key {
        Key::NoSync
    }

    fn handle(self, split: &SplitPhase, payload: &[u64], cx: &mut Handler<'_>) {
        let again = split.arrivals.continues(self.offset, payload.len());
        cx.charge(if again { Primitive::TranslateAgain } else { Primitive::Translate });
        split.place(self.offset, payload, cx);
        split.confirm(self.thread, self.confirms, cx);
        split.count_stored(payload.len() as u64, cx);
    }
}

impl Message for Stored {
    type Protocol = SplitPhase;
    const CLASS: Class = Class::System;

    fn key(&self) -> Key {
        Key::NoSync
    }

    fn handle(self, split: &SplitPhase, _payload: &[u64], cx: &mut Handler<'_>) {
        cx.charge(Primitive::Translate);
        split.confirm(self.thread, self.confirms, cx);
        split.count_stored(self.words.into(), cx);
    }
}

impl Message for Owe {
    type Protocol = SplitPhase;
    const CLASS: Class = Class::System;
    const VOLUME: Volume = Volume::Request;

    fn key(&self) -> Key {
        Key::NoSync
    }

    fn handle(self, split: &SplitPhase, _payload: &[u64], cx: &mut Handler<'_>) {
        split.arrivals.owed.add(0, self.bytes);
        let source = cx.source();
        cx.send(source, Acknowledge { ticket: self.ticket, amount: 1 });
    }
}
