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

use tempest::entry::{Entry, plain};

/// Every microbenchmark.
pub static ALL: &[Entry] = &[
    active_message::ENTRY,
    bulk_bandwidth::ENTRY,
    plain::entry::<memory_operations::MemoryOperations>(
        "memory-operations",
        "what loads, flushes and purges cost a processor on an idle node",
    ),
    plain::entry::<message_costs::MessageCosts>(
        "message-costs",
        "what a send, a receive and a wait take, one by one",
    ),
    message_memory::ENTRY,
    neighbours::ENTRY,
    plain::entry::<poll_granularity::PollGranularity>(
        "poll-granularity",
        "nodes compute in turns while the others wait for a word: how soon somebody serves",
    ),
    misses::remote_miss::ENTRY,
    misses::saturation::ENTRY,
    split_phase::ENTRY,
    thread_switch::ENTRY,
    plain::entry::<work_costs::WorkCosts>(
        "work-costs",
        "what operations of a program take, and a load that misses",
    ),
];

#[cfg(test)]
mod pages {
    //! Each program's page says what its inputs mean.

    use super::ALL;
    use tempest::entry::Input;

    const PAGES: &[(&str, &str)] = &[
        ("active-message", include_str!("active_message/mod.rs")),
        ("bulk-bandwidth", include_str!("bulk_bandwidth.rs")),
        ("memory-operations", include_str!("memory_operations.rs")),
        ("message-costs", include_str!("message_costs.rs")),
        ("message-memory", include_str!("message_memory/mod.rs")),
        ("neighbours", include_str!("neighbours.rs")),
        ("poll-granularity", include_str!("poll_granularity.rs")),
        ("remote-miss", include_str!("misses/remote_miss.rs")),
        ("saturation", include_str!("misses/saturation.rs")),
        ("split-phase", include_str!("split_phase/mod.rs")),
        ("thread-switch", include_str!("thread_switch.rs")),
        ("work-costs", include_str!("work_costs.rs")),
    ];

    #[test]
    fn every_page_says_what_each_input_means() {
        for (entry, (name, page)) in ALL.iter().zip(PAGES) {
            assert_eq!(entry.name, *name);
            for Input { key, default, kind, meaning } in entry.inputs {
                let row = format!("//! | `{key}` | {kind} | {default} | {meaning} |\n");
                assert!(page.contains(&row), "the page of {name} lacks\n{row}");
            }
        }
    }
}
