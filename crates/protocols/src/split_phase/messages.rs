//! Memory accesses as messages: requests for one word or a few, and their replies.
//!
//! The handlers are so small and fixed that a network processor or hardware may run them: they read or write words of the arena
//! and count, all by atomics, and need no key. A handler replies first and does its other work afterwards. This module must
//! never know the effect of a program's procedures.

use tempest::message::Charger;
use tempest::{Class, Handler, Operations, Primitive, handlers};

use super::arena;
use super::procedure::{FetchAdd, Invoke};
use super::state::{BLOCK, Kind, SplitPhase, Ticket};

/// Size in bytes of the words that a bulk transfer moves.
const WORD_BYTES: u64 = size_of::<u64>() as u64;

/// Primitives that memory accesses charge, at their issue by threads and in the handlers of each class.
pub(super) const CHARGES: &[(Charger, &[Primitive])] = &[
    (Charger::Threads, &[Primitive::Issue]),
    (Charger::HandlersOf(Class::Read), &[Primitive::Translate, Primitive::FetchWord]),
    (Charger::HandlersOf(Class::Bulk), &[Primitive::Translate]),
    (Charger::HandlersOf(Class::Reply), &[Primitive::Translate, Primitive::PlaceWord, Primitive::Complete]),
    (Charger::HandlersOf(Class::Write), &[Primitive::Translate, Primitive::PlaceWord]),
    (Charger::HandlersOf(Class::Acknowledge), &[Primitive::Complete]),
    (
        Charger::HandlersOf(Class::System),
        &[Primitive::Translate, Primitive::TranslateAgain, Primitive::PlaceWord, Primitive::CountStore],
    ),
];

#[handlers]
impl SplitPhase {
    /// Request: reads `words` words of the receiver's arena at `offset` and replies with them. The source stores them at
    /// `landing` and counts its request `ticket` as complete.
    #[message(class = Read, volume = Request)]
    pub(super) fn read(&self, offset: u32, landing: u32, ticket: u32, words: u32, cx: &mut Handler<'_>) {
        cx.charge(Primitive::Translate);
        cx.charge(Primitive::FetchWord);
        if words > 1 {
            cx.charge(Operations::NONE.loads(words - 1));
        }
        let mut found = [0; BLOCK];
        let found = self.arena.load(cx, offset, words, &mut found);
        let source = cx.source();
        cx.send_with(source, Self::reply(arena::answer_place(landing, words), ticket), found);
    }

    /// Reply to a read: the payload has the words. The receiver stores them at `landing`, and counts its request `ticket` as
    /// complete.
    #[message(class = Reply)]
    fn reply(&self, landing: u32, ticket: u32, payload: &[u64], cx: &mut Handler<'_>) {
        cx.charge(Primitive::Translate);
        self.place(landing, payload, cx);
        self.count_done(ticket, 1, cx);
    }

    /// Request: reads `words` payload words (each one word of 8 bytes or two of 4) of the receiver's arena at `offset`. Sends
    /// them by a bulk transfer to `landing` of the source.
    #[message(class = Bulk, volume = Request)]
    pub(super) fn fetch(&self, offset: u32, landing: u32, ticket: u32, words: u32, cx: &mut Handler<'_>) {
        cx.charge(Primitive::Translate);
        let found = self.arena.read(cx, offset, words);
        let source = cx.source();
        cx.transfer(source, self.arena.place(landing), &found, Self::fetched(ticket));
    }

    /// Reply to a fetch: a bulk transfer has delivered the words. The receiver counts its request `ticket` as complete.
    #[message(class = Reply)]
    fn fetched(&self, ticket: u32, cx: &mut Handler<'_>) {
        cx.charge(Primitive::Translate);
        self.count_done(ticket, 1, cx);
    }

    /// Request: writes the payload at `offset` of the receiver's arena. The receiver acknowledges the source's request `ticket`.
    #[message(class = Write)]
    pub(super) fn write(&self, offset: u32, ticket: u32, payload: &[u64], cx: &mut Handler<'_>) {
        cx.charge(Primitive::Translate);
        self.place(offset, payload, cx);
        let source = cx.source();
        cx.send(source, Self::acknowledge(ticket, 1));
    }

    /// Request: asks the receiver to acknowledge a block that a bulk transfer has written to its arena.
    #[message(class = Write)]
    pub(super) fn written(&self, ticket: u32, cx: &mut Handler<'_>) {
        cx.charge(Primitive::Translate);
        let source = cx.source();
        cx.send(source, Self::acknowledge(ticket, 1));
    }

