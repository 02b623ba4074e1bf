//! The waist on real threads of this host.
//!
//! [`Local`] runs all nodes in one process: each processor is an OS thread, nodes talk through bounded rings, and the
//! program's threads are fibers pinned to their processor.
//!
//! | module | what it holds |
//! |---|---|
//! | `local` | [`Local`]: the world, refusals, the outcome |
//! | `ring` | one producer, one consumer, bounded, no locked instruction |
//! | `lane` | node to node: a ring, credits, the outbox |
//! | `backlog` | what of a node has still to be moved on: outboxes, acknowledgements |
//! | `outbox` | what handlers have sent and rings have no room for, in memory that the world bounds |
//! | `windows` | how many messages of a kind may be on their way, by what their handlers send |
//! | `burst` | streams: when a receiver holds back |
//! | `right` | the right to receive, and how it passes to another processor while a handler takes long |
//! | `node` | what the processors of a node share; who may run a handler, under which proof |
//! | `adaptive` | roles of processors that change, and what they come of |
//! | `world` | what all processors share |
//! | `cores` | which cores processors are pinned to, also those of a world inside a world |
//! | `crew` | the OS threads: started together, watched, waited for |
//! | `processor` | one OS thread: the scheduling loop |
//! | `waist` | [`Messages`](tempest::world::Messages) and [`Scheduling`](tempest::world::Scheduling) for what runs on a processor |
//! | `send` | sending messages, counted and traced |
//! | `segments` | memory of other nodes |
//! | `serve` | receiving messages and running handlers |
//! | `changes` | when the dispatch queue is worth a search |
//! | `keyed` | serving by key, through the dispatch queue |
//! | `shared` | shared memory: how a block travels, how a fault becomes an event |
//! | `lowering`, `set_aside` | taking rights to blocks away: under which key; what is waited for |
//! | `requests` | asking the computing processors of a node to let go, with two loads a poll |
//! | `ready` | which threads are ready, in order |
//! | `foresight` | which thread will soon run, for its stack to be near |
//! | `waits` | giving the processor away, making threads ready |
//! | `holding` | keys for threads |
//! | `unwinding` | panics of the program, and threads that one unwinds |
//! | `stacks` | what threads and handlers run on, and how much of it there is |
//! | `threads` | what is known of a thread, and the way to its processor |
//! | `fences` | the barriers between who gives work and who goes to sleep |
//! | `floor` | which processor of several goes on, and which lets it |
//! | `idle` | looking for work |
//! | `berth` | napping, sleeping, waking |
//! | `helper`, `attendance` | an OS thread that runs the handlers which nobody else runs in time; what is left to it |
//! | `ending`, `quiescence` | when a world has ended, or never will: when nothing is going on any more |
//! | `phases`, `barrier`, `gauge`, `tracer` | timed regions; how threads enter them; what is measured; what a traced run records |
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

mod adaptive;
mod attendance;
mod backlog;
mod barrier;
mod berth;
mod burst;
mod changes;
mod cores;
mod crew;
mod ending;
mod fences;
mod floor;
mod foresight;
mod gauge;
#[cfg(test)]
mod gauge_tests;
mod helper;
mod holding;
mod idle;
mod keyed;
mod lane;
#[cfg(test)]
mod lane_tests;
mod local;
mod lock;
mod lowering;
mod node;
mod outbox;
#[cfg(test)]
mod outbox_tests;
mod phases;
mod processor;
mod quiescence;
mod ready;
mod requests;
mod right;
#[cfg(test)]
mod right_tests;
mod ring;
#[cfg(test)]
mod ring_tests;
mod segments;
mod send;
mod serve;
mod set_aside;
mod shared;
mod stacks;
mod sync;
mod threads;
mod tracer;
mod unwinding;
mod waist;
mod waits;
mod windows;
#[cfg(test)]
mod windows_tests;
mod world;

pub use local::Local;
pub use processor::LOOKS_APART;
