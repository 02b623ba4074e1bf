//! The native world beside what this host can do at best: one table, every figure beside its bound, every answer checked.
//!
//! `cargo bench -p tradewind-native --bench speed [-- NAME…]` measures all rows, or those of the groups named. Ours and
//! the bound are measured in turn in each round, the ratio within the round, medians over rounds. Figures mean something on
//! two cores or more, pinned.

#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]

mod adaptive;
mod bare;
mod beside;
#[path = "../common/mod.rs"]
mod common;
mod em3d;
mod fetch_add;
mod kernels;
mod long;
mod private;
mod progress;
mod round_trip;
mod segments;
mod stream;
#[path = "../common/table.rs"]
mod table;
mod threads;

use common::median;
use table::Row;
use tempest::{Job, Launch, Mechanism, Outcome, World};
use tradewind_native::Local;

/// A group of rows, by the name under which it is asked for.
type Group = (&'static str, fn() -> Vec<Row>);

const GROUPS: &[Group] = &[
    ("progress", progress::rows),
    ("long", long::rows),
    ("round-trip", round_trip::rows),
    ("segments", segments::rows),
    ("private", private::rows),
    ("stream", stream::rows),
    ("fetch-add", fetch_add::rows),
    ("switch", threads::switches),
    ("blocking", threads::blocking),
    ("oversubscribed", threads::oversubscribed),
    ("beside", beside::rows),
    ("adaptive", adaptive::rows),
    ("em3d", em3d::rows),
    ("kernels", kernels::rows),
    ("scaling", kernels::scaling),
];

/// Runs a job that has to give its answer.
fn run(job: Job, nodes: u32, processors: u32, threads: u32, policy: &str) -> Outcome {
    run_by(Mechanism::Messages, job, nodes, processors, threads, policy)
}

/// Runs a job whose data move in one way, and that has to give its answer.
fn run_by(
    mechanism: Mechanism,
    job: Job,
    nodes: u32,
    processors: u32,
    threads: u32,
    policy: &str,
) -> Outcome {
    let policy = policy.parse().expect("a policy of the table");
    let launch = Launch { mechanism, nodes, processors, threads, ..Launch::new(job, policy) };
    let outcome = Local::new().run(&launch).expect("the run ends well");
    assert!(outcome.report.verified(), "{:?}", outcome.report);
    outcome
}

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let groups =
        GROUPS.iter().filter(|(name, _)| asked.is_empty() || asked.iter().any(|asked| asked == name));
    println!("{} cores\n", Local::cores());
    table::head();
    groups.flat_map(|(_, rows)| rows()).for_each(|row| table::print(&row));
}
