//! The matrix with nodes as processes: each run is a command of its own, which ends with the sequential answer.
//!
//! ```text
//! cargo test --release -p tradewind --test it matrix_of_processes -- --ignored --nocapture
//! ```
//!
//! This module must never know how processes take part in a run.

use std::path::Path;
use std::time::Instant;

use super::ENOUGH;
use super::cells::{Cell, Trial, cells, programs};
use crate::command::{command, ran};

/// The runs of a cell on two nodes or more, each shape once.
fn trials<'c>(cell: &'c Cell<'_>) -> impl Iterator<Item = Trial<'c>> {
    (0..cell.shapes()).map(|round| cell.trial(round)).filter(|trial| !trial.is_of_one_node())
}

/// The reason why a run with nodes as processes is wrong, with its command; `None` if it gives the sequential answer.
fn wrong(trial: &Trial<'_>) -> Option<String> {
    let text = format!("{} --world processes --stall-limit 20s", trial.command());
    let arguments: Vec<_> = text.split_whitespace().skip(1).collect();
    let mut command = command(&arguments);
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    let ran = ran(command);
    let is_right = ran.code == Some(0) && ran.out.contains("verified against the sequential one");
    (!is_right).then(|| format!("{text}\n{}{}", ran.out, ran.err))
}

/// Runs the trials until several are wrong.
fn judge<'c>(trials: impl Iterator<Item = Trial<'c>>) {
    let (mut runs, began) = (0, Instant::now());
    let wrong: Vec<_> =
        trials.inspect(|_| runs += 1).filter_map(|trial| wrong(&trial)).take(ENOUGH).collect();
    eprintln!("{runs} runs with nodes as processes, {} wrong, in {:?}", wrong.len(), began.elapsed());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_small_dose_of_the_matrix_of_processes() {
    let programs = programs();
    let cells = cells(&programs);
    judge(cells.iter().flat_map(trials).step_by(211));
}

#[test]
#[ignore = "the whole matrix takes half an hour"]
fn the_whole_matrix_of_processes() {
    let programs = programs();
    let cells = cells(&programs);
    judge(cells.iter().flat_map(trials));
}
