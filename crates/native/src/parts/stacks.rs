//! The stacks of a processor: one for each of its threads, and one for its scheduling loop, all of one size.
//!
//! # Stack of a handler
//!
//! A handler has [`Handler::STACK_BYTES`] wherever it runs. The loop has used little of its [`Thread::STACK_BYTES`] when it serves, and so
//! have most threads when they poll, find no room for a message, or fault. A thread that has used more than the rest serves no event
//! itself: it steps back, and the loop serves before the thread goes on. So the depth of a thread decides only where a handler runs.
//!
//! # Thread-locals
//!
//! This file has the room's only unsafe block. Threads of one processor share the thread-locals of its OS thread; the resulting rules for
//! programs are documented at [`Thread`].
//!
//! This module must never know the code that runs on a stack.

#![expect(unsafe_code, reason = "the one place in this room: the contract of stackful threads")]

use std::io;
use std::rc::Rc;
use std::thread::panicking;

use fiber::{Fiber, Owner, Pool};
use tempest::{Handler, Thread};

use crate::parts::core::Processor;
use crate::parts::world::World;

/// The owner of the fibers here: only this world's processors suspend them. A fiber suspended by a program would never resume.
pub(crate) static PROCESSORS: Owner = Owner::new(
    "a thread gives its processor away by the methods of `Thread`, such as `wait`, `poll` and `send`",
);

/// Stacks for the threads and the loop of a processor. Untouched pages cost nothing.
pub(crate) fn pool() -> Pool {
    Pool::new(Thread::STACK_BYTES).owned_by(&PROCESSORS)
}

/// Free stack that a serving thread needs, in bytes: for a handler and for the calls of this room up to it.
const NEEDED_BYTES: usize = Handler::STACK_BYTES + 16 * 1024;

/// Makes a stack on which `body` runs. If it overflows, the error names the processor's activity.
///
/// # Errors
/// The system's error if it has no memory for another stack.
pub(crate) fn spawn(
    processor: &Rc<Processor>,
    pool: &Pool,
    body: impl FnOnce() + 'static,
) -> io::Result<Fiber> {
    let occupant: Rc<Processor> = Rc::clone(processor);
    // SAFETY: the description of a processor's activity is made of its cells, names of messages and two numbers: no memory, no lock.
    // The processor's code borrows nothing of a thread-local across a suspension. Its fibers are resumed to their end or
    // dropped by `os_threads`, before the OS thread ends. No world can check that a program's code keeps to the same rule, while it
    // waits and when it is unwound: `tempest::Thread` demands it.
    unsafe { pool.spawn_as(occupant, body) }
}

/// Whether the caller's stack has room for a handler.
#[inline]
pub(crate) fn has_stack_for_handlers() -> bool {
    fiber::room().is_none_or(|left| left >= NEEDED_BYTES)
}

/// Gives up the running thread for ever if the run is over. A thread that a panic unwinds goes on instead.
pub(crate) fn give_up_if_over(world: &World) {
    while !world.is_running() && !panicking() {
        PROCESSORS.suspend();
    }
}
