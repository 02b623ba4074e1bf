//! Accesses to memory as messages: requests of a word or a few, and their answers.
//!
//! They are so small and fixed that a network processor or hardware may run them: they read or write words of the arena and
//! count, all by atomics, and need no key. Work that an answer does not need comes after the answer has been sent. This
//! module must never know what a program's procedures do.

use tempest::{Charger, Class, Handler, Operations, Primitive, handlers};

use super::arena;
use super::procedure::{FetchAdd, Invoke};
use super::state::{BLOCK, Kind, SplitPhase, Ticket};

/// Bytes that a transfer moves at a time.
const WORD_BYTES: u64 = size_of::<u64>() as u64;

/// The primitives that accesses charge: at their issue, and in the handlers of each class.
pub(super) const CHARGES: &[(Charger, &[Primitive])] = &[
    (Charger::Threads, &[Primitive::Issue]),
    (Charger::HandlersOf(Class::Read), &[Primitive::Translate, Primitive::FetchWord]),
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
    /// Reads `words` words at `offset`, for the words at `landing` of the source.
    #[message(class = Read, volume = Request)]
    pub(super) fn read(&self, offset: u32, landing: u32, ticket: u32, words: u32, cx: &mut Handler<'_>) {
        cx.charge(Primitive::Translate);
        cx.charge(Primitive::FetchWord);
        if words > 1 {
            cx.charge(Operations::NONE.loads(words - 1));
        }
        let mut found = [0; BLOCK];
        let found = self.arena.load(offset, words, &mut found);
        let source = cx.source();
        cx.send_with(source, Self::reply(arena::answer_place(landing, words), ticket), found);
    }

    /// Brings the words that were read; they are the payload.
    #[message(class = Reply)]
    fn reply(&self, landing: u32, ticket: u32, payload: &[u64], cx: &mut Handler<'_>) {
        cx.charge(Primitive::Translate);
        self.place(landing, payload, cx);
        self.count_done(ticket, 1, cx);
    }

    /// Reads any number of words of 8 bytes, or of pairs of 4, at `offset`, and has a transfer bring them to `landing` of the source.
    #[message(class = Read, volume = Request)]
    pub(super) fn fetch(&self, offset: u32, landing: u32, ticket: u32, words: u32, cx: &mut Handler<'_>) {
        cx.charge(Primitive::Translate);
        let found = self.arena.read(offset, words);
        let source = cx.source();
        cx.transfer(source, self.arena.place(landing), &found, Self::fetched(ticket));
    }

    /// Says that a transfer has brought the words that were read.
    #[message(class = Reply)]
    fn fetched(&self, ticket: u32, cx: &mut Handler<'_>) {
        cx.charge(Primitive::Translate);
        self.count_done(ticket, 1, cx);
    }

    /// Writes its payload at `offset`.
    #[message(class = Write)]
    pub(super) fn write(&self, offset: u32, ticket: u32, payload: &[u64], cx: &mut Handler<'_>) {
        cx.charge(Primitive::Translate);
        self.place(offset, payload, cx);
        let source = cx.source();
        cx.send(source, Self::acknowledge(ticket, 1));
    }

    /// Says that a transfer has written a block.
    #[message(class = Write)]
    pub(super) fn written(&self, ticket: u32, cx: &mut Handler<'_>) {
        cx.charge(Primitive::Translate);
        let source = cx.source();
        cx.send(source, Self::acknowledge(ticket, 1));
    }

    /// Says that so many writes or stores are done.
    #[message(class = Acknowledge, volume = Request)]
    fn acknowledge(&self, ticket: u32, amount: u32, cx: &mut Handler<'_>) {
        self.count_done(ticket, amount, cx);
    }

    /// Stores its payload at `offset`, counts it, and confirms so many stores to the source, mostly none.
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

    /// Says that a transfer has stored a block of so many words of 8 bytes, or pairs of 4.
    #[message(class = System)]
    pub(super) fn stored(&self, words: u32, thread: u16, confirms: u16, cx: &mut Handler<'_>) {
        cx.charge(Primitive::Translate);
        self.confirm(thread, confirms, cx);
        self.count_stored(u64::from(words) * WORD_BYTES, cx);
    }

    /// Says how many bytes the source has stored here since it said so last.
    #[message(class = System, volume = Request)]
    pub(super) fn owe(&self, bytes: u64, ticket: u32, cx: &mut Handler<'_>) {
        self.arrivals.owed.add(0, bytes);
        let source = cx.source();
        cx.send(source, Self::acknowledge(ticket, 1));
    }

    #[message]
    type AddToWord = Invoke<FetchAdd>;

    /// Says what a procedure returned, which is the payload.
    #[message]
    pub(super) fn returned(&self, ticket: u32, payload: &[u64], cx: &mut Handler<'_>) {
        let Ticket { thread, kind } = Ticket::from_bits(ticket);
        if let [value] = payload {
            self.arena.cells::<u64>().set(self.arena.landing::<u64>(thread) as usize, *value);
        }
        cx.signal(self.issuers[thread as usize].completed(kind), 1);
    }

    /// Asks for nothing but an answer.
    #[message]
    pub(super) fn call(&self, ticket: u32, cx: &mut Handler<'_>) {
        let source = cx.source();
        cx.send(source, Self::returned(ticket));
    }

    /// Puts a payload into the arena. Its first word has the full price; the others stand beside it.
    fn place(&self, offset: u32, payload: &[u64], cx: &mut Handler<'_>) {
        cx.charge(Primitive::PlaceWord);
        let words = arena::words_of(offset, payload);
        if words > 1 {
            cx.charge(Operations::NONE.stores(words - 1));
        }
        self.arena.store(offset, payload);
    }

    /// Counts requests of a thread of this node as done.
    fn count_done(&self, ticket: u32, amount: u32, cx: &mut Handler<'_>) {
        let Ticket { thread, kind } = Ticket::from_bits(ticket);
        cx.charge(Primitive::Complete);
        cx.signal(self.issuers[thread as usize].completed(kind), amount.into());
    }

    /// Confirms stores to their source.
    pub(super) fn confirm(&self, thread: u16, confirms: u16, cx: &mut Handler<'_>) {
        if confirms > 0 {
            let ticket = Ticket { thread: thread.into(), kind: Kind::Store }.to_bits();
            let source = cx.source();
            cx.send(source, Self::acknowledge(ticket, confirms.into()));
        }
    }

    /// Counts the bytes that have been stored here.
    pub(super) fn count_stored(&self, bytes: u64, cx: &mut Handler<'_>) {
        cx.charge(Primitive::CountStore);
        cx.signal(&self.arrivals.bytes, bytes);
    }
}
