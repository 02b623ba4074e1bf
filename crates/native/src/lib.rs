//! The waist on real threads of this host.
//!
//! [`Local`] runs all nodes in one process: each processor is an OS thread, nodes talk through bounded rings, and the
//! program's threads are fibers pinned to their processor.
//!
//! # The parts
//!
//! A processor is an OS thread, so there is no engine: each processor runs its own scheduling loop. A processor consists of parts that own
//! their fields: its threads, its present activity, sending, serving, measuring. An operation on several parts is a function that borrows
//! the processor, in the module of its subject. Folders are named as in the simulator:
//!
//! ```text
//! world           Local: the world, refusals, the outcome
//! runner          the OS threads: started together, watched, joined; the cores that they run on
//! api             the traits of tempest::world, for the running thread or handler
//!   ├─ processor    one processor: its scheduling loop, waits and wake-ups of threads, stacks, panics, idleness
//!   ├─ dispatch     which processor receives, which runs a handler and with which proof; roles, helpers, holds of keys
//!   ├─ memory       segments, blocks and faults of shared memory, downgrades of rights
//!   ├─ link         node to node: rings, credits, outboxes, sending, waking
//!   ├─ control      the end of a world, or its deadlock; the common entry of all threads into a timed region
//!   └─ measure      a processor's measurements, timed regions, the events of a traced run
//! cluster         the shared state of all processors of a running world, and of the processors of a node
//! fences          the fences between processors that supply work and processors that go to sleep
//! apart           values on cache lines of their own
//! lock, sync      locks whose holder may have panicked; the atomics of the lock-free parts, which a model checker replaces
//! ```
//!
//! Files use each other in no circle. Folders do: `processor/core.rs` holds types of other folders, whose functions borrow it.
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
