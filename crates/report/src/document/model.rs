//! The documents of `model`. This module must never know an equation.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The document that `tradewind model fixed-floating --json` prints.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FixedFloating {
    /// The version of this document's form.
    pub version: u32,
    /// `fixed-floating`.
    pub model: String,
    /// The model's values, times in microseconds.
    pub input: IndexMap<String, f64>,
    /// The figures that the model yields. Null for a figure that does not exist, such as the bound of an empty window.
    pub figures: IndexMap<String, Option<f64>>,
    /// The curves of each ratio of overhead to latency.
    pub curves: Vec<Curve>,
}

/// The curves for one ratio of overhead to latency. Each point is a coordinate and the time of Single divided by that of Fixed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Curve {
    /// The overhead divided by the latency.
    pub k: f64,
    /// The ratio is that of `input`, not one of the round ratios beside it.
    pub is_own: bool,
    /// Points whose coordinate is computation divided by latency, at steps that grow by a factor.
    pub by_factor: Vec<(f64, f64)>,
    /// Points whose coordinate is computation divided by latency, at even steps.
    pub by_step: Vec<(f64, f64)>,
    /// Points whose coordinate is the utilization, from 0 to 1.
    pub by_utilization: Vec<(f64, f64)>,
}

/// The document that `tradewind model alewife-tables --json` prints.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Surveys {
    /// The version of this document's form.
    pub version: u32,
    /// `alewife-tables`.
    pub model: String,
    /// Surveys.
    pub tables: Vec<SurveyTable>,
}

/// A survey of machines.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SurveyTable {
    /// One line for people.
    pub summary: String,
    /// The machines of the survey.
    pub machines: Vec<SurveyedMachine>,
}

/// A machine of a survey.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SurveyedMachine {
    /// The machine's name in studies.
    pub name: String,
    /// The machine's name for people.
    pub title: String,
    /// The network that connects 32 of the machine's processors.
    pub topology: String,
    /// `clock` (MHz), `bisection` (MB/s), `bisection_per_cycle` (B/cycle), `network_latency`, `remote_miss`, `local_miss`
    /// (cycles); each null where there is none or it cannot be read.
    pub published: IndexMap<String, Option<Cell>>,
    /// Bytes that cross the bisection during a miss to local memory.
    ///
    /// Null if a cell is missing.
    pub bytes_per_local_miss: Option<f64>,
    /// The latency of the network, in misses to local memory.
    ///
    /// Null if a cell is missing.
    pub latency_in_local_misses: Option<f64>,
}

/// A published number or range.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// The number, or the least of the range.
    pub from: f64,
    /// The number, or the greatest of the range.
    pub to: f64,
    /// `exact` or `recalled`.
    pub confidence: String,
}
