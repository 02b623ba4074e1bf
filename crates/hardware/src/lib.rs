//! Modelled parts of a machine. Each is a state machine over engine time, small enough to follow with pencil and paper; its tests do.
//!
//! | part | model of |
//! |---|---|
//! | [`Interface`] | the network interface of a node: a port out, a port in, a bounded send queue, an engine for blocks |
//! | [`Passages`] | the time that the bytes of a message take through a port |
//! | [`Lock`] | the lock of an interface that two processors drive, and the cost of its migration |
//! | [`QueuePairs`] | the queues through which processors post messages to the interface |
//! | [`Network`] | the network between the nodes: a latency alone, or routers and links of a topology with wormhole switching |
//! | [`EventQueue`] | the dispatch queue of a node: the [device](pdq::Device), with arrival times |
//! | [`Prices`] | the time of a processor's operations |
//! | [`Divisor`] | nothing: a number that the parts divide by, mostly a power of two |
//! | [`memory`] | the memory system of a node: caches (snooping, or flushed by software), bus, banks, staging buffers |
//!
//! Contention is not a formula: every port and queue is a server with occupancy, and waiting emerges. All numbers
//! come from the machine file; no timing constant stands here.
//!
//! This room must never know handlers, programs, threads or fibers.

#![forbid(unsafe_code)]

mod divisor;
mod event_queue;
mod interface;
mod lock;
pub mod memory;
mod network;
mod passage;
mod prices;
mod queue_pairs;

pub use divisor::Divisor;
pub use event_queue::{Dispatched, EventQueue, Refill, Waits};
pub use interface::{Interface, Mover};
pub use lock::Lock;
pub use network::{Constant, Event, Fabric, Network, Parcel, Shape};
pub use passage::{Passage, Passages};
pub use prices::Prices;
pub use queue_pairs::QueuePairs;
