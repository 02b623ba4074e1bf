//! A thread's handle on the global address space: blocking reads and writes, the split-phase scope, procedures.
//!
//! This module must never know how the target serves a message.

use tempest::data::Clocked;
use tempest::{Cells, Message, NodeId, Operations, Primitive, Thread};

use super::arena::{self, ArenaWord};
use super::direct::Direct;
use super::pointers::{GlobalPtr, LocalPtr};
use super::procedure::{self, FetchAdd, Invoke, Procedure};
use super::state::{Issuer, Kind, SplitPhase, Ticket};

/// Cost of a read from the own node through a global pointer: test of the node (comparison and branch), then the load.
const READ_HERE: Operations = Operations::NONE.integers(2).loads(1);

/// Cost of a write to the own node through a global pointer: test of the node, then the store.
const WRITE_HERE: Operations = Operations::NONE.integers(2).stores(1);

impl SplitPhase {
    /// Returns the handle with which `thread`, a thread of this node, uses the global address space.
    pub fn on<'a>(&'a self, thread: &'a Thread<'a>) -> Memory<'a> {
        Memory { split: self, issuer: &self.issuers[thread.index() as usize], thread }
    }

    /// Returns the words of 8 bytes in the arena of this node.
    pub fn arena(&self) -> &Cells<u64> {
        self.arena.cells::<u64>()
    }

    /// Reads a word of this node's arena. `on` names the reader: a thread, a handler, or the state of the node at the end of the
    /// run.
    ///
    /// # Panics
    /// If the arena has no word at `from`.
    #[inline]
    pub fn load<T: ArenaWord>(&self, on: &impl Clocked, from: LocalPtr<T>) -> T {
        arena::value(self.arena.cells::<T>().get(on, from.offset() as usize))
    }
}

/// A thread's handle on the global address space.
///
/// Every operation that communicates also polls for messages once; the run's policy decides the meaning and cost of a poll. An
/// operation that finds the window of outstanding requests full waits first, and receives messages meanwhile.
#[derive(Clone, Copy)]
pub struct Memory<'a> {
    pub(super) split: &'a SplitPhase,
    pub(super) issuer: &'a Issuer,
    pub(super) thread: &'a Thread<'a>,
}

/// Scope of a thread in which gets and puts may be outstanding. Made by [`Memory::split_phase`].
#[derive(Clone, Copy)]
pub struct Scope<'s> {
    pub(super) memory: Memory<'s>,
}

impl<'a> Memory<'a> {
    /// Reads a word of this node's arena.
    ///
    /// # Panics
    /// If the arena has no word at `from`.
    #[inline]
    pub fn load<T: ArenaWord>(&self, from: LocalPtr<T>) -> T {
        self.split.load(self.thread, from)
    }

    /// Sets a word of this node's arena.
    ///
    /// # Panics
    /// If the arena has no word at `to`.
    #[inline]
    pub fn set<T: ArenaWord>(&self, to: LocalPtr<T>, value: T) {
        self.split.arena.cells::<T>().set(self.thread, to.offset() as usize, arena::raw(value));
    }

    /// Reads a word of any node's arena, and returns when the value is here. A word that is neither on this node nor in mapped
    /// memory is fetched by a request: its value is the one at the moment when its node serves the request.
    ///
    /// # Panics
    /// If the pointer leads out of the arena, or to a node that does not exist.
    pub fn read<T: ArenaWord>(&self, from: GlobalPtr<T>) -> T {
        if let Some(here) = self.own(from, 1) {
            self.thread.charge(READ_HERE);
            return self.load(here);
        }
        if let Some(there) = self.direct::<T>(from.node()) {
            return there.read(from);
        }
        let landing = LocalPtr::new(self.split.arena.landing::<T>(self.thread.index()));
        self.request(Kind::Blocking, from, landing);
        self.issuer.complete(self.thread, Kind::Blocking);
        self.load(landing)
    }

    /// Writes a word of any node's arena. Returns when the word is in place.
    ///
    /// # Panics
    /// If the pointer leads out of the arena, or to a node that does not exist.
    pub fn write<T: ArenaWord>(&self, to: GlobalPtr<T>, value: T) {
        self.write_word(Kind::Blocking, to, value);
        self.issuer.complete(self.thread, Kind::Blocking);
    }

