//! Stores: writes and procedure calls whose issuer does not wait. The target node counts the bytes that arrive, and its threads
//! wait for the count.
//!
//! This module must never know how the target serves a store.

use tempest::{NodeId, Operations};

use super::arena::{self, ArenaWord};
use super::handle::Memory;
use super::pointers::GlobalPtr;
use super::procedure::{self, Post, Procedure};
use super::state::{Kind, SplitPhase};

/// Cost of a store to the own node: test of the node, the store, and the count of arrived bytes.
const STORE_HERE: Operations = Operations::NONE.integers(3).loads(1).stores(2);

/// Cost of posting a procedure to the own node, without the procedure: test of the node, and the count of arrived bytes.
const POST_HERE: Operations = Operations::NONE.integers(3).loads(1).stores(1);

impl Memory<'_> {
    /// Stores `value` to a word of any node's arena, without waiting. The issuer is not told of the completion; the word's node counts
    /// the bytes.
    ///
    /// # Panics
    /// If the pointer leads out of the arena, or to a node that does not exist.
    pub fn store<T: ArenaWord>(&self, to: GlobalPtr<T>, value: T) {
        let here = self.own(to, 1);
        let bytes = size_of::<T>() as u64;
        self.issuer.note_stored(to.node(), bytes);
        if let Some(here) = here {
            self.thread.charge(STORE_HERE);
            self.set(here, value);
            return self.thread.signal(&self.split.arrivals.bytes, bytes);
        }
        let (thread, confirms) = self.count_store(to.node());
        let place = arena::place::<T>(to.offset(), 1);
        self.issue(to.node(), SplitPhase::store(place, thread, confirms), &[arena::alone(value)]);
    }

    /// Runs a procedure on a compute processor of `node`, without waiting. The issuer is told neither of its completion nor of
    /// its result; the target counts the bytes of `P` like a store's. A program can append to a list on another node in this way.
    ///
    /// # Panics
    /// If the procedure was not [registered](super::Plan::procedure), or if there is no node `node`.
    pub fn post<P: Procedure>(&self, node: NodeId, procedure: P) {
        let bytes = size_of::<P>() as u64;
        self.issuer.note_stored(node, bytes);
        if node == self.split.node {
            self.thread.charge(POST_HERE);
            procedure::run_here(procedure, self.split, self.thread);
            return self.thread.signal(&self.split.arrivals.bytes, bytes);
        }
        let (thread, confirms) = self.count_store(node);
        self.issue(node, Post { procedure, thread, confirms }, &[]);
    }

    /// Reserves room in the window for a store to node `to` that must be confirmed, and counts it. Returns the thread's number
    /// and the number of stores that the target shall confirm, both as a message holds them.
    pub(super) fn count_store(&self, to: NodeId) -> (u16, u16) {
        if self.issuer.confirms_stores() {
            self.issuer.reserve(self.thread);
        }
        let index = self.thread.index();
        let thread = u16::try_from(index).unwrap_or_else(|_| {
            panic!(
                "thread {index} of a node stores: expected at most 65536 threads a node, with fewer --threads"
            )
        });
        (thread, self.issuer.count_store(to))
    }

    /// Waits until stores of `bytes` bytes have arrived at this node, beyond the bytes for which earlier calls have waited.
    pub fn store_sync(&self, bytes: u64) {
        self.split.arrivals.wait(self.thread, bytes);
    }

    /// Waits until all stores and posts that any thread of any node issued before its call are in place. All of their bytes count
    /// as waited for. Every thread of every node must call it. Gets and puts of this thread are complete then too.
    ///
    /// Each node first announces to every target the number of bytes it has stored there. A barrier ends the announcements, each node
    /// waits for the bytes announced to it, and a second barrier lets all threads go on.
    pub fn all_store_sync(&self) {
        for to in (0..self.thread.nodes()).map(NodeId) {
            match self.issuer.take_stored(to) {
                0 => {}
                bytes if to == self.split.node => {
                    self.split.arrivals.owed.add(self.thread, 0, bytes);
                }
                bytes => self.tell(to, bytes),
            }
        }
        self.issuer.complete(self.thread, Kind::Split);
        self.barrier();
        self.split.arrivals.wait_for_all(self.thread);
        self.barrier();
        self.issuer.settle_stores(self.thread);
    }

    fn tell(&self, to: NodeId, bytes: u64) {
        self.issuer.reserve(self.thread);
        self.issuer.count(Kind::Split, 1);
        self.thread.send(to, SplitPhase::owe(bytes, self.ticket(Kind::Split)));
    }
}
