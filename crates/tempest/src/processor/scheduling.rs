//! The methods by which a world blocks, resumes and times the thread or handler that runs now.
//!
//! This module must never know how a world runs threads.

use std::any::Any;

use units::Time;

use super::Wait;
use crate::plain::key::{DispatchKey, Proof};
use crate::plain::packet::Packet;
use crate::{Block, Event, Memory, Tag, Waiter};

/// The operations that block, resume and time the thread or handler that runs now on a processor.
pub trait Scheduling {
    /// Returns a right to resume the running thread, once, from its next [`block`](Self::block).
    fn waiter(&self) -> Waiter;

    /// Blocks the running thread until its last [`waiter`](Self::waiter) is resumed. Returns at once if that has
    /// happened already. `wait` names the thing that the thread waits for.
    fn block(&self, wait: Wait);

    /// Resumes the thread of this node that made `waiter`. Returns false, and does nothing, if the thread's wait is
    /// over already.
    fn resume(&self, waiter: Waiter) -> bool;

    /// Blocks the running thread until the count of `event` may have reached `at_least`. Returns at once if the count
    /// has reached it already.
    fn wait(&self, event: &Event, at_least: u64);

    /// Adds `amount` to the count of `event` and resumes the threads whose awaited count it reaches.
    fn signal(&self, event: &Event, amount: u64);

    /// Polls at a loop back-edge: runs handlers if the policy makes this processor run them here.
    fn poll(&self);

    /// Notes one turn of a loop in which a thread waits by computing, after the turn's poll. Looks for messages if no
    /// poll of this processor ever looks and no other processor would handle them.
    fn spin(&self) {}

    /// Notes that the thread has passed many loop back-edges, under a policy that never polls at back-edges, in a world
    /// without [`Accounting`](super::Accounting). If the run is over, this can end the thread. Looks for messages if no
    /// other processor would handle them, because the thread may be computing until a message has been handled.
    fn pass_by(&self) {}

    /// The number of back-edges from the last look for messages to the thread's next look, for a thread whose interval
    /// the processor chooses.
    fn next_poll(&self) -> u32 {
        1
    }

    /// Runs `body` once as an event of `key` on this processor, when no conflicting event runs or is older. The proof
    /// that `body` receives shows that it holds the key.
    fn hold(&self, key: DispatchKey, body: &mut dyn FnMut(Proof<'_>));

    /// Raises a thread's access fault: an event of the thread's node, which the handler of `packet` serves. The thread
    /// blocks next, unless the fault is a prefetch. Worlds with [`Accounting`](super::Accounting) get no prefetches.
    fn fault(&self, packet: &Packet);

    /// Reduces the node's right to `block` to `tag` at once, where no thread of the node can be between its test of the
    /// right and the access, and every granted access to the block is done. Otherwise returns false and changes
    /// nothing. The running handler holds the block's key.
    fn lower_at_once(&self, memory: &Memory, block: Block, tag: Tag) -> bool {
        let _ = (memory, block, tag);
        false
    }

    /// Notes that a thread has done an access to shared memory that a handler had granted. A reduction of the node's
    /// right may be waiting for this.
    fn accessed(&self);

    /// Enters the timed region `name`: returns when every thread of every node has entered it.
    fn enter_phase(&self, name: &'static str);

    /// Ends the run with an error that has the text of `panic`, which unwinds the body of a hold or of a run of
    /// accesses to shared memory.
    fn end_by_panic(&self, panic: &(dyn Any + Send));

    /// Ends the run with an error: a panic unwinds the running thread, which calls `what` and would thereby yield its
    /// processor to other threads. If that panic leaves the thread, the run fails with the panic's text instead. Does
    /// nothing after the end of the run.
    fn end_by_unwinding(&self, what: &str);

    /// The time on this processor's clock, from the start of the run.
    fn now(&self) -> Time;
}
