//! One processor: an OS thread that runs threads of the program in turn, and waits when there is nothing to do.
//!
//! | file | content |
//! |---|---|
//! | `core` | the processor: its place in the world, and its parts |
//! | `scheduler` | the scheduling loop |
//! | `own_threads` | the threads of one processor: which runs, which are ready |
//! | `occupation` | what a processor is at: where a panic comes from |
//! | `ready`, `foresight` | the ready threads, in order; which thread will soon run, for its stack to be near |
//! | `threads` | what is known of a thread, and its way to its processor |
//! | `waits` | giving the processor away, making threads ready |
//! | `stacks` | the stacks that threads and handlers run on |
//! | `courtesy` | giving the core away, and noticing rivals that keep it |
//! | `idle`, `berth` | looking for work; napping, sleeping, waking |
//! | `unwinding` | panics of the program, and threads that one unwinds |
//!
//! This part must never know what a message means, or how it travels.

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
