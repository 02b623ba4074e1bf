//! Procedures that run on the node that owns the memory they touch, on its compute processor, one at a time.
//!
//! They are the program's own messages ([`Class::User`]): a network processor passes them on. So no two of them overlap, and a
//! procedure may read a word and then write it. This module must never know how words are read and written from afar.

use bytemuck::{Pod, Zeroable};
use tempest::{Cells, Handler, Key, Message, Operations, Thread};

use super::state::SplitPhase;

/// The number under which all procedures of a node run. Any would do: it decides which server of a static partition runs them.
const KEY: u64 = 1;

/// A load, an addition and a store.
const FETCH_ADD: Operations = Operations::NONE.loads(1).integers(1).stores(1);

/// A procedure and its arguments: plain data, at most 12 words of 8 bytes.
///
/// Registered with [`Plan::procedure`](super::Plan::procedure), run with [`Memory::invoke`](super::Memory::invoke) or
/// [`Memory::post`](super::Memory::post).
pub trait Procedure: Pod {
    /// What it does, to the arena of the node it was sent to, and what it returns to the issuer. Atomic against all other
    /// procedures of that node; it is short and never blocks. It accounts for its work through `cx`. Nobody is told what a posted
    /// procedure returns.
    ///
    /// A write or store from afar to a word that it changes is not excluded: a network processor may do that.
    fn run(self, arena: &Cells<u64>, cx: &mut Handler<'_>) -> u64;
}

/// Adds to a word and returns what it held.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct FetchAdd {
    pub(super) offset: u64,
    pub(super) amount: u64,
}

impl Procedure for FetchAdd {
    fn run(self, arena: &Cells<u64>, cx: &mut Handler<'_>) -> u64 {
        cx.charge(FETCH_ADD);
        arena.add(self.offset as usize, self.amount)
    }
}

/// A procedure on its way; the payload is the ticket.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(transparent)]
pub(super) struct Invoke<P>(pub(super) P);

/// A procedure on its way whose issuer hears nothing of it. The target counts it as a store, and confirms so many stores to the
/// source, mostly none.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, packed)]
pub(super) struct Post<P> {
    pub(super) procedure: P,
    pub(super) thread: u16,
    pub(super) confirms: u16,
}

/// Runs a procedure on the thread's own node.
pub(super) fn run_here<P: Procedure>(procedure: P, split: &SplitPhase, thread: &Thread<'_>) -> u64 {
    thread.hold(split.space.key(KEY), |cx| procedure.run(split.arena(), cx))
}

impl<P: Procedure> Message for Invoke<P> {
    type Protocol = SplitPhase;

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
