//! The document of `claims --sensitivity`. This module must never decide what moves.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Partial;
use super::claims::{FailedRun, Parameter, Scalar};

/// The document that `tradewind claims --sensitivity --json` prints.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Sensitivity {
    /// The version of this document's form.
    pub version: u32,
    /// The mark that not every run with a raised value was done; then values are missing whose runs were not.
    ///
    /// Null if every run was.
    pub partial: Option<Partial>,
    /// The share by which each free value is raised: 0.05 for 5 %.
    pub share: f64,
    /// The least change, as a share of a metric, that is listed.
    pub least: f64,
    /// Every modelled machine that a study runs on, by name.
    pub machines: Vec<SensitiveMachine>,
    /// Runs without a raised value that yielded nothing; empty if all went well. The exit is 1 if there is one.
    pub failed_runs: Vec<FailedRun>,
}

/// A modelled machine whose free values are raised one by one.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SensitiveMachine {
    /// The machine's name.
    pub machine: String,
    /// The values that are raised, in the order of the machine file.
    pub raised: Vec<Raised>,
    /// Values that nobody published and that cannot be raised by a share: flags, names, lists, zeros.
    pub not_raised: Vec<Parameter>,
}

/// A raised value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Raised {
    /// The value before.
    pub parameter: Parameter,
    /// The value after, as written. A count rises by 1 at least.
    pub to: String,
    /// Claims whose metric moves, the largest change first.
    pub moved: Vec<Moved>,
    /// The error text of a run with the raised value.
    ///
    /// Null if all runs went well.
    pub refused: Option<String>,
}

/// A claim whose metric moves.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Moved {
    /// The claim's id.
    pub claim: String,
    /// The metric before: a number, or whether a check holds.
    pub from: Scalar,
    /// The metric after.
    pub to: Scalar,
    /// The change as a share of the metric before.
    ///
    /// Null of a check, and of a metric that was 0.
    pub share: Option<f64>,
}
