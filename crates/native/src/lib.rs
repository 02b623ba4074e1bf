//! The waist on real threads of this host.
//!
//! [`Local`] runs all nodes in one process: each processor is an OS thread, nodes talk through bounded rings, and the
//! program's threads are fibers pinned to their processor. [`Processes`] runs them in processes of their own, which
//! share the memory of the rings.
//!
//! # The parts
//!
//! A processor is an OS thread, so there is no engine: each processor runs its own scheduling loop. The state that a processor, a node or a
//! world *owns* lies below the operations *on* it. Folders are named as in the simulator, and use each other downwards only:
//!
//! ```text
//! process         Processes: the launcher of processes, and their part in a run
//! world           Local: the world, refusals, the outcome
//! runner          the OS threads: started together, watched, joined; the cores that they run on; the judgement of their progress
//! api             the traits of tempest::world, for the running thread or handler
//! processor       one processor at work: its scheduling loop, waits, opportunities to serve, idleness, panics; the helper
//! dispatch        receiving, and running handlers with their proofs: in serial order, or by key; faults of shared memory
//!   ├─ memory       words in segments of other nodes, blocks on their way, downgrades of rights
//!   ├─ link         sending, waking, acknowledging; wake-ups of threads
//!   ├─ control      control messages between nodes: timed regions, the end of a world or its deadlock
//!   └─ measure      timed regions, and the totals of all measurements
//! parts           the state of a processor, a node, a world
//! rings           the messages in memory: rings, credits, outboxes
//! clock           the monotonic clock, the same in all processes of the host
//! fences          the fences between processors that supply work and processors that go to sleep
//! clock           the monotonic clock, the same in all processes of the host
//! padding         values on cache lines of their own
//! sleep           sleep until another processor changes a word: the futex of the system
//! words           words of memory that two nodes access
//! lock, sync      locks whose holder may have panicked; the atomics of the lock-free parts, which a model checker replaces
//! ```
//!
//! # Policies here
//!
//! Each processor sends its own messages, under the lane's lock if a node has several: handing a message to the protocol processor
//! first, as the policies with `Injector::Protocol` do in a model, would add a hop and save nothing, because the ring *is* memory.
//! `interrupt` means a dedicated processor that sleeps in the kernel and is woken. A helper is an OS thread beside the processors of its
//! node, pinned to no core.
//!
//! *Added processors* (`hurricane-1:2`) are more OS threads. A device would show them their next event in a register; here the dispatch
//! queue takes its place, in memory that every processor caches. `hurricane-1-mult` interrupts computing processors, which a program on a
//! host cannot do; `floating+keyed+helper` comes nearest. On a node with one processor keyed dispatch is serial dispatch, because no other
//! processor could run another key meanwhile.
//!
//! # Programs and their process
//!
//! If a world has no more processors than the host has cores, each processor's OS thread is pinned to a core. OS threads that a program
//! spawns from a thread or a handler inherit the pinning and share that core; so do the threads of a pool that is created at its first use.
//! Create such pools before the run. A world that is launched inside a run has all cores again.
//!
//! A program may end its process (`std::process::exit`) and start others (`std::process::Command`), from threads and handlers. A bare
//! `fork` copies one OS thread and no other processor: the child may execute another program or end, and nothing else.
//!
//! This room must never know models or engine time.

#![deny(unsafe_code)]

mod api;
mod clock;
mod control;
mod dispatch;
mod fences;
mod link;
mod lock;
mod measure;
mod memory;
#[cfg(test)]
mod mutated_tests;
mod padding;
mod parts;
mod process;
mod processor;
mod rings;
mod runner;
mod sleep;
mod sync;
mod words;
mod world;

pub use parts::tuning::LOOKS_APART;
pub use process::{Member, Processes, member};
pub use world::Local;
