//! The table of programs.
//!
//! This module must never know what any program does.

use tempest::{Job, Mechanism};

use crate::given::suggestion;
use crate::{
    Given, Input, Plan, active_message, bulk_bandwidth, em3d, fetch_add, histogram, iccg, memory_operations,
    message_costs, message_memory, misses, neighbours, plain, poll_granularity, shared_histogram,
    split_phase, thread_switch, work_costs,
};

/// A program with its inputs read, or all that is wrong with them, one line each.
pub type Loaded = Result<Box<dyn Instance>, Vec<String>>;

/// A program as people choose it.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name on the command line.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// The mechanisms it is written for, at least one; the first is what runs when nobody says.
    pub mechanisms: &'static [Mechanism],
    /// What it can be told.
    pub inputs: &'static [Input],
    /// Reads and checks the inputs.
    pub load: fn(&Given) -> Loaded,
}

/// A program whose inputs have been read and found good.
pub trait Instance: Send + Sync {
    /// The job of a run as planned, its data moving by one of the program's mechanisms.
    ///
    /// # Errors
    /// If the program cannot run so, with how it could.
    fn job(&self, plan: &Plan) -> Result<Job, String>;

    /// Facts about the input, for people: name and value.
    fn describe(&self) -> Vec<(&'static str, String)>;
}

/// Every program, by name.
pub static PROGRAMS: &[Entry] = &[
    active_message::ENTRY,
    bulk_bandwidth::ENTRY,
    em3d::ENTRY,
    fetch_add::ENTRY,
    plain::entry::<histogram::Histogram>("histogram", "threads count values into bins of the next node"),
    iccg::ENTRY,
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
    plain::entry::<shared_histogram::SharedHistogram>("shared-histogram", "nodes count into the same bins"),
    split_phase::ENTRY,
    thread_switch::ENTRY,
    plain::entry::<work_costs::WorkCosts>(
        "work-costs",
        "what operations of a program take, and a load that misses",
    ),
];

/// The program of this name.
///
/// # Errors
/// If there is none, with the name that was probably meant and all there are.
pub fn find(name: &str) -> Result<&'static Entry, String> {
    PROGRAMS.iter().find(|entry| entry.name == name).ok_or_else(|| {
        let names: Vec<_> = PROGRAMS.iter().map(|entry| entry.name).collect();
        let nearest = suggestion(name, &names);
        format!("unknown program `{name}`:{nearest} expected one of {}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_is_found_by_its_name() {
        assert!(PROGRAMS.is_sorted_by_key(|entry| entry.name));
        for entry in PROGRAMS {
            assert!(std::ptr::eq(find(entry.name).unwrap(), entry));
        }
    }

    #[test]
    fn an_unknown_program_is_met_with_the_nearest() {
        assert!(find("icg").unwrap_err().contains("did you mean `iccg`?"));
        let unlike = find("zzzzz").unwrap_err();
        assert!(unlike.starts_with("unknown program `zzzzz`: expected one of active-message, "), "{unlike}");
    }

    /// The source of every program's page.
    const PAGES: &[(&str, &str)] = &[
        ("active-message", include_str!("active_message/mod.rs")),
        ("bulk-bandwidth", include_str!("bulk_bandwidth.rs")),
        ("em3d", include_str!("em3d/mod.rs")),
        ("fetch-add", include_str!("fetch_add/mod.rs")),
        ("histogram", include_str!("histogram.rs")),
        ("iccg", include_str!("iccg/mod.rs")),
        ("memory-operations", include_str!("memory_operations.rs")),
        ("message-costs", include_str!("message_costs.rs")),
        ("message-memory", include_str!("message_memory/mod.rs")),
        ("neighbours", include_str!("neighbours.rs")),
        ("poll-granularity", include_str!("poll_granularity.rs")),
        ("remote-miss", include_str!("misses/remote_miss.rs")),
        ("saturation", include_str!("misses/saturation.rs")),
        ("shared-histogram", include_str!("shared_histogram.rs")),
        ("split-phase", include_str!("split_phase/mod.rs")),
        ("thread-switch", include_str!("thread_switch.rs")),
        ("work-costs", include_str!("work_costs.rs")),
    ];

    #[test]
    fn every_page_says_what_each_input_means() {
        for (entry, (name, page)) in PROGRAMS.iter().zip(PAGES) {
            assert_eq!(entry.name, *name);
            for Input { key, default, kind, meaning } in entry.inputs {
                let row = format!("//! | `{key}` | {kind} | {default} | {meaning} |\n");
                assert!(page.contains(&row), "the page of {name} lacks\n{row}");
            }
        }
    }
}
