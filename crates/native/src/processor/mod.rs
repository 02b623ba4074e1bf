//! The processor: an OS thread that runs threads of the program in turn, and waits when it has no work.
//!
//! | file | content |
//! |---|---|
//! | `core` | the processor: its place in the world, and its parts |
//! | `scheduler` | the scheduling loop |
//! | `own_threads` | the threads of one processor: the running one and the ready ones |
//! | `occupation` | a processor's present activity, to which panics are attributed |
//! | `ready`, `foresight` | the ready queue; the prediction of the next threads, for stack prefetch |
//! | `threads` | the state of a thread's waits, and the inbox of its processor |
//! | `waits` | giving the processor away, making threads ready |
//! | `stacks` | the stacks that threads and handlers run on |
//! | `courtesy` | back-off: yielding the core, and noticing rivals that keep it |
//! | `idle`, `berth` | looking for work; napping, sleeping, waking |
//! | `unwinding` | panics of the program, and the threads that they unwind |
//!
//! This part must never know the meaning of a message, or its way from node to node.

pub(crate) mod berth;
pub(crate) mod core;
pub(crate) mod courtesy;
pub(crate) mod foresight;
pub(crate) mod idle;
pub(crate) mod occupation;
pub(crate) mod own_threads;
pub(crate) mod ready;
pub(crate) mod scheduler;
pub(crate) mod stacks;
pub(crate) mod threads;
pub(crate) mod unwinding;
pub(crate) mod waits;
