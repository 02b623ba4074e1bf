//! The state that a processor, a node or a world owns. Each part owns its fields; operations on several parts stand in the folders above.
//!
//! | file | content |
//! |---|---|
//! | | **of a processor** |
//! | `core`, `endpoint` | the processor; its place in the world, and the state that links, memory and waits use |
//! | `own_threads`, `ready`, `stack_prefetch` | its threads and activity, the ready queue, the stack prefetch |
//! | `stacks` | the stacks that threads and handlers run on |
//! | `service`, `queue_state` | its state between two services, and for the node's dispatch queue |
//! | `sending` | its sending state, and its streams: how long a receiver holds back |
//! | `gauge`, `meter`, `taken`, `tracer` | its counters and times, the time that the host stole, the events that a traced run records |
//! | `parker` | its parker |
//! | | **of a node** |
//! | `node` | the program, the dispatcher and the threads of one node |
//! | `links` | its ends of the lanes to and from every node, and views of the memory of each |
//! | `dispatcher`, `changes` | hands out the right to run a handler, serially or by key; change detection |
//! | `receive_lock` | the receive lock, and how it passes to another processor while a handler takes long |
//! | `contention` | a contention hint: which processor of several goes on, and which wait |
//! | `adaptive` | roles of processors that change, and the measurements behind them |
//! | `phases`, `barrier` | the measurements at the timed regions; the common entry of its threads into one |
//! | `threads` | the state of a thread's waits, and the inbox of its processor |
//! | `set_aside`, `requests` | the downgrades that have to wait; asking computing processors to give up rights, with two loads a poll |
//! | `attendance` | the look-out for waiting messages on a node with a helper |
//! | | **of a world** |
//! | `seating` | the processors of all nodes by index |
//! | `settling` | the steps before a run |
//! | `world` | the nodes, the parkers and gauges of all processors; whether the world still runs |
//! | `gathering`, `ending` | kept by node 0: the gathering of all nodes at a timed region; the search for the end |
//! | `backoff` | back-off: yielding the core, and noticing rivals that keep it |
//! | `tuning` | the tuning constants |
//!
//! This part must never know which thread runs when, or the way a message takes.

pub(crate) mod adaptive;
pub(crate) mod attendance;
#[cfg(test)]
mod attendance_tests;
pub(crate) mod backoff;
pub(crate) mod barrier;
#[cfg(test)]
mod barrier_tests;
pub(crate) mod changes;
pub(crate) mod contention;
pub(crate) mod core;
pub(crate) mod dispatcher;
pub(crate) mod ending;
pub(crate) mod endpoint;
pub(crate) mod gathering;
pub(crate) mod gauge;
#[cfg(test)]
mod gauge_tests;
pub(crate) mod links;
pub(crate) mod meter;
pub(crate) mod node;
pub(crate) mod own_threads;
pub(crate) mod parker;
#[cfg(test)]
mod parker_tests;
pub(crate) mod phases;
pub(crate) mod queue_state;
pub(crate) mod ready;
pub(crate) mod receive_lock;
#[cfg(test)]
mod receive_lock_tests;
pub(crate) mod requests;
pub(crate) mod seating;
pub(crate) mod sending;
pub(crate) mod service;
pub(crate) mod set_aside;
#[cfg(test)]
mod set_aside_tests;
pub(crate) mod settling;
pub(crate) mod stack_prefetch;
pub(crate) mod stacks;
pub(crate) mod stolen_time;
pub(crate) mod threads;
#[cfg(test)]
mod threads_tests;
pub(crate) mod tracer;
pub(crate) mod tuning;
pub(crate) mod world;
