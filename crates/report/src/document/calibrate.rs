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
    /// The number of rounds in which everything was measured.
    pub rounds: u32,
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
    /// The range of the middle half of the rounds, as a share of the median.
    ///
    /// Null if nothing was left over, or there was one round.
    pub spread: Option<f64>,
    /// The spread is more than a quarter.
    pub unsure: bool,
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
