//! The six parts into which a computing processor's time falls. This module must never know how parts are drawn or named
//! for people.

use tempest::outcome::{Breakdown, Counters, Outcome, PhaseRecord, Utilization};
use units::TotalTime;

/// The number of parts.
pub const PARTS: usize = 6;

/// A part of a computing processor's time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
    /// Ready to run, while the operating system ran something else on the core.
    Taken,
}

impl Part {
    /// Every part, in the order of bars.
    pub const ALL: [Self; PARTS] =
        [Self::Compute, Self::Memory, Self::Overhead, Self::Synchronization, Self::Idle, Self::Taken];

    /// The name of the part in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Memory => "memory",
            Self::Overhead => "overhead",
            Self::Synchronization => "synchronization",
            Self::Idle => "idle",
            Self::Taken => "taken",
        }
    }
}

/// The timed region of a run: its first phase, or the whole run if the program names no phase.
#[derive(Clone, Copy, Debug)]
pub struct Region<'o> {
    /// The counts in the region.
    pub counters: Counters,
    /// Computing processors' time in the region, split by activity.
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

/// Share of the processors' time, over the timed regions of these outcomes, in which they were ready to run and the
/// operating system ran something else; `None` if it is not reported.
pub fn taken_share<'o>(outcomes: impl IntoIterator<Item = &'o Outcome>) -> Option<f64> {
    let (mut taken, mut all) = (None, 0.0);
    for outcome in outcomes {
        let protocol = outcome.phases.first().map_or(&outcome.protocol, |phase| &phase.protocol);
        let spent = region(outcome).breakdown;
        let of_each = std::iter::once((spent.taken, spent.total()));
        for (more, total) in of_each.chain(protocol.iter().map(|spent| (spent.taken, spent.total()))) {
            taken = more.map(|more| taken.unwrap_or(0.0) + more.as_seconds()).or(taken);
            all += total.as_seconds();
        }
    }
    taken.map(|taken| if all > 0.0 { taken / all } else { 0.0 })
}

/// The share of its processors' time up to which a row may have lost some to the operating system and still be told from others.
pub const TAKEN: f64 = 0.03;

/// The share taken by the operating system, where it is too large for the row to be told from another.
pub(crate) fn disturbed(taken: Option<f64>, oversubscribed: bool) -> Option<f64> {
    taken.filter(|taken| *taken > TAKEN && !oversubscribed)
}

/// The share of each part in a breakdown, in the order of [`Part::ALL`]; all 0 where no time was spent.
pub fn shares(spent: &Breakdown) -> [f64; PARTS] {
    let Breakdown { compute, memory, overhead, synchronization, idle, taken } = *spent;
    let taken = taken.unwrap_or(TotalTime::ZERO);
    shares_of([compute, memory, overhead, synchronization, idle, taken].map(TotalTime::as_seconds))
}

/// The share of each of these times in their sum; all 0 where no time was spent.
pub fn shares_of(spent: [f64; PARTS]) -> [f64; PARTS] {
    let all: f64 = spent.iter().sum();
    spent.map(|part| if all > 0.0 { part / all } else { 0.0 })
}
