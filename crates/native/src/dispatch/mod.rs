//! The dispatch of a node: the processors that take messages out of the lanes and run handlers, and the proofs of their rights.
//!
//! | file | content |
//! |---|---|
//! | `dispatcher` | hands out the right to run a handler: serially, or by key |
//! | `right` | the right to receive, and how it passes to another processor while a handler takes long |
//! | `points` | the opportunities to serve: polls, between two threads, a send without room |
//! | `looks` | tests for waiting work |
//! | `serve`, `service` | one service, in serial order or by key; a processor's state between two services |
//! | `receive` | taking messages out of the lanes, and accounting for them |
//! | `handle` | running a handler |
//! | `serial` | serving in serial order |
//! | `keyed`, `duty`, `changes` | serving by key, through the dispatch queue; a processor's state for it; change detection |
//! | `holding` | keys for threads |
//! | `floor` | a contention hint: which processor of several goes on, and which wait |
//! | `adaptive` | roles of processors that change, and the measurements behind them |
//! | `helper` | an OS thread that runs handlers which no processor runs in time |
//!
//! This part must never know the meaning of a message, or its way from node to node.

pub(crate) mod adaptive;
pub(crate) mod changes;
pub(crate) mod dispatcher;
pub(crate) mod duty;
pub(crate) mod floor;
pub(crate) mod handle;
pub(crate) mod helper;
pub(crate) mod holding;
pub(crate) mod keyed;
pub(crate) mod looks;
pub(crate) mod points;
pub(crate) mod receive;
pub(crate) mod right;
#[cfg(test)]
mod right_tests;
pub(crate) mod serial;
pub(crate) mod serve;
pub(crate) mod service;
