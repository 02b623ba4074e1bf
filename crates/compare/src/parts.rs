//! The four parts into which a computing processor's time falls. This module must never know how parts are drawn or named
//! for people.

use serde::{Deserialize, Serialize};
use tempest::{Breakdown, Counters, Outcome};
use units::Time;

/// One part of a computing processor's time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// The program's own work.
    Compute,
    /// Waiting for memory or for room in the network interface.
    Memory,
    /// Sending, receiving and handling messages.
    Overhead,
    /// Waiting for a thread or a message with nothing else to do.
    Synchronization,
}

impl Part {
    /// Every part, in the order of bars.
    pub const ALL: [Self; 4] = [Self::Compute, Self::Memory, Self::Overhead, Self::Synchronization];
}

/// The timed region of a run: its first phase, or the whole run if the program names no phase.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// The counts in the region.
    pub counters: Counters,
    /// The computing processors' time in the region, split by what they spent it on.
    pub breakdown: Breakdown,
}

/// The timed region of an outcome.
pub fn region(outcome: &Outcome) -> Region {
    let whole = Region { counters: outcome.counters, breakdown: outcome.breakdown };
    let timed = outcome.phases.first();
    timed.map_or(whole, |phase| Region { counters: phase.counters, breakdown: phase.breakdown })
}

/// The share of each part in a breakdown, in the order of [`Part::ALL`]; all 0 where no time was spent.
pub fn shares(spent: &Breakdown) -> [f64; 4] {
    shares_of([spent.compute, spent.memory, spent.overhead, spent.synchronization].map(Time::as_seconds))
}

/// The share of each of four times in their sum; all 0 where no time was spent.
pub fn shares_of(spent: [f64; 4]) -> [f64; 4] {
    let all: f64 = spent.iter().sum();
    spent.map(|part| if all > 0.0 { part / all } else { 0.0 })
}
