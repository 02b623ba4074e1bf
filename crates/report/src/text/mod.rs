//! Documents and comparisons as text for people. This module must never measure or find anything.
//!
//! Each function gives the lines of a result on a page; whoever calls it prints them.

mod anatomy;
mod bands;
mod brief;
mod calibrate;
mod claims;
mod comparison;
mod explain;
mod figures;
mod ledger;
mod legend;
mod list;
mod litmus;
mod model;
mod prediction;
mod ranked;
mod run;
mod sensitivity;
mod study;

pub use brief::comparison;
pub use calibrate::{Advised, calibrate};
pub use claims::{claims, failed_runs};
pub use comparison::View;
pub use explain::explain;
pub use ledger::ledger;
pub use list::{OptionItem, list};
pub use litmus::litmus;
pub use model::{fixed_floating, surveys};
pub use run::run;
pub use sensitivity::sensitivity;
pub use study::study;

use units::plural::several;

use crate::document::Partial;
use crate::page::{ALARM, Page};

/// The cores of this host, in words: `the 2 cores of this host`.
fn cores(cores: usize) -> String {
    format!("the {} of this host", several(cores as u64, "core"))
}

/// The kind of a machine: `this host`, `model`, or `model, FILE`.
fn kind(native: bool, file: Option<&str>) -> String {
    match file {
        Some(file) => format!("model, {file}"),
        None if native => "this host".to_owned(),
        None => "model".to_owned(),
    }
}

/// The block size and the protocol of shared memory, in words.
fn sharing(block: u32, protocol: &str) -> String {
    format!("blocks of {block} bytes, kept coherent by {protocol}")
}

/// The first line of a result that is not all that was asked for; no line where it is.
fn partial(partial: Option<&Partial>, page: &Page) -> Vec<String> {
    let line = |partial: &Partial| {
        let said = format!("{partial}; what follows is of these alone");
        page.fold_in(ALARM, "PARTIAL: ", &said)
    };
    partial.map(line).into_iter().flat_map(|line| [line, String::new()]).collect()
}

/// Adds lines below an empty one.
fn below(lines: &mut Vec<String>, more: impl IntoIterator<Item = String>) {
    lines.push(String::new());
    lines.extend(more);
}
