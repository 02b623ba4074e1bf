//! Throughput of the queue, beside common alternatives and beside the best that the host can do.
//!
//! ```text
//! cargo bench -p tradewind-pdq --bench dispatch
//! cargo bench -p tradewind-pdq --bench dispatch -- --keys 16 --handler 0 --workers 2 --only ours,segqueue
//! ```
//!
//! A cell is a topology (one producer and one worker, or two workers that produce), a spread of keys and a handler of
//! 0, 50 or 200 ns. In each round every contender runs once; medians over the rounds are printed, with ratios taken
//! within a round, because the host's speed drifts. Every run checks exclusion, counts and, for contenders that
//! promise it, order; a violation ends the benchmark. All contenders have at most 8192 items in flight, bounded in
//! the same way. On a host with a single core the figures mean nothing. A run whose threads had to wait for a core is
//! repeated, up to a limit in time; the number of such runs that had to be kept is printed below the tables.
//!
//! Progress goes to stderr, the table to stdout. `--brief` prints the columns that the README has, `--quick` takes about half
//! a minute.
//!
//! Instructions of an uncontended round trip are the difference of two runs, here with a hundred thousand trips between:
//!
//! ```text
//! valgrind --tool=callgrind target/release/deps/dispatch-HASH uncontended 100000
//! valgrind --tool=callgrind target/release/deps/dispatch-HASH uncontended 200000
//! ```

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark prints its tables and its progress"
)]

mod actors;
mod contenders;
mod harness;
mod host;
mod inline;
mod jobs;
mod measure;
mod options;
mod ours;
mod partition;
mod shared;
mod state;
mod tables;
mod uncontended;
mod workload;

use std::process::ExitCode;

fn main() -> ExitCode {
    let options = match options::Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::FAILURE;
        }
    };
    if let Some(count) = options.uncontended {
        uncontended::trips(count, ours::uncontended);
        return ExitCode::SUCCESS;
    }
    let uncontended = uncontended::measure(options.rounds);
    let all = measure::measure(&options);
    tables::print(&all, options.brief);
    tables::print_notes(&all, options.rounds, &uncontended);
    ExitCode::SUCCESS
}
