//! The four parts into which a computing processor's time falls, as one value each. Must never know how they look.

use tempest::Outcome;

use crate::measure::region;

/// One of the four.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    Compute,
    Memory,
    Overhead,
    Synchronization,
}

impl Part {
    /// All of them, in the order of bars.
    pub(crate) const ALL: [Self; 4] = [Self::Compute, Self::Memory, Self::Overhead, Self::Synchronization];

    /// As `--json` calls it.
    pub(crate) const fn key(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Memory => "memory",
            Self::Overhead => "overhead",
            Self::Synchronization => "synchronization",
        }
    }

    /// For people.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Memory => "memory and NI wait",
            Self::Overhead => "message overhead",
            Self::Synchronization => "synchronization",
        }
    }
}

/// Share of each part in the timed region, in the order of [`Part::ALL`]; all 0 where nothing was spent.
pub(crate) fn shares(outcome: &Outcome) -> [f64; 4] {
    let spent = region(outcome).breakdown;
    let spent = [spent.compute, spent.memory, spent.overhead, spent.synchronization];
    let spent = spent.map(units::Time::as_seconds);
    let all: f64 = spent.iter().sum();
    spent.map(|part| if all > 0.0 { part / all } else { 0.0 })
}
