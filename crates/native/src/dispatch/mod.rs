//! The dispatch of a node: which processor takes messages out of the lanes, which one runs a handler, and under which proof.
//!
//! | file | content |
//! |---|---|
//! | `dispatcher` | serial, or by key: what hands out the right to run a handler |
//! | `right` | the right to receive, and how it passes to another processor while a handler takes long |
//! | `points` | where a processor might serve: polls, between two threads, a send without room |
//! | `looks` | what a processor sees of what waits for it |
//! | `serve`, `service` | one service, in serial order or by key; what a processor keeps from one service to the next |
//! | `receive` | taking messages out of the lanes, and accounting for them |
//! | `handle` | running a handler |
//! | `serial` | serving in serial order |
//! | `keyed`, `duty`, `changes` | serving by key, through the dispatch queue; a processor's part in that; when it is worth a search |
//! | `holding` | keys for threads |
//! | `floor` | which processor of several goes on, and which lets it |
//! | `adaptive` | roles of processors that change, and the measurements behind them |
//! | `helper` | an OS thread that runs the handlers which no processor runs in time |
//!
//! This part must never know what a message means, or how it travels.

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
