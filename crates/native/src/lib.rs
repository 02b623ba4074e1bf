//! The waist on real threads of this host.
//!
//! [`Local`] runs all nodes in one process: each processor is an OS thread, nodes talk through bounded rings, and the
//! program's threads are fibers pinned to their processor.
//!
//! | part | what it holds |
//! |---|---|
//! | `world` | [`Local`]: the world, refusals, the outcome |
//! | `runner` | the OS threads: started together, watched, waited for; the cores that they run on |
//! | `api` | [`Messages`](tempest::world::Messages) and [`Scheduling`](tempest::world::Scheduling) for what runs on a processor |
//! | `processor` | one processor: its scheduling loop, its threads and their stacks, what it does that has nothing to do |
//! | `dispatch` | who takes messages out of the lanes, who runs a handler, under which proof |
//! | `memory` | segments; the blocks of shared memory, and taking rights to them away |
//! | `link` | node to node: rings, credits, outboxes, sending |
//! | `control` | when a world has ended, or never will; how all threads enter a timed region |
//! | `measure` | what a processor measures of itself, timed regions, what a traced run records |
//! | `cluster` | all that the processors of a running world share, and what those of one node share |
//! | `fences` | the barriers between who gives work and who goes to sleep |
//! | `apart` | values on cache lines of their own |
//! | `sync`, `lock` | the atomics of the lock-free parts, which a model checker replaces; a lock whatever happened to its holder |
//!
//! # Policies here
//!
//! Any processor injects for itself, under the lane's lock where a node has several: handing a message to the protocol
//! processor first, as the policies with `Injector::Protocol` do in a model, would add a hop and save nothing, because
//! the ring *is* memory. `interrupt` means a dedicated processor that sleeps in the kernel and is woken.
//! A helper is an OS thread beside the processors of its node, pinned to no core.
//!
//! *Added processors* (`hurricane-1:2`) are more OS threads, and the register in which a device would show them their
//! next event is the dispatch queue, in memory that every processor's cache holds. What `hurricane-1-mult` does, to
//! interrupt a processor that computes, no processor of a host lets itself be done; `floating+keyed+helper` is what
//! comes nearest. Where a node has one processor, keyed dispatch is serial dispatch: there is nobody to run another key
//! meanwhile.
//!
//! # Programs and their process
//!
//! Where a world has no more processors than the host has cores, each processor's OS thread is pinned to a core. OS threads that a
//! program spawns from a thread or a handler inherit that pinning and stay on that one core, those of a pool that is made at its first
//! use among them. So a program makes such pools before the run. A world that is launched inside a run has all cores again.
//!
//! A program may end its process (`std::process::exit`) and start others (`std::process::Command`), from threads and handlers. A bare
//! `fork` copies one OS thread and no other processor: the child may execute another program or end, and nothing else.
//!
//! This room must never know models or engine time.

#![deny(unsafe_code)]

mod apart;
mod api;
mod cluster;
mod control;
mod dispatch;
mod fences;
mod link;
mod lock;
mod measure;
mod memory;
mod processor;
mod runner;
mod sync;
mod world;

pub use processor::core::LOOKS_APART;
pub use world::Local;
