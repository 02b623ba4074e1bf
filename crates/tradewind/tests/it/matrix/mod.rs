//! Every program by every mechanism under every policy of this host gives the sequential answer, in worlds of 1, 2, 4 and 8
//! processors, again and again, and no run hangs.
//!
//! ```text
//! cargo test --release -p tradewind --test it matrix -- --ignored --nocapture              # a hundred rounds of all cells
//! taskset -c 0,1 cargo test --release -p tradewind --test it matrix -- --ignored --nocapture     # the same on two cores
//! TRADEWIND_ROUNDS=3 cargo test --release -p tradewind --test it matrix -- --ignored --nocapture # only three
//! ```
//!
//! Runs are in this process, one after the other. A world gives up a run itself after [`STALL`] without any event, and reports what
//! each thread waits for. A run that still does not end within [`HANG`] cannot be given up: the test prints the state of its OS threads
//! and ends the process. Failed runs are listed with the command that repeats them by hand.

#![allow(clippy::print_stderr, reason = "a long test says where it is")]

mod cells;
mod processes;
mod watch;

use std::collections::BTreeSet;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use native::Local;
use tempest::entry::Table;
use tempest::world::World;
use units::Time;

use self::cells::{Trial, cells, policies, programs};
use self::watch::Watch;

/// Time limit between two events of a run.
const STALL: Time = Time::from_microseconds(20_000_000);

/// Time limit of a run, which normally takes milliseconds.
const HANG: Duration = Duration::from_secs(90);

/// Number of failed runs after which the test stops.
const ENOUGH: usize = 10;

/// Default number of rounds of the whole matrix.
const ROUNDS: usize = 100;

/// Number of slowest runs that are listed. A run that was woken late is not wrong, but should be seen.
const SLOWEST: usize = 5;

/// The results of many runs.
#[derive(Default)]
struct Tally {
    runs: usize,
    /// Programs of which an answer was checked.
    checked: BTreeSet<&'static str>,
    /// Runs on one node that ended well, and checked nothing.
    unchecked: usize,
    wrong: Vec<String>,
    slowest: Vec<(Duration, String)>,
}

impl Tally {
    fn run(&mut self, trial: &Trial<'_>, watch: &Watch) {
        let launch = trial.launch(STALL);
        watch.begin(trial.command());
        let began = Instant::now();
        let outcome = Local::new().run(&launch);
        let took = began.elapsed();
        watch.end();
        self.runs += 1;
        match outcome {
            Ok(outcome) if outcome.report.verified() => {
                self.checked.insert(trial.program());
            }
            // A single node has no requests to other nodes in some programs, and so nothing to check.
            Ok(outcome) if outcome.report.failures.is_empty() && trial.is_of_one_node() => {
                self.unchecked += 1
            }
            Ok(outcome) if outcome.report.failures.is_empty() => self.note(trial, "nothing was checked"),
            Ok(outcome) => self.note(trial, &outcome.report.failures.join("; ")),
            Err(failure) => self.note(trial, &failure.to_string()),
        }
        if self.slowest.len() < SLOWEST || self.slowest.last().is_some_and(|(least, _)| *least < took) {
            self.slowest.push((took, trial.command()));
            self.slowest.sort_by_key(|(took, _)| std::cmp::Reverse(*took));
            self.slowest.truncate(SLOWEST);
        }
    }

    fn note(&mut self, trial: &Trial<'_>, why: &str) {
        let said = format!("{}\n  {why}", trial.command());
        eprintln!("WRONG: {said}");
        self.wrong.push(said);
    }

    fn judge(&self) {
        for (took, command) in &self.slowest {
            eprintln!("{:9.1} ms  {command}", took.as_secs_f64() * 1e3);
        }
        eprintln!("{} runs; in {} of them there was nothing to check", self.runs, self.unchecked);
        assert!(
            self.wrong.is_empty(),
            "{} of {} runs:\n{}",
            self.wrong.len(),
            self.runs,
            self.wrong.join("\n")
        );
    }
}

/// Runs each program under each policy in a world, which changes from cell to cell.
#[test]
fn a_small_dose_of_the_matrix() {
    let programs = programs();
    let (watch, mut tally) = (Watch::start(HANG), Tally::default());
    let cells = cells(&programs);
    for (index, cell) in cells.iter().enumerate().step_by(5) {
        tally.run(&cell.trial(index), &watch);
    }
    tally.judge();
    assert_eq!(tally.checked.len(), table().entries().len(), "answers were checked of {:?}", tally.checked);
}

/// The programs of the command.
fn table() -> &'static Table {
    static TABLE: LazyLock<Table> =
        LazyLock::new(|| Table::new(&[apps::ALL, probes::ALL]).expect("each name belongs to one program"));
    &TABLE
}

#[test]
#[ignore = "the whole matrix takes minutes"]
fn the_whole_matrix() {
    let programs = programs();
    let cells = cells(&programs);
    let rounds = std::env::var("TRADEWIND_ROUNDS").map_or(ROUNDS, |rounds| rounds.parse().unwrap());
    eprintln!(
        "{} cells: {} programs with inputs and mechanism, {} policies, 1, 2, 4 and 8 processors; {rounds} rounds; {} cores",
        cells.len(),
        programs.len(),
        policies().len(),
        Local::cores()
    );
    let (watch, mut tally, began) = (Watch::start(HANG), Tally::default(), Instant::now());
    for round in 0..rounds {
        for cell in &cells {
            tally.run(&cell.trial(round), &watch);
            if tally.wrong.len() >= ENOUGH {
                return tally.judge();
            }
        }
        let seconds = began.elapsed().as_secs();
        eprintln!(
            "round {:3} of {rounds}, {:7} runs, {} wrong, {:3} min {:02} s; the slowest took {:.0} ms",
            round + 1,
            tally.runs,
            tally.wrong.len(),
            seconds / 60,
            seconds % 60,
            tally.slowest[0].0.as_secs_f64() * 1e3
        );
    }
    tally.judge();
}

/// A cell for each program, mechanism and policy on eight processors, and on fewer.
#[test]
fn nothing_is_left_out() {
    let programs = programs();
    let cells = cells(&programs);
    for program in table().entries() {
        for mechanism in program.mechanisms {
            for policy in policies() {
                let is_there = cells.iter().any(|cell| {
                    let of_it = cell.program.name == program.name && cell.program.mechanism == *mechanism;
                    of_it && cell.policy == policy && cell.processors == 8
                });
                // Three nodes of three processors are nine.
                let is_too_much = program.name == "split-phase" && policy.count == 2;
                assert_eq!(is_there, !is_too_much, "{} by {mechanism} under {policy}", program.name);
            }
        }
    }
    for processors in [1, 2, 4] {
        let mut em3d =
            cells.iter().filter(|cell| cell.program.name == "em3d" && cell.processors == processors);
        assert!(em3d.any(|cell| cell.policy.to_string() == "single"), "em3d on {processors}");
    }
}
