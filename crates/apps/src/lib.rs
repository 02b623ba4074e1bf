//! The applications, each written once for every world.
//!
//! | program | what it exercises |
//! |---|---|
//! | [`em3d`] | phases of communication and computing on an irregular graph, by every mechanism |
//! | [`fetch_add`] | requests and replies at full rate, on keys as hot as asked |
//! | [`histogram`] | the least that a program is: where to begin a new one |
//! | [`iccg`] | a fine-grain data-flow graph: one small message for each edge that leaves a thread |
//! | [`litmus`] | tests of the memory model of shared memory; it is in no table, the command has a subcommand for it |
//! | [`shared_histogram`] | the least that a program through shared memory is |
//!
//! Each program verifies its own result and counts its own work; both appear in the outcome of the run.
//!
//! ```
//! use tempest::entry::{Given, Plan, Table};
//!
//! let programs = Table::new(&[tradewind_apps::ALL]).unwrap();
//! let mut given = Given::default();
//! given.values.insert("skew".into(), "0.99".into());
//! let instance = (programs.find("fetch-add").unwrap().load)(&given).unwrap();
//! let shape = tempest::Shape { nodes: 4, threads: 2 };
//! let job = instance.job(&Plan::new(tempest::Mechanism::Messages, shape)).unwrap();
//! # let _ = job;
//! ```
//!
//! This room must never know which world runs a program, nor files or printing: the contents of files come to it as bytes
//! with a name.

#![forbid(unsafe_code)]

pub mod em3d;
pub mod fetch_add;
pub mod histogram;
pub mod iccg;
mod kit;
pub mod litmus;
pub mod shared_histogram;

use tempest::entry::{Entry, plain};

/// Every application that is chosen by name.
pub static ALL: &[Entry] = &[
    em3d::ENTRY,
    fetch_add::ENTRY,
    plain::entry::<histogram::Histogram>("histogram", "threads count values into bins of the next node"),
    iccg::ENTRY,
    plain::entry::<shared_histogram::SharedHistogram>("shared-histogram", "nodes count into the same bins"),
];

#[cfg(test)]
mod pages {
    //! Each program's page says what its inputs mean.

    use super::ALL;
    use tempest::entry::Input;

    const PAGES: &[(&str, &str)] = &[
        ("em3d", include_str!("em3d/mod.rs")),
        ("fetch-add", include_str!("fetch_add/mod.rs")),
        ("histogram", include_str!("histogram.rs")),
        ("iccg", include_str!("iccg/mod.rs")),
        ("shared-histogram", include_str!("shared_histogram.rs")),
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

    const NEW_PROGRAM: &str = include_str!("../../../docs/new-program.md");

    #[test]
    fn the_page_on_new_programs_shows_the_files_as_they_are_in_forty_five_lines_at_most() {
        let files = [include_str!("histogram.rs"), include_str!("shared_histogram.rs")];
        let lines = files.map(|file| {
            let (_, code) = file.split_once("\n\n").unwrap();
            assert!(NEW_PROGRAM.contains(code), "{code}");
            let is_code = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with("//");
            code.lines().filter(is_code).count()
        });
        assert!(lines[0] == 44 && lines[1] <= 45, "{lines:?}");
    }

    #[test]
    fn the_page_on_new_programs_shows_the_lines_of_the_table() {
        for name in ["<histogram::Histogram", "<shared_histogram::SharedHistogram"] {
            let line = include_str!("lib.rs").lines().find(|line| line.contains(name)).unwrap();
            assert!(NEW_PROGRAM.contains(line), "{line}");
        }
    }
}
