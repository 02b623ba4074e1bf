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
//! | `node` | what the processors of a node share; who may run a handler, under which proof |
//! | `world` | what all processors share |
//! | `crew` | the OS threads: started together, watched, waited for |
//! | `processor` | one OS thread: the scheduling loop |
//! | `waist` | [`tempest::Processor`] for what runs on it |
//! | `send` | sending messages, counted and traced |
//! | `segments` | memory of other nodes |
//! | `serve` | receiving messages and running handlers |
//! | `shared` | shared memory: how a block travels, how a fault becomes an event |
//! | `lowering` | taking rights to blocks away: what is waited for, under which key |
//! | `requests` | asking the computing processors of a node to let go, with two loads a poll |
//! | `waits` | giving the processor away, making threads ready |
//! | `holding` | keys for threads |
//! | `threads` | what is known of a thread, and the way to its processor |
//! | `idle` | looking for work, napping, sleeping, waking |
//! | `ending` | when a world has ended, or never will |
//! | `phases`, `gauge` | timed regions; what is measured |
//!
//! # Policies here
//!
//! Any processor injects for itself, under the lane's lock where a node has several: handing a message to the protocol
//! processor first, as the policies with `Injector::Protocol` do in a model, would add a hop and save nothing, because
//! the ring *is* memory. `interrupt` means a dedicated processor that sleeps in the kernel and is woken.
//!
//! This room must never know models or engine time.

#![forbid(unsafe_code)]

mod crew;
mod ending;
mod gauge;
mod holding;
mod idle;
mod lane;
mod local;
mod lowering;
mod node;
mod phases;
mod processor;
mod requests;
mod ring;
mod segments;
mod send;
mod serve;
mod shared;
mod sync;
mod threads;
mod tracer;
mod waist;
mod waits;
mod world;

pub use local::Local;
