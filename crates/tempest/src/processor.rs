//! The cold edge: what a world does for the thread or handler that a processor runs at the moment.
//!
//! Programs never see it; [`Thread`](crate::Thread) and [`Handler`](crate::Handler) call it. Every method acts
//! for the thread or handler that is running *now* on this processor.

use std::fmt;

use units::Time;

use crate::key::DispatchKey;
use crate::{Access, Block, Event, MemoryEvents, Node, NodeId, Packet, Place, Proof, Waiter, Work};

/// What a blocked thread waits for, as a deadlock report will say it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wait {
    /// An event's count.
    Event {
        /// Name of the event.
        name: &'static str,
        /// The count it waits for.
        at_least: u64,
        /// The count when it blocked.
        had: u64,
    },
    /// A right to a block of shared memory: a wait for memory, where all others are waits for another thread.
    Block,
    /// Being resumed by name.
    Resume {
        /// For what, in the program's words.
        what: &'static str,
    },
}

impl Wait {
    /// For what, in the program's words alone.
    pub fn what(self) -> &'static str {
        match self {
            Wait::Event { name, .. } => name,
            Wait::Block => "a block of shared memory",
            Wait::Resume { what } => what,
        }
    }
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wait::Event { name, at_least, had } => {
                write!(f, "event `{name}`: at {had}, waiting for {at_least}")
            }
            Wait::Block | Wait::Resume { .. } => write!(f, "`{}`", self.what()),
        }
    }
}

/// A processor of a world, seen from what runs on it.
pub trait Processor {
    /// A handler's send: never refuses, never waits. The message takes its place in the node's order before the
    /// handler's key is released.
    fn post(&self, to: NodeId, packet: &Packet);

    /// A handler's transfer: as [`post`](Self::post), and `data` are in place on `to` when the packet's handler runs there.
    fn post_transfer(&self, to: NodeId, place: Place, data: &[u64], packet: &Packet);

    /// A thread's send: false if there is no room now.
    fn offer(&self, to: NodeId, packet: &Packet) -> bool;

    /// A thread's transfer: moves `data` to a place on `to`, then the packet's handler runs there. False, and then
    /// perhaps with some of the data in place, if there is no room now.
    fn transfer(&self, to: NodeId, place: Place, data: &[u64], packet: &Packet) -> bool;

    /// As [`transfer`](Self::transfer); `data` are the words at `source` on this node.
    fn transfer_from(&self, source: Place, to: NodeId, place: Place, data: &[u64], packet: &Packet) -> bool {
        let _ = source;
        self.transfer(to, place, data, packet)
    }

    /// A thread's deposit: puts `words` in place on `to` and counts them there. False if there is no room now.
    fn deposit(&self, to: NodeId, place: Place, words: &[u64]) -> bool;

    /// A node, if the memory of its segments is mapped here: if loads and stores of this processor reach it.
    fn mapped(&self, node: NodeId) -> Option<&Node> {
        let _ = node;
        None
    }

    /// Gives the processor away until there may be room towards `to`; receives meanwhile.
    fn make_room(&self, to: NodeId);

    /// The right to resume the running thread from its next [`block`](Self::block).
    fn waiter(&self) -> Waiter;

    /// Blocks the running thread until the waiter it took last is resumed; returns at once if that has happened.
    fn block(&self, wait: Wait);

    /// Resumes a blocked thread of this node. False if the waiter is out of date.
    fn resume(&self, waiter: Waiter) -> bool;

    /// Blocks the running thread until an event may have counted `at_least`; returns at once if it has.
    fn wait(&self, event: &Event, at_least: u64) {
        if event.enlist(at_least, self.waiter()) {
            self.block(Wait::Event { name: event.name(), at_least, had: event.count() });
        }
    }

    /// Adds to the count of an event and resumes the threads that this satisfies.
    fn signal(&self, event: &Event, amount: u64) {
        event.add(amount, |waiter| {
            self.resume(waiter);
        });
    }

    /// A back-edge poll: runs handlers if the policy says that this processor does so here.
    fn poll(&self);

    /// At how many back-edges from the poll that was the thread polls next, which was meant to be at `usual`.
    fn next_poll(&self, usual: u32) -> u32 {
        usual
    }

    /// Runs `body` once as an event of `key` on this processor: when nothing conflicting runs or is older.
    fn hold(&self, key: DispatchKey, body: &mut dyn FnMut(Proof<'_>));

    /// Enters a timed region: returns when every thread of every node has entered it.
    fn enter_phase(&self, name: &'static str);

    /// The time on this processor's clock, since the run began.
    fn now(&self) -> Time;

    /// Accounts for touching words of this node's segments, where [`accounts`](Self::accounts).
    fn touch(&self, place: Place, words: usize, access: Access) {
        let _ = (place, words, access);
    }

    /// Accounts for waiting until all that was flushed is in memory, where [`accounts`](Self::accounts).
    fn drain(&self) {}

    /// Whether caches and interfaces keep each other up to date by themselves.
    fn is_coherent(&self) -> bool {
        true
    }

    /// What this node's memory system has counted.
    fn memory_events(&self) -> MemoryEvents {
        MemoryEvents::default()
    }

    /// A handler's message that brings a block of shared memory: as [`post`](Self::post), and `words` are the block's in the
    /// memory of `to` when the packet's handler runs there.
    fn post_block(&self, to: NodeId, block: Block, words: &[u64], packet: &Packet);

    /// A thread's access fault: an event of the own node, which the packet's handler deals with. The thread blocks next.
    fn fault(&self, packet: &Packet);

    /// An access has been done that was granted, and a lowering may wait for it.
    fn accessed(&self);

    /// Before the test of a tag, where [`accounts`](Self::accounts): lets happen what comes before this processor's clock,
    /// as far as anybody can tell.
    fn approach(&self) {}

    /// Accounts for an access to a word of shared memory at a modelled address, where [`accounts`](Self::accounts). It has been
    /// done, and the tag allowed it.
    fn access(&self, address: u64, access: Access) {
        let _ = (address, access);
    }

    /// Accounts for work, where [`accounts`](Self::accounts).
    fn charge(&self, work: Work);

    /// Makes the next effect come after all work charged so far, where [`accounts`](Self::accounts).
    fn synchronize(&self);

    /// Whether work costs time here: true in a model, false natively. Constant for a processor.
    fn accounts(&self) -> bool;
}
