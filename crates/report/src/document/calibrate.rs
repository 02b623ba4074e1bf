//! The document of `calibrate`. This module must never know how a host is measured.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The document that `tradewind calibrate --json` prints.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Calibrate {
    /// The version of this document's form.
    pub version: u32,
    /// The machine file that was written.
    pub file: String,
    /// The place of the measured nodes: `local` (all in one process) or `processes` (in processes of their own).
    pub world: String,
    /// The number of rounds in which everything was measured, besides the one that warmed up.
    pub rounds: u32,
    /// The rounds disagree on a value, because something else ran on the host. The file is marked, and the exit is 1.
    pub disturbed: bool,
    /// Every value of the file that was measured, in its order.
    pub measured: Vec<Quantity>,
    /// The times between cores: all pairs of up to eight, of more a sample.
    pub distances: Vec<Distance>,
}

/// A value that was measured.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Quantity {
    /// The dotted key of the value, as in the file.
    pub key: String,
    /// Median over the rounds, in `unit`.
    pub number: f64,
    /// The unit: `ns`, `MHz`, `MB/s`.
    pub unit: String,
    /// The lower end of the interval that encloses the median, in `unit`.
    ///
    /// Null of one round.
    pub low: Option<f64>,
    /// The upper end of the interval that encloses the median, in `unit`.
    ///
    /// Null of one round.
    pub high: Option<f64>,
    /// The probability with which such an interval encloses the median.
    ///
    /// Null of one round.
    pub level: Option<f64>,
    /// The interval reaches farther from the median than a quarter of what was measured: of the value, or of the time that the
    /// value is left over of if that is more.
    pub disturbed: bool,
    /// The interval is as wide as the value, or wider. The file says so beside the value.
    pub vague: bool,
    /// The names of the figures that the value is made of.
    pub from: String,
}

/// The time between two cores.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Distance {
    /// The numbers of the two cores.
    pub cores: [u32; 2],
    /// The time of a lone request and its reply.
    pub round_trip_ns: f64,
}
