//! The run that the speed of another is measured against. This module must never know how a result looks on a page.

use compare::Combination as Ran;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tempest::outcome::{Breakdown, Outcome};
use units::TotalTime;

/// The run that the speed is measured against.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Baseline {
    /// The name of the baseline: `uniprocessor` is one thread on one processor of the machine, with its caches, bus and memory;
    /// tags and messages take no time.
    pub name: String,
    /// The time that counts of the baseline.
    pub time_ns: f64,
    /// The part of that time in which its processor computed.
    pub compute_ns: f64,
    /// The part of that time in which its processor waited for memory.
    pub memory_ns: f64,
    /// The time of the baseline divided by that of the run.
    ///
    /// Null if either takes no time.
    pub speedup: Option<f64>,
    /// The time that all processors of the run computed together, divided by `compute_ns`: 1 where both did the same work.
    ///
    /// Null if the baseline computed nothing.
    pub work: Option<f64>,
    /// Every result of the baseline was compared with the sequential one and found right.
    pub verified: bool,
}

impl Baseline {
    /// The baseline of this name, and the run that is measured against it.
    pub fn new(name: &str, baseline: &Ran, ran: &Ran) -> Self {
        let (alone, together) = (baseline.median(), ran.median());
        let over = |one: TotalTime, other: TotalTime| {
            let both = (!one.is_zero() && !other.is_zero()).then(|| one.as_seconds() / other.as_seconds());
            both.filter(|ratio| ratio.is_finite())
        };
        Self {
            name: name.to_owned(),
            time_ns: alone.timed().as_nanoseconds(),
            compute_ns: breakdown(alone).compute.as_nanoseconds(),
            memory_ns: breakdown(alone).memory.as_nanoseconds(),
            speedup: over(alone.timed().into(), together.timed().into()),
            work: over(breakdown(together).compute, breakdown(alone).compute),
            verified: baseline.verified(),
        }
    }
}

/// Where the time that counts went.
fn breakdown(outcome: &Outcome) -> &Breakdown {
    outcome.phases.first().map_or(&outcome.breakdown, |phase| &phase.breakdown)
}