    /// Opens a scope in which gets and puts may be outstanding, and waits for all of them after `body`. As with [`std::thread::scope`],
    /// control flow leaves the scope only when all of them are complete.
    pub fn split_phase<R>(&self, body: impl FnOnce(Scope<'_>) -> R) -> R {
        let result = body(Scope { memory: *self });
        self.issuer.complete(self.thread, Kind::Split);
        result
    }

    /// Sends an empty request to `node` and returns when the reply has arrived.
    pub fn call(&self, node: NodeId) {
        if node != self.split.node {
            let ticket = self.ticket(Kind::Blocking);
            self.issuer.reserve(self.thread);
            self.issuer.count(Kind::Blocking, 1);
            self.send(node, SplitPhase::call(ticket), &[]);
            self.issuer.complete(self.thread, Kind::Blocking);
        }
    }

    /// Adds `amount` to a word, on a compute processor of the word's node. The sum wraps. Returns the previous value.
    ///
    /// # Panics
    /// If the pointer leads out of the arena, or to a node that does not exist.
    pub fn fetch_add(&self, word: GlobalPtr<u64>, amount: u64) -> u64 {
        self.own(word, 1);
        self.invoke(word.node(), FetchAdd { offset: word.offset().into(), amount })
    }

    /// Runs a procedure on a compute processor of `node`, and waits for its result, which it returns.
    pub fn invoke<P: Procedure>(&self, node: NodeId, procedure: P) -> u64 {
        if node == self.split.node {
            return procedure::run_here(procedure, self.split, self.thread);
        }
        let ticket = self.ticket(Kind::Blocking);
        self.issuer.reserve(self.thread);
        self.issuer.count(Kind::Blocking, 1);
        self.send(node, Invoke(procedure), &[ticket.into()]);
        self.issuer.complete(self.thread, Kind::Blocking);
        self.load(LocalPtr::new(self.split.arena.landing::<u64>(self.thread.index())))
    }

    /// Waits until every thread of every node has called `barrier` as many times as this thread. Does not wait for stores;
    /// [`all_store_sync`](Self::all_store_sync) does.
    pub fn barrier(&self) {
        self.split.barrier.wait(self.thread);
    }

    /// Sends the request to read the word at `from` into `to`.
    fn request<T: ArenaWord>(&self, kind: Kind, from: GlobalPtr<T>, to: LocalPtr<T>) {
        let [from_place, landing] = [from.offset(), to.offset()].map(|offset| arena::place::<T>(offset, 1));
        let read = SplitPhase::read(from_place, landing, self.ticket(kind), 1);
        self.issuer.reserve(self.thread);
        self.issuer.count(kind, 1);
        self.issue(from.node(), read, &[]);
    }

    /// Writes one word. Sends a request if the word is on another node whose memory is not mapped.
    fn write_word<T: ArenaWord>(&self, kind: Kind, to: GlobalPtr<T>, value: T) {
        if let Some(here) = self.own(to, 1) {
            self.thread.charge(WRITE_HERE);
            return self.set(here, value);
        }
        if let Some(there) = self.direct::<T>(to.node()) {
            return there.write(to, value);
        }
        let write = SplitPhase::write(arena::place::<T>(to.offset(), 1), self.ticket(kind));
        self.issuer.reserve(self.thread);
        self.issuer.count(kind, 1);
        self.issue(to.node(), write, &[arena::alone(value)]);
    }

    /// Checks a pointer to `words` words. Returns its local part if it points to this node, else `None`.
    ///
    /// # Panics
    /// If the arena has fewer words from the pointer on.
    pub(super) fn own<T: ArenaWord>(&self, pointer: GlobalPtr<T>, words: usize) -> Option<LocalPtr<T>> {
        let (offset, arena) = (pointer.offset(), self.split.arena.len::<T>());
        assert!(
            (offset as usize).checked_add(words).is_some_and(|end| end <= arena as usize),
            "{words} words at offset {offset} of {}: an arena has {arena}",
            pointer.node(),
        );
        (pointer.node() == self.split.node).then(|| pointer.local())
    }

    /// Encodes this thread and `kind` in one word. A request carries the word, and its completion is counted for that thread and kind.
    pub(super) fn ticket(&self, kind: Kind) -> u32 {
        Ticket { thread: self.thread.index(), kind }.to_bits()
    }

    /// Sends the message of an access to memory, charges its issue, and polls once.
    pub(super) fn issue<M: Message>(&self, to: NodeId, message: M, payload: &[u64]) {
        self.thread.charge(Primitive::Issue);
        self.send(to, message, payload);
    }

    /// Sends a message, then polls once.
    fn send<M: Message>(&self, to: NodeId, message: M, payload: &[u64]) {
        self.thread.send_with(to, message, payload);
        self.thread.poll();
    }

    /// Returns the arena of `node`, if the plan asks for direct access and the world maps that arena.
    #[inline]
    pub(super) fn direct<T: ArenaWord>(&self, node: NodeId) -> Option<Direct<'a, T>> {
        if self.split.direct { Direct::of(self.thread, &self.split.arena, node) } else { None }
    }
}

impl Scope<'_> {
    /// Requests the word at `from`. It is at `to` after the scope has been synchronized; before that the content of `to` is undefined.
    /// Outstanding gets and puts are not ordered.
    ///
    /// # Panics
    /// If a pointer leads out of the arena, or to a node that does not exist.
    pub fn get<T: ArenaWord>(&self, from: GlobalPtr<T>, to: LocalPtr<T>) {
        let memory = self.memory;
        if let Some(here) = memory.own(from, 1) {
            memory.thread.charge(READ_HERE);
            return memory.set(to, memory.load(here));
        }
        if let Some(there) = memory.direct::<T>(from.node()) {
            return memory.set(to, there.read(from));
        }
        memory.request(Kind::Split, from, to);
    }

    /// Requests that `value` be written to `to`. It is in place after the scope has been synchronized. The value is copied at the call.
    ///
    /// # Panics
    /// If the pointer leads out of the arena, or to a node that does not exist.
    pub fn put<T: ArenaWord>(&self, to: GlobalPtr<T>, value: T) {
        self.memory.write_word(Kind::Split, to, value);
    }

    /// Waits for all outstanding gets and puts of this thread, not for stores. The end of the scope does this too.
    pub fn sync(&self) {
        self.memory.issuer.complete(self.memory.thread, Kind::Split);
    }
}
