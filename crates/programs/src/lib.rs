//! The applications, each written once for every world.
//!
//! A program is found by name ([`find`]), told its inputs ([`Given`]) and becomes an [`Instance`]: the input
//! read, checked and ready to be made into a [`tempest::Job`] for a world of any shape. Each program verifies
//! its own result and counts its own work; both appear in the outcome of the run.
//!
//! | program | what it exercises |
//! |---|---|
//! | [`active_message`] | what a message costs from end to end, and what crosses the middle of a machine |
//! | [`bulk_bandwidth`] | blocks of every size between two nodes |
//! | [`em3d`] | phases of communication and computing on an irregular graph, by every mechanism |
//! | [`fetch_add`] | requests and replies at full rate, on keys as hot as asked |
//! | [`histogram`] | the least that a program is: where to begin a new one |
//! | [`iccg`] | a fine-grain data-flow graph: one small message for each edge that leaves a thread |
//! | [`neighbours`] | very many nodes, by threads or by handlers alone |
//! | [`memory_operations`] | what loads, flushes and purges cost on an idle node |
//! | [`message_costs`] | what a send, a receive and a wait take, one by one |
//! | [`message_memory`] | a message from one cache to another, and what memory systems do for it |
//! | [`poll_granularity`] | who serves while everybody computes, and how soon |
//! | [`misses::remote_miss`] | what a miss in shared memory costs, when nothing else happens |
//! | [`misses::saturation`] | what requesters and homes can do, when all miss at once |
//! | [`shared_histogram`] | the least that a program through shared memory is |
//! | [`split_phase`] | what single accesses to another node's memory cost, five ways |
//! | [`thread_switch`] | from one thread of a processor to the next |
//! | [`work_costs`] | what operations of a program take, and a load that misses |
//!
//! ```
//! let mut given = tradewind_programs::Given::default();
//! given.values.insert("skew".into(), "0.99".into());
//! let instance = (tradewind_programs::find("fetch-add").unwrap().load)(&given).unwrap();
//! let shape = tempest::Shape { nodes: 4, threads: 2 };
//! let job = instance.job(&tradewind_programs::Plan::new(tempest::Mechanism::Messages, shape)).unwrap();
//! # let _ = job;
//! assert!(tradewind_programs::find("fetch-ad").unwrap_err().contains("did you mean `fetch-add`?"));
//! ```
//!
//! This room must never know which world runs a program, nor files or printing: the contents of files come to
//! it as bytes with a name.

#![forbid(unsafe_code)]

pub mod active_message;
pub mod bulk_bandwidth;
pub mod em3d;
pub mod fetch_add;
mod frames;
mod given;
pub mod histogram;
pub mod iccg;
pub mod litmus;
pub mod memory_operations;
pub mod message_costs;
pub mod message_memory;
pub mod misses;
pub mod neighbours;
pub mod plain;
mod plan;
pub mod poll_granularity;
mod random;
mod registry;
pub mod shared_histogram;
pub mod split_phase;
pub mod thread_switch;
pub mod work_costs;

pub use given::{File, Given, Input, Kind};
pub use plan::{Coherence, Plan};
pub use registry::{Entry, Instance, Loaded, PROGRAMS, find};
