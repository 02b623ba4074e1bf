//! The measured values of a host. This module must never know the runs that measure, nor the text of a file.

use units::median::Median;

use super::equations::Unit;
use super::probe::Distance;

/// Greatest distance of an interval's farther end from its median, as a share of the measured value, in an undisturbed
/// measurement.
const FAR: f64 = 0.25;

/// A value of the machine file.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// Dotted key of the value.
    pub key: &'static str,
    /// Median over the rounds, and the interval that encloses it; never negative.
    pub median: Median,
    /// Unit of the median.
    pub unit: Unit,
    /// Distance of the interval's farther end from the median, as a share of the value, or of the longer time from
    /// which the value is the rest if that is more. 0 for a single round, which gives no interval.
    pub share: f64,
    /// Formula of the value.
    pub from: &'static str,
}

impl Quantity {
    /// Whether the rounds disagree.
    pub fn is_disturbed(&self) -> bool {
        self.share > FAR
    }

    /// Whether the interval is as wide as the value, or wider.
    pub fn is_vague(&self) -> bool {
        let Median { value, low, high, .. } = self.median;
        high > low && high - low >= value
    }
}

/// Measurements of a host.
#[derive(Clone, Debug)]
pub struct Calibration {
    /// Values, in the order of the machine file.
    pub quantities: Vec<Quantity>,
    /// Distances between cores.
    pub distances: Vec<Distance>,
    /// Number of measured rounds, without the warm-up.
    pub rounds: u32,
}

impl Calibration {
    /// The keys of the values on which the rounds disagree.
    pub fn disturbed(&self) -> Vec<&'static str> {
        self.quantities
            .iter()
            .filter(|quantity| quantity.is_disturbed())
            .map(|quantity| quantity.key)
            .collect()
    }
}
