//! Microbenchmarks: each measures one operation of a machine or a runtime, and is written once for every world.
//!
//! | program | measurement |
//! |---|---|
//! | [`active_message`] | the time of a message from end to end, and the bandwidth across the middle of a machine |
//! | [`bulk_bandwidth`] | the bandwidth of blocks of every size between two nodes |
//! | [`contended_line`] | the time of an access to a word that all processors of a node change at once |
//! | [`dispatch`] | waits and throughput of messages of keys, by how handlers of a key exclude each other |
//! | [`known_delay`] | nothing: its difference between two mechanisms is known, as a test of measurements |
//! | [`memory_operations`] | the cost of loads, flushes and purges on an idle node |
//! | [`message_costs`] | the time of a send, a receive and a wait, one by one |
//! | [`message_memory`] | a message from one cache to another, and the accesses of the memory systems that it needs |
//! | [`misses::remote_miss`] | the time of a miss in shared memory on an idle machine |
//! | [`misses::saturation`] | the throughput of requesters and homes when all miss at once |
//! | [`neighbours`] | exchanges between very many nodes, by threads or by handlers alone |
//! | [`poll_granularity`] | the delay until a node that computes serves another node |
//! | [`split_phase`] | the cost of single accesses to another node's memory, in five ways |
//! | [`thread_switch`] | the time of a switch from one thread of a processor to the next |
//! | [`traffic`] | latency and throughput of messages by a pattern against the load that is offered |
//! | [`work_costs`] | the time of operations of a program, and of a load that misses |
//!
//! This room must never know which world runs a program, nor files or printing.

#![forbid(unsafe_code)]

pub mod active_message;
pub mod bulk_bandwidth;
pub mod contended_line;
pub mod dispatch;
mod kit;
pub mod known_delay;
pub mod memory_operations;
pub mod message_costs;
pub mod message_memory;
pub mod misses;
pub mod neighbours;
pub mod poll_granularity;
pub mod split_phase;
pub mod thread_switch;
pub mod traffic;
pub mod work_costs;

use tempest::entry::Entry;

/// Every microbenchmark.
pub static ALL: &[Entry] = &[
    active_message::ENTRY,
    bulk_bandwidth::ENTRY,
    contended_line::ContendedLine::ENTRY,
    dispatch::ENTRY,
    known_delay::ENTRY,
    memory_operations::MemoryOperations::ENTRY,
    message_costs::MessageCosts::ENTRY,
    message_memory::MessageMemory::ENTRY,
    misses::remote_miss::ENTRY,
    misses::saturation::ENTRY,
    neighbours::ENTRY,
    poll_granularity::PollGranularity::ENTRY,
    split_phase::ENTRY,
    thread_switch::ThreadSwitch::ENTRY,
    traffic::ENTRY,
    work_costs::WorkCosts::ENTRY,
];
