//! The document of `calibrate`. This module must never know how a host is measured.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What `tradewind calibrate --json` prints.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Calibrate {
    /// The version of this document's form.
    pub version: u32,
    /// The machine file that was written.
    pub file: String,
    /// So often everything was measured.
    pub rounds: u32,
    /// Every value of the file that was measured, in its order.
    pub measured: Vec<Quantity>,
    /// Between cores: all pairs of up to eight, of more a sample.
    pub distances: Vec<Distance>,
}

/// A value that was measured.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Quantity {
    /// Dotted, as in the file.
    pub key: String,
    /// Median over the rounds, in `unit`.
    pub number: f64,
    /// `ns`, `MHz`, `MB/s`.
    pub unit: String,
    /// How far the middle half of the rounds lie apart, as a share of the median.
    ///
    /// Null if nothing was left over, or there was one round.
    pub spread: Option<f64>,
    /// The spread is more than a quarter.
    pub unsure: bool,
    /// What it is made of: names of figures.
    pub from: String,
}

/// The time between two cores.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Distance {
    /// The numbers of the two cores.
    pub cores: [u32; 2],
    /// A lone request and its reply.
    pub round_trip_ns: f64,
}
