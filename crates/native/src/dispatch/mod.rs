//! The dispatch of a node: taking messages out of the lanes and running handlers, with the proofs of their rights.
//!
//! | file | content |
//! |---|---|
//! | `serve` | one service: messages move on, events are received and run |
//! | `looks` | tests for waiting work |
//! | `receive` | taking messages out of the lanes, and accounting for them |
//! | `serial`, `keyed` | serving in serial order, and by key, through the dispatch queue |
//! | `handle` | running a handler; the panic of one |
//! | `faults` | how a fault of shared memory becomes an event of its own node |
//! | `tuning` | the tuning constants |
//!
//! This part must never know the meaning of a message, its way from node to node, or which thread runs when.

pub(crate) mod faults;
pub(crate) mod handle;
pub(crate) mod keyed;
pub(crate) mod looks;
pub(crate) mod receive;
pub(crate) mod serial;
pub(crate) mod serve;
pub(crate) mod tuning;
