//! The five parts into which a computing processor's time falls. This module must never know how parts are drawn or named
//! for people.

use serde::{Deserialize, Serialize};
use tempest::{Breakdown, Counters, Outcome, PhaseRecord, Utilization};
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
    /// Nothing to do and nothing to wait for: no thread of the processor is left.
    Idle,
}

impl Part {
    /// Every part, in the order of bars.
    pub const ALL: [Self; 5] =
        [Self::Compute, Self::Memory, Self::Overhead, Self::Synchronization, Self::Idle];
}

/// The timed region of a run: its first phase, or the whole run if the program names no phase.
#[derive(Clone, Copy, Debug)]
pub struct Region<'o> {
    /// The counts in the region.
    pub counters: Counters,
    /// The computing processors' time in the region, split by what they spent it on.
    pub breakdown: Breakdown,
    /// The utilization in the region of the parts of the machine.
    pub utilization: &'o [Utilization],
}

/// The timed region of an outcome.
pub fn region(outcome: &Outcome) -> Region<'_> {
    match outcome.phases.first() {
        Some(PhaseRecord { counters, breakdown, utilization, .. }) => {
            Region { counters: *counters, breakdown: *breakdown, utilization }
        }
        None => {
            let Outcome { counters, breakdown, utilization, .. } = outcome;
            Region { counters: *counters, breakdown: *breakdown, utilization }
        }
    }
}

/// The share of each part in a breakdown, in the order of [`Part::ALL`]; all 0 where no time was spent.
pub fn shares(spent: &Breakdown) -> [f64; 5] {
    let Breakdown { compute, memory, overhead, synchronization, idle } = *spent;
    shares_of([compute, memory, overhead, synchronization, idle].map(Time::as_seconds))
}

/// The share of each of five times in their sum; all 0 where no time was spent.
pub fn shares_of(spent: [f64; 5]) -> [f64; 5] {
    let all: f64 = spent.iter().sum();
    spent.map(|part| if all > 0.0 { part / all } else { 0.0 })
}
