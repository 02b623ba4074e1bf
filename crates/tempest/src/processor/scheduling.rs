//! The methods by which a world blocks, resumes and times the thread or handler that runs now.
//!
//! This module must never know how a world runs threads.

use std::any::Any;

use units::Time;

use super::Wait;
use crate::plain::key::{DispatchKey, Proof};
use crate::plain::packet::Packet;
use crate::{Block, Event, Memory, Tag, Waiter};

/// The waits, polls, holds and faults of the thread or handler that runs now on a processor.
pub trait Scheduling {
    /// The right to resume the running thread from its next [`block`](Self::block).
    fn waiter(&self) -> Waiter;

    /// Blocks the running thread until the waiter that it took last is resumed; returns at once if that has
    /// happened already.
    fn block(&self, wait: Wait);

    /// Resumes a blocked thread of this node. Returns false if the waiter is out of date.
    fn resume(&self, waiter: Waiter) -> bool;

    /// Blocks the running thread until an event may have counted `at_least`; returns at once if it has.
    fn wait(&self, event: &Event, at_least: u64);

    /// Adds to the count of an event and resumes the threads that the new count satisfies.
    fn signal(&self, event: &Event, amount: u64);

    /// Polls at a back-edge: runs handlers if the policy has this processor do so here.
    fn poll(&self);

    /// Notes a turn of a loop that waits by computing, after its poll. Looks for messages if no poll of this
    /// processor ever does and no other processor would handle them.
    fn spin(&self) {}

    /// Notes that the thread has passed many back-edges, under a policy that polls at none of them, in a world without
    /// [`Accounting`](super::Accounting). A run that is over can end the thread here. Looks for messages if no other processor would
    /// handle them, because the thread may be computing until one of them has been handled.
    fn pass_by(&self) {}

    /// The number of back-edges from the last look for messages to the thread's next one, for a thread whose interval the
    /// processor chooses.
    fn next_poll(&self) -> u32 {
        1
    }

    /// Runs `body` once as an event of `key` on this processor: when no conflicting event runs or is older.
    fn hold(&self, key: DispatchKey, body: &mut dyn FnMut(Proof<'_>));

    /// Raises a thread's access fault: an event of its own node that the packet's handler serves. The thread
    /// blocks next, unless the fault is a prefetch. A world with [`Accounting`](super::Accounting) is given no prefetch.
    fn fault(&self, packet: &Packet);

    /// Lowers the tag of a block at once, where no thread of the node can be between a test and its access and no granted access
    /// of the block is outstanding. Returns false, with nothing changed, elsewhere. The running handler holds the block's key.
    fn lower_at_once(&self, memory: &Memory, block: Block, tag: Tag) -> bool {
        let _ = (memory, block, tag);
        false
    }

    /// Notes that a granted access has been done, for which a lowering may wait.
    fn accessed(&self);

    /// Enters a timed region: returns when every thread of every node has entered it.
    fn enter_phase(&self, name: &'static str);

    /// Ends the run with an error in the words of `panic`, with which the body of a hold or of a run of shared memory unwinds.
    fn end_by_panic(&self, panic: &(dyn Any + Send));

    /// Ends the run with an error: a panic unwinds the running thread, which would now give its processor away by `what`. If
    /// that panic leaves the thread, the run fails with the words of the panic instead. Does nothing in a run that is over.
    fn end_by_unwinding(&self, what: &str);

    /// The time on this processor's clock, since the run began.
    fn now(&self) -> Time;
}
