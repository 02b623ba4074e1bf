//! A thread's handle on the global address space: blocking reads and writes, the split-phase scope, procedures.
//!
//! This module must never know how a message is served where it arrives.

use tempest::{Cells, Message, NodeId, Operations, Primitive, Thread};

use super::arena::{self, ArenaWord};
use super::direct::Direct;
use super::pointers::{GlobalPtr, LocalPtr};
use super::procedure::{self, FetchAdd, Invoke, Procedure};
use super::state::{Issuer, Kind, SplitPhase, Ticket};

/// Reading one's own memory through a global pointer: is it here (a comparison and a branch), then the load.
const READ_HERE: Operations = Operations::NONE.integers(2).loads(1);

/// Writing it.
const WRITE_HERE: Operations = Operations::NONE.integers(2).stores(1);

impl SplitPhase {
    /// The global address space as a thread of this node sees it.
    pub fn on<'a>(&'a self, thread: &'a Thread<'a>) -> Memory<'a> {
        Memory { split: self, issuer: &self.issuers[thread.index() as usize], thread }
    }

    /// The words of 8 bytes of this node.
    pub fn arena(&self) -> &Cells<u64> {
        self.arena.cells::<u64>()
    }

    /// A word of this node, for a report.
    ///
    /// # Panics
    /// If the arena has no such word.
    #[inline]
    pub fn load<T: ArenaWord>(&self, from: LocalPtr<T>) -> T {
        arena::value(self.arena.cells::<T>().get(from.offset() as usize))
    }
}

/// The global address space as a thread sees it.
///
/// Every operation that communicates also polls once; what that costs and does is the policy's. One that finds too many
/// requests outstanding waits first, receiving.
#[derive(Clone, Copy)]
pub struct Memory<'a> {
    pub(super) split: &'a SplitPhase,
    pub(super) issuer: &'a Issuer,
    pub(super) thread: &'a Thread<'a>,
}

/// Between its opening and its end, gets and puts may be outstanding. Made by [`Memory::split_phase`].
#[derive(Clone, Copy)]
pub struct Scope<'s> {
    pub(super) memory: Memory<'s>,
}

impl<'a> Memory<'a> {
    /// A word of the own arena.
    ///
    /// # Panics
    /// If the arena has no such word.
    #[inline]
    pub fn load<T: ArenaWord>(&self, from: LocalPtr<T>) -> T {
        self.split.load(from)
    }

    /// Sets a word of the own arena.
    ///
    /// # Panics
    /// If the arena has no such word.
    #[inline]
    pub fn set<T: ArenaWord>(&self, to: LocalPtr<T>, value: T) {
        self.split.arena.cells::<T>().set(to.offset() as usize, arena::raw(value));
    }

    /// Reads a word, and returns when its value is here. The value is that of the moment at which the request is served.
    ///
    /// # Panics
    /// If the pointer leads out of the arena or to a node that does not exist; as do all that follow.
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

    /// Writes a word, and returns when it is in place.
    pub fn write<T: ArenaWord>(&self, to: GlobalPtr<T>, value: T) {
        self.write_word(Kind::Blocking, to, value);
        self.issuer.complete(self.thread, Kind::Blocking);
    }

    /// Opens a scope in which gets and puts may be outstanding, and waits for all of them when `body` has ended, as
    /// [`std::thread::scope`] joins: there is no way out of it with a destination still open.
    pub fn split_phase<R>(&self, body: impl FnOnce(Scope<'_>) -> R) -> R {
        let result = body(Scope { memory: *self });
        self.issuer.complete(self.thread, Kind::Split);
        result
    }

    /// Sends a message that does nothing, and returns when its answer is here.
    pub fn call(&self, node: NodeId) {
        if node != self.split.node {
            let ticket = self.ticket(Kind::Blocking);
            self.issuer.reserve(self.thread);
            self.issuer.count(Kind::Blocking, 1);
            self.send(node, SplitPhase::call(ticket), &[]);
            self.issuer.complete(self.thread, Kind::Blocking);
        }
    }

    /// Adds to a word on its owner's compute processor, wrapping, and returns what it held.
    pub fn fetch_add(&self, word: GlobalPtr<u64>, amount: u64) -> u64 {
        self.own(word, 1);
        self.invoke(word.node(), FetchAdd { offset: word.offset().into(), amount })
    }

    /// Runs a procedure on a node's compute processor, and returns what it returned.
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

    /// Waits until every thread of every node has called this as often. It does not wait for stores
    /// ([`all_store_sync`](Self::all_store_sync) does).
    pub fn barrier(&self) {
        self.split.barrier.wait(self.thread);
    }

    /// Asks for a word.
    fn request<T: ArenaWord>(&self, kind: Kind, from: GlobalPtr<T>, to: LocalPtr<T>) {
        let [from_place, landing] = [from.offset(), to.offset()].map(|offset| arena::place::<T>(offset, 1));
        let read = SplitPhase::read(from_place, landing, self.ticket(kind), 1);
        self.issuer.reserve(self.thread);
        self.issuer.count(kind, 1);
        self.issue(from.node(), read, &[]);
    }

    /// Has a word written.
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

    /// The local part of a pointer if it leads to this node.
    ///
    /// # Panics
    /// If there are not so many words in the arena from there on.
    pub(super) fn own<T: ArenaWord>(&self, pointer: GlobalPtr<T>, words: usize) -> Option<LocalPtr<T>> {
        let (offset, arena) = (pointer.offset(), self.split.arena.len::<T>());
        assert!(
            (offset as usize).checked_add(words).is_some_and(|end| end <= arena as usize),
            "{words} words at offset {offset} of {}: an arena has {arena}",
            pointer.node(),
        );
        (pointer.node() == self.split.node).then(|| pointer.local())
    }

    /// Where completions of a kind are counted, as it travels.
    pub(super) fn ticket(&self, kind: Kind) -> u32 {
        Ticket { thread: self.thread.index(), kind }.to_bits()
    }

    /// Sends an access to memory.
    pub(super) fn issue<M: Message>(&self, to: NodeId, message: M, payload: &[u64]) {
        self.thread.charge(Primitive::Issue);
        self.send(to, message, payload);
    }

    /// Sends, and polls once.
    fn send<M: Message>(&self, to: NodeId, message: M, payload: &[u64]) {
        self.thread.send_with(to, message, payload);
        self.thread.poll();
    }

    /// A node's arena, if accesses to it are direct.
    #[inline]
    pub(super) fn direct<T: ArenaWord>(&self, node: NodeId) -> Option<Direct<'a, T>> {
        if self.split.direct { Direct::of(self.thread, &self.split.arena, node) } else { None }
    }
}

impl Scope<'_> {
    /// Asks for a word, which will be at `to` when the scope is synchronized; until then what stands there is undefined.
    /// Gets and puts that are outstanding have no order among them.
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

    /// Has a word written, which will be in place when the scope is synchronized. The value is taken now.
    pub fn put<T: ArenaWord>(&self, to: GlobalPtr<T>, value: T) {
        self.memory.write_word(Kind::Split, to, value);
    }

    /// Waits for all outstanding gets and puts of this thread, not for stores. The end of the scope does this too.
    pub fn sync(&self) {
        self.memory.issuer.complete(self.memory.thread, Kind::Split);
    }
}
