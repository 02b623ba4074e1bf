//! The state that a processor, a node or a world owns. Each part owns its fields; operations on several parts stand in the folders above.
//!
//! | file | content |
//! |---|---|
//! | | **of a processor** |
//! | `core`, `seat` | the processor and its parts, and views of several of them; its place in the world |
//! | `own_threads`, `ready`, `foresight` | its threads, the ready queue, the prediction of the next threads for stack prefetch |
//! | `occupation`, `stacks` | its present activity, to which panics are attributed; the stacks that threads and handlers run on |
//! | `service`, `duty` | its state between two services, and for the node's dispatch queue |
//! | `sending`, `burst` | its sending state, and its streams: how long a receiver holds back |
//! | `gauge`, `meter`, `taken`, `tracer` | its counters and times, the time that the host stole, the events that a traced run records |
//! | `berth` | its parker |
//! | | **of a node** |
//! | `node` | the program, the dispatcher and the threads of one node |
//! | `dispatcher`, `changes` | hands out the right to run a handler, serially or by key; change detection |
//! | `right` | the right to receive, and how it passes to another processor while a handler takes long |
//! | `floor` | a contention hint: which processor of several goes on, and which wait |
//! | `adaptive` | roles of processors that change, and the measurements behind them |
//! | `threads` | the state of a thread's waits, and the inbox of its processor |
//! | `set_aside`, `requests` | the downgrades that have to wait; asking computing processors to give up rights, with two loads a poll |
//! | `attendance` | the look-out for waiting messages on a node with a helper |
//! | | **of a world** |
//! | `world` | the nodes, the lanes between them, the parkers and gauges of all processors; whether the world still runs |
//! | `phases`, `barrier` | the timed regions; the common entry of all threads into one |
//! | `courtesy` | back-off: yielding the core, and noticing rivals that keep it |
//!
//! This part must never know which thread runs when, or the way a message takes.

pub(crate) mod adaptive;
pub(crate) mod attendance;
pub(crate) mod barrier;
pub(crate) mod berth;
pub(crate) mod burst;
pub(crate) mod changes;
pub(crate) mod core;
pub(crate) mod courtesy;
pub(crate) mod dispatcher;
pub(crate) mod duty;
pub(crate) mod floor;
pub(crate) mod foresight;
pub(crate) mod gauge;
#[cfg(test)]
mod gauge_tests;
pub(crate) mod meter;
pub(crate) mod node;
pub(crate) mod occupation;
pub(crate) mod own_threads;
pub(crate) mod phases;
pub(crate) mod ready;
pub(crate) mod requests;
pub(crate) mod right;
#[cfg(test)]
mod right_tests;
pub(crate) mod seat;
pub(crate) mod sending;
pub(crate) mod service;
pub(crate) mod set_aside;
pub(crate) mod stacks;
pub(crate) mod taken;
pub(crate) mod threads;
pub(crate) mod tracer;
pub(crate) mod world;
