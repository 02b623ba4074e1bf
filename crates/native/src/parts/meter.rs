//! A processor's means of measurement beside its gauge: its clock readings, and the pace at which its threads look for events.
//!
//! This module must never know the purpose of a measurement.

use std::cell::Cell;

use tempest::world::Pace;
use units::Time;

use crate::parts::world::World;

/// A processor's means of measurement.
pub(crate) struct Meter {
    /// The last clock reading, in nanoseconds.
    seen_ns: Cell<u64>,
    /// The pace at which its threads look for events.
    pace: Pace,
}

impl Meter {
    /// Makes the meter of a processor whose threads look for events every `looks_apart`.
    pub(crate) fn new(looks_apart: Time) -> Self {
        Self { seen_ns: Cell::new(0), pace: Pace::new(looks_apart) }
    }

    /// The pace at which the threads of the processor look for events.
    #[inline]
    pub(crate) fn pace(&self) -> &Pace {
        &self.pace
    }

    /// The last clock reading, in nanoseconds.
    #[inline]
    pub(crate) fn seen_ns(&self) -> u64 {
        self.seen_ns.get()
    }

    /// Reads the clock.
    pub(crate) fn look(&self, world: &World) -> u64 {
        let now = world.running_ns();
        self.seen_ns.set(now);
        now
    }
}
