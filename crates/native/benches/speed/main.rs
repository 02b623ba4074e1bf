//! The native world compared with the best that this host can do: one table, every figure beside its bound, every answer checked.
//!
//! `cargo bench -p tradewind-native --bench speed [-- NAME…]` measures all rows, or only the named groups. Ours and the bound are
//! measured in turn in each round; ratios are taken within a round, and figures are medians over rounds. They are meaningful only with
//! two cores or more, pinned.

#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]

mod adaptive;
mod bare;
mod beside;
mod em3d;
mod fetch_add;
mod kernels;
mod long;
mod private;
mod processes;
mod progress;
mod round_trip;
mod segments;
mod stream;
mod threads;

use tempest::outcome::Outcome;
use tempest::world::{Launch, World};
use tempest::{Job, Mechanism};
use tradewind_bench::table::{self, TableRow};
use tradewind_native::Local;

/// A group of rows, by the name under which it is asked for.
type Group = (&'static str, fn() -> Vec<TableRow>);

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
    ("processes", processes::rows),
    ("em3d", em3d::rows),
    ("kernels", kernels::rows),
    ("scaling", kernels::scaling),
];

/// Runs a job whose answer must be right.
fn run(job: Job, nodes: u32, processors: u32, threads: u32, policy: &str) -> Outcome {
    run_by(Mechanism::Messages, job, nodes, processors, threads, policy)
}

/// Runs a job with this mechanism; its answer must be right.
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
    processes::take_part();
    let asked: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let groups =
        GROUPS.iter().filter(|(name, _)| asked.is_empty() || asked.iter().any(|asked| asked == name));
    println!("{} cores\n", Local::cores());
    table::head();
    groups.flat_map(|(_, rows)| rows()).for_each(|row| table::print(&row));
}
