//! Procedures that run on a compute processor of the node that has the memory they touch, one at a time.
//!
//! All procedures of a node have one key. So no two of them overlap, and a procedure may read a word and then write it. Their
//! messages are of class [`Class::Atomic`], which hardly any network processor serves itself. This module must never know how
//! remote words are read and written.

use bytemuck::{Pod, Zeroable};
use tempest::{Cells, Class, Handler, Key, Message, Operations, Thread};

use super::state::SplitPhase;

/// Key of all procedures of a node. The value is arbitrary: it only selects the server under a static partition.
const KEY: u64 = 1;

/// Cost of a fetch-and-add: a load, an addition and a store.
const FETCH_ADD: Operations = Operations::NONE.loads(1).integers(1).stores(1);

/// A procedure and its arguments, sent to another node to run there: plain data, at most 12 words of 8 bytes.
///
/// Register it with [`Plan::procedure`](super::Plan::procedure); run it with [`Memory::invoke`](super::Memory::invoke) or
/// [`Memory::post`](super::Memory::post).
pub trait Procedure: Pod {
    /// Runs on the arena of the target node and returns the result for the issuer; the result of a posted procedure is discarded.
    /// The call is atomic against all other procedures of that node. It must be short and never block, and charges its work to
    /// `cx`.
    ///
    /// Remote writes and stores to a word that the procedure changes are not excluded: a network processor may perform them
    /// meanwhile.
    fn run(self, arena: &Cells<u64>, cx: &mut Handler<'_>) -> u64;
}

/// Procedure that adds to a word and returns the word's previous value.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct FetchAdd {
    pub(super) offset: u64,
    pub(super) amount: u64,
}

impl Procedure for FetchAdd {
    fn run(self, arena: &Cells<u64>, cx: &mut Handler<'_>) -> u64 {
        cx.charge(FETCH_ADD);
        arena.add(cx, self.offset as usize, self.amount)
    }
}

/// Message that invokes a procedure. The payload is the ticket by which the issuer counts the completion.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(transparent)]
pub(super) struct Invoke<P>(pub(super) P);

/// Message that posts a procedure: no result is sent back. The target counts it as a store and confirms `confirms` stores to the
/// source (mostly 0).
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, packed)]
pub(super) struct Post<P> {
    pub(super) procedure: P,
    pub(super) thread: u16,
    pub(super) confirms: u16,
}

/// Runs a procedure on the thread's own node, and returns its result.
pub(super) fn run_here<P: Procedure>(procedure: P, split: &SplitPhase, thread: &Thread<'_>) -> u64 {
    thread.hold(split.space.key(KEY), |cx| procedure.run(split.arena(), cx))
}

impl<P: Procedure> Message for Invoke<P> {
    type Protocol = SplitPhase;
    const CLASS: Class = Class::Atomic;

    fn key(&self) -> Key {
        Key::User(KEY)
    }

    fn handle(self, split: &SplitPhase, payload: &[u64], cx: &mut Handler<'_>) {
        let value = self.0.run(split.arena(), cx);
        let source = cx.source();
        cx.send_with(source, SplitPhase::returned(payload[0] as u32), &[value]);
    }
}

impl<P: Procedure> Message for Post<P> {
    type Protocol = SplitPhase;
    const CLASS: Class = Class::Atomic;

    fn key(&self) -> Key {
        Key::User(KEY)
    }

    fn handle(self, split: &SplitPhase, _: &[u64], cx: &mut Handler<'_>) {
        let Self { procedure, thread, confirms } = self;
        procedure.run(split.arena(), cx);
        split.confirm(thread, confirms, cx);
        split.count_stored(size_of::<P>() as u64, cx);
    }
}
