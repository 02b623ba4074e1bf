//! Microbenchmarks: each measures one thing that a machine or a runtime does, and is written once for every world.
//!
//! | program | what it measures |
//! |---|---|
//! | [`active_message`] | what a message costs from end to end, and what crosses the middle of a machine |
//! | [`bulk_bandwidth`] | blocks of every size between two nodes |
//! | [`memory_operations`] | what loads, flushes and purges cost on an idle node |
//! | [`message_costs`] | what a send, a receive and a wait take, one by one |
//! | [`message_memory`] | a message from one cache to another, and what memory systems do for it |
//! | [`misses::remote_miss`] | what a miss in shared memory costs, when nothing else happens |
//! | [`misses::saturation`] | what requesters and homes can do, when all miss at once |
//! | [`neighbours`] | very many nodes, by threads or by handlers alone |
//! | [`poll_granularity`] | who serves while everybody computes, and how soon |
//! | [`split_phase`] | what single accesses to another node's memory cost, five ways |
//! | [`thread_switch`] | from one thread of a processor to the next |
//! | [`work_costs`] | what operations of a program take, and a load that misses |
//!
//! This room must never know which world runs a program, nor files or printing.

#![forbid(unsafe_code)]

pub mod active_message;
pub mod bulk_bandwidth;
pub mod memory_operations;
pub mod message_costs;
pub mod message_memory;
pub mod misses;
pub mod neighbours;
pub mod poll_granularity;
pub mod split_phase;
pub mod thread_switch;
pub mod work_costs;

use tempest::entry::Entry;

/// Every microbenchmark.
pub static ALL: &[Entry] = &[
    active_message::ENTRY,
    bulk_bandwidth::ENTRY,
    memory_operations::MemoryOperations::ENTRY,
    message_costs::MessageCosts::ENTRY,
    message_memory::MessageMemory::ENTRY,
    misses::remote_miss::ENTRY,
    misses::saturation::ENTRY,
    neighbours::ENTRY,
    poll_granularity::PollGranularity::ENTRY,
    split_phase::ENTRY,
    thread_switch::ThreadSwitch::ENTRY,
    work_costs::WorkCosts::ENTRY,
];
