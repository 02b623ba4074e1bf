//! Documents and comparisons as text for people. This module must never measure or find anything.
//!
//! Each function gives the lines of a result on a page; whoever calls it prints them.

mod anatomy;
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
mod partial;
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

use crate::quantity::several;

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
