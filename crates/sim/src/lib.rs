//! The waist on modelled machines: the same programs, run by a deterministic execution-driven simulator.
//!
//! # How a program runs here
//!
//! Program threads and handlers are fibers of one host thread. A modelled processor has at most one of them going at
//! a time. What it does between two *effects* (a send, a resume, a poll, the end of a handler) is private to it, so
//! its charges only add up on a clock of its own; before an effect the clock is *settled*: if no event of the engine
//! comes earlier, engine time jumps to it and the fiber goes on without a switch; otherwise the fiber suspends and an
//! engine event takes it up at that time. Effects therefore happen in engine order, exactly, and most charges cost
//! neither a queue operation nor a switch.
//!
//! An interrupt lands at model time, inside a charge: the thread's pending continuation is put off, the handler runs
//! on the same processor, and then the rest of the charge.
//!
//! | module | what it holds |
//! |---|---|
//! | `world` | [`Model`]: refusals, a run, the outcome |
//! | `engine` | the event loop: pops events, resumes fibers |
//! | `fibers` | the fibers that threads and handlers run on |
//! | `api` | the three traits of [`tempest::world`] for the fiber that runs now |
//! | `cluster` | all nodes at one instant; the only code that knows several parts |
//! | `dispatch` | which event a node handles next, and on which processor |
//! | `link` | what nodes send each other: interfaces, network, staging buffers |
//! | `memory` | accesses through the caches, blocks over the bus, rights that are taken away |
//! | `processor` | one processor, its clock, where its time went; the threads of a node |
//! | `measure` | events for digest and trace, costs by kind and step, timed regions |
//! | `needs` | the prices that a run needs |
//! | `prices` | what things cost a processor |
//! | `setting` | what never changes in a run |
//! | `agenda` | the present time, and what will happen when |
//! | `progress` | when something last happened, and what threads have tried in vain since |
//! | `standstill` | whether a run stands still for ever, and which threads are stuck in it |
//!
//! # What is promised
//!
//! The same program, input, machine and seed give the same result, time and event digest to the bit: one host thread,
//! integer time, no host address or hash order anywhere. Simultaneous events of one node keep their order; those of
//! different nodes are ordered by the seed.
//!
//! This room must never know OS threads or wall time.

#![forbid(unsafe_code)]

mod agenda;
mod api;
mod cluster;
mod dispatch;
mod engine;
mod fibers;
mod link;
mod measure;
mod memory;
mod needs;
mod prices;
mod processor;
mod progress;
mod setting;
mod standstill;
mod world;

pub use world::Model;
