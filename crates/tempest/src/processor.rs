//! The cold edge: what a world does for the thread or handler that one of its processors runs at the moment.
//!
//! Programs never see it; [`Thread`](crate::Thread) and [`Handler`](crate::Handler) call it. Every method
//! acts for the thread or handler that runs *now* on this processor. This module must never know any one
//! world.

use std::fmt;

use units::Time;

use crate::key::DispatchKey;
use crate::key::Proof;
use crate::message::Packet;
use crate::node::Node;
use crate::{Access, Block, Event, MemoryEvents, NodeId, Place, Waiter, Work};

/// The thing that a blocked thread waits for, as a deadlock report prints it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wait {
    /// An event's count.
    Event {
        /// The event's name.
        name: &'static str,
        /// The count that the thread waits for.
        at_least: u64,
        /// The count when the thread blocked.
        had: u64,
    },
    /// A right to a block of shared memory. This counts as a wait for memory; the other two count as synchronization.
    Block,
    /// A resumption by the thread's waiter.
    Resume {
        /// The name that the program gave to the thing that the thread waits for.
        what: &'static str,
    },
}

impl Wait {
    /// The name of the thing that the thread waits for, without its count.
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

/// A processor of a world, as the thread or handler that runs on it uses it.
pub trait Processor {
    /// Sends a handler's message. Never refuses, never waits. The message takes its place in the node's order
    /// before the handler's key is released.
    fn post(&self, to: NodeId, packet: &Packet);

    /// Sends a handler's transfer. Never refuses, never waits. `data` are in place on `to` when the packet's
    /// handler runs there.
    fn post_transfer(&self, to: NodeId, place: Place, data: &[u64], packet: &Packet);

    /// Sends a thread's message. Returns false if there is no room now.
    fn offer(&self, to: NodeId, packet: &Packet) -> bool;

    /// Sends a thread's transfer: moves `data` to a place on `to`; then the packet's handler runs there.
    /// Returns false, perhaps with some of the data in place, if there is no room now.
    fn transfer(&self, to: NodeId, place: Place, data: &[u64], packet: &Packet) -> bool;

    /// Sends a thread's transfer of `data`, which are the words at `source` on this node. Returns false,
    /// perhaps with some of the data in place, if there is no room now.
    fn transfer_from(&self, source: Place, to: NodeId, place: Place, data: &[u64], packet: &Packet) -> bool {
        let _ = source;
        self.transfer(to, place, data, packet)
    }

    /// Sends a thread's deposit: puts `words` in place on `to` and counts them there. Returns false if there
    /// is no room now.
    fn deposit(&self, to: NodeId, place: Place, words: &[u64]) -> bool;

    /// The given node, if loads and stores of this processor reach the memory of its segments; `None`
    /// otherwise.
    fn mapped(&self, node: NodeId) -> Option<&Node> {
        let _ = node;
        None
    }

    /// Gives the processor away until there may be room towards `to`; receives meanwhile.
    fn make_room(&self, to: NodeId);

    /// The right to resume the running thread from its next [`block`](Self::block).
    fn waiter(&self) -> Waiter;

    /// Blocks the running thread until the waiter that it took last is resumed; returns at once if that has
    /// happened already.
    fn block(&self, wait: Wait);

    /// Resumes a blocked thread of this node. Returns false if the waiter is out of date.
    fn resume(&self, waiter: Waiter) -> bool;

    /// Blocks the running thread until an event may have counted `at_least`; returns at once if it has.
    fn wait(&self, event: &Event, at_least: u64) {
        if event.enlist(at_least, self.waiter()) {
            self.block(Wait::Event { name: event.name(), at_least, had: event.count() });
        }
    }

    /// Adds to the count of an event and resumes the threads that the new count satisfies.
    fn signal(&self, event: &Event, amount: u64) {
        event.add(amount, |waiter| {
            self.resume(waiter);
        });
    }

    /// Polls at a back-edge: runs handlers if the policy has this processor do so here.
    fn poll(&self);

    /// The number of back-edges from the last poll to the thread's next one. `usual` is the number that the
    /// policy gives.
    fn next_poll(&self, usual: u32) -> u32 {
        usual
    }

    /// Runs `body` once as an event of `key` on this processor: when no conflicting event runs or is older.
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

    /// The counters of this node's memory system.
    fn memory_events(&self) -> MemoryEvents {
        MemoryEvents::default()
    }

    /// Sends a handler's message together with the words of a block of shared memory. Never refuses, never
    /// waits. The words are the block's in the memory of `to` when the packet's handler runs there.
    fn post_block(&self, to: NodeId, block: Block, words: &[u64], packet: &Packet);

    /// Raises a thread's access fault: an event of its own node that the packet's handler serves. The thread
    /// blocks next.
    fn fault(&self, packet: &Packet);

    /// Notes that a granted access has been done, for which a lowering may wait.
    fn accessed(&self);

    /// Called before the test of a tag, where the processor [`accounts`](Self::accounts): lets everything
    /// happen that comes before this processor's clock and could be observed.
    fn approach(&self) {}

    /// Accounts for an access to a word of shared memory at a modelled address, where the processor
    /// [`accounts`](Self::accounts). The tag allowed the access, and it has been done.
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
