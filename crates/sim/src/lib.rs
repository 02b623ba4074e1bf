//! The waist on modelled machines: the same programs, run by a deterministic execution-driven simulator.
//!
//! # How a program runs here
//!
//! Program threads and handlers are fibers of one host thread. A modelled processor runs at most one of them at a time.
//! The work of a fiber between two *effects* (a send, a resume, a poll, the end of a handler) is private to its
//! processor, so its charges only add up on the processor's own clock. Before an effect that clock is *settled*. If no
//! event of the engine comes earlier, engine time jumps to the clock and the fiber goes on without a switch. Otherwise
//! the fiber suspends, and an engine event resumes it at that time. Effects therefore happen in engine order, exactly,
//! and most charges cost neither a queue operation nor a switch.
//!
//! An interrupt comes at a modelled time, inside a charge. The thread's pending continuation is put off, the
//! handler runs on the same processor, and then the thread spends the rest of the charge.
//!
//! | module | content |
//! |---|---|
//! | `world` | [`Model`]: refusals, a run, the outcome |
//! | `engine` | the event loop: pops events, resumes fibers |
//! | `fibers` | the fibers that threads and handlers run on |
//! | `api` | the traits of [`tempest::world`], for the fiber that runs now |
//! | `cluster` | all nodes at one instant; the only module that knows several parts |
//! | `dispatch` | which event a node handles next, and on which processor |
//! | `link` | messages between nodes: interfaces, network, staging buffers |
//! | `memory` | accesses through the caches, blocks over the bus, downgrades of rights |
//! | `processor` | one processor, its clock, the breakdown of its time; the threads of a node |
//! | `measure` | events for digest and trace, costs by kind and step, timed regions |
//! | `needs` | the prices that a run needs |
//! | `prices` | the cost of each operation to a processor |
//! | `setting` | the machine and the policy, which never change in a run |
//! | `agenda` | the present time, and all events to come |
//! | `happening` | the kinds of events |
//! | `foresight` | prefetching into the host's caches for the next events |
//! | `prospect` | when that is worth while |
//! | `happening` | the events of a run |
//! | `progress` | the time of the last event that may end a wait, and the failed attempts of threads since |
//! | `unwinding` | panics of the program, and the operations of a fiber that a panic unwinds |
//! | `standstill` | whether a run stands still for ever, and which threads are stuck in it |
//!
//! # Guarantees
//!
//! The same program, input, machine and seed give the same result, time and event digest to the bit: one host thread,
//! integer time, no host address or hash order anywhere. Simultaneous events of one node keep their order; events of
//! different nodes are ordered by the seed.
//!
//! This room must never know OS threads or wall time.

#![deny(unsafe_code)]

mod agenda;
mod api;
mod cluster;
mod dispatch;
mod engine;
mod fibers;
mod foresight;
mod happening;
mod link;
mod measure;
mod memory;
mod needs;
mod prices;
mod processor;
mod progress;
mod prospect;
mod setting;
mod short_queue;
mod standstill;
#[cfg(test)]
mod testing;
mod unwinding;
mod world;

pub use world::Model;
