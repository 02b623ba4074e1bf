//! The processor at work: an OS thread that runs threads of the program in turn, and waits when it has no work.
//!
//! | file | content |
//! |---|---|
//! | `scheduler` | the scheduling loop |
//! | `waits` | giving the processor away, until a condition is true |
//! | `points` | the opportunities to serve: polls, between two threads, a send without room |
//! | `holding` | keys for threads |
//! | `idle` | looking for work; napping, sleeping, waking |
//! | `helper` | an OS thread that runs handlers which no processor runs in time |
//! | `unwinding` | panics of threads, and the threads that they unwind |
//! | `tuning` | the tuning constants |
//!
//! This part must never know the meaning of a message, or its way from node to node.

pub(crate) mod helper;
pub(crate) mod holding;
pub(crate) mod idle;
pub(crate) mod points;
pub(crate) mod scheduler;
pub(crate) mod tuning;
pub(crate) mod unwinding;
pub(crate) mod waits;