    /// Reply: acknowledges `amount` writes or stores of the counter `ticket`.
    #[message(class = Acknowledge, volume = Request)]
    fn acknowledge(&self, ticket: u32, amount: u32, cx: &mut Handler<'_>) {
        self.count_done(ticket, amount, cx);
    }

    /// Stores the payload at `offset` of the receiver's arena and counts its bytes. The receiver confirms `confirms` stores
    /// (mostly 0) to thread `thread` of the source.
    #[message(class = System)]
    pub(super) fn store(
        &self,
        offset: u32,
        thread: u16,
        confirms: u16,
        payload: &[u64],
        cx: &mut Handler<'_>,
    ) {
        let words = arena::words_of(offset, payload);
        let again = self.arrivals.continues(arena::position(offset), words);
        cx.charge(if again { Primitive::TranslateAgain } else { Primitive::Translate });
        self.place(offset, payload, cx);
        self.confirm(thread, confirms, cx);
        self.count_stored(arena::bytes_of(offset, words), cx);
    }

    /// Counts a block of `words` words of 8 bytes that a bulk transfer has stored in the receiver's arena. The receiver confirms
    /// `confirms` stores (mostly 0) to thread `thread` of the source.
    #[message(class = System)]
    pub(super) fn stored(&self, words: u32, thread: u16, confirms: u16, cx: &mut Handler<'_>) {
        cx.charge(Primitive::Translate);
        self.confirm(thread, confirms, cx);
        self.count_stored(u64::from(words) * WORD_BYTES, cx);
    }

    /// Announces to the receiver the number of bytes that the source has stored there since its last announcement. The receiver
    /// acknowledges that.
    #[message(class = System, volume = Request)]
    pub(super) fn owe(&self, bytes: u64, ticket: u32, cx: &mut Handler<'_>) {
        self.arrivals.owed.add(cx, 0, bytes);
        let source = cx.source();
        cx.send(source, Self::acknowledge(ticket, 1));
    }

    #[message]
    type AddToWord = Invoke<FetchAdd>;

    /// Reply to a procedure or a call: the payload has the procedure's result, if there is one.
    #[message]
    pub(super) fn returned(&self, ticket: u32, payload: &[u64], cx: &mut Handler<'_>) {
        let Ticket { thread, kind } = Ticket::from_bits(ticket);
        if let [value] = payload {
            self.arena.cells::<u64>().set(cx, self.arena.landing::<u64>(thread) as usize, *value);
        }
        cx.signal(self.issuers[thread as usize].completed(kind), 1);
    }

    /// Request: asks for an empty reply.
    #[message]
    pub(super) fn call(&self, ticket: u32, cx: &mut Handler<'_>) {
        let source = cx.source();
        cx.send(source, Self::returned(ticket));
    }

    /// Stores `payload` in this node's arena. `offset` is a place as `arena::place` encodes it: it also states the size of the words,
    /// and whether their number is odd. The first word is charged as a placed word, each further word as a plain store.
    fn place(&self, offset: u32, payload: &[u64], cx: &mut Handler<'_>) {
        cx.charge(Primitive::PlaceWord);
        let words = arena::words_of(offset, payload);
        if words > 1 {
            cx.charge(Operations::NONE.stores(words - 1));
        }
        self.arena.store(cx, offset, payload);
    }

    /// Counts `amount` requests of the counter `ticket`, of a thread of this node, as complete.
    fn count_done(&self, ticket: u32, amount: u32, cx: &mut Handler<'_>) {
        let Ticket { thread, kind } = Ticket::from_bits(ticket);
        cx.charge(Primitive::Complete);
        cx.signal(self.issuers[thread as usize].completed(kind), amount.into());
    }

    /// Confirms `confirms` stores to thread `thread` of the node that sent the message now served. Does nothing if `confirms` is 0.
    pub(super) fn confirm(&self, thread: u16, confirms: u16, cx: &mut Handler<'_>) {
        if confirms > 0 {
            let ticket = Ticket { thread: thread.into(), kind: Kind::Store }.to_bits();
            let source = cx.source();
            cx.send(source, Self::acknowledge(ticket, confirms.into()));
        }
    }

    /// Counts `bytes` bytes as stored on this node.
    pub(super) fn count_stored(&self, bytes: u64, cx: &mut Handler<'_>) {
        cx.charge(Primitive::CountStore);
        cx.signal(&self.arrivals.bytes, bytes);
    }
}
