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
//! | `model` | [`Model`]: the world, refusals, the outcome |
//! | `engine` | the event loop: pops events, resumes fibers |
//! | `overflow` | what happens when an interface is full for too long |
//! | `fibers` | the fibers that threads and handlers run on |
//! | `state` | everything modelled, and time |
//! | `schedule` | who runs what next: dispatch, interrupts, threads, idling |
//! | `pace` | which polls look, where nobody else says |
//! | `routine`, `turns` | the dispatch routine of nodes whose software gets from threads to handlers; whose turn it is to call it |
//! | `roles` | processors that change between computing and serving while a program runs |
//! | `ready` | which processor takes which thread that is ready |
//! | `network_processor` | the loop of a network processor |
//! | `order` | the order of messages where there is a network processor |
//! | `costs` | what things cost a processor |
//! | `cargo` | what nodes send each other |
//! | `traffic` | messages through interfaces and network |
//! | `routing` | what is inside the network |
//! | `memory`, `staging` | what threads do to a modelled memory; transfers through a staging buffer, packet by packet |
//! | `shared` | what threads and handlers do to shared memory: faults, accesses through the caches, blocks over the bus |
//! | `lowering` | rights that are taken away when the accesses are done that were granted |
//! | `anatomy` | what protocol events took, kind by kind and step by step |
//! | `edge` | the three traits of [`tempest::world`] for the fiber that runs now |
//! | `core`, `node` | one processor; one node |
//!
//! # What is promised
//!
//! The same program, input, machine and seed give the same result, time and event digest to the bit: one host thread,
//! integer time, no host address or hash order anywhere. Simultaneous events of one node keep their order; those of
//! different nodes are ordered by the seed.
//!
//! This room must never know OS threads or wall time.

#![forbid(unsafe_code)]

mod anatomy;
mod cargo;
mod core;
mod costs;
mod edge;
mod engine;
mod fibers;
mod lowering;
mod memory;
mod model;
mod network_processor;
mod node;
mod order;
mod overflow;
mod pace;
mod phases;
mod progress;
mod ready;
mod roles;
mod routine;
mod routing;
mod schedule;
mod shared;
mod staging;
mod standstill;
mod state;
mod traffic;
mod turns;

pub use model::Model;
