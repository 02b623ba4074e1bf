//! A processor's means of measurement: its gauge, its clock readings, and the pace at which its threads look for events.
//!
//! This module must never know the purpose of a measurement.

use std::cell::Cell;
use std::sync::Arc;

use tempest::world::Pace;
use units::Time;

use crate::parts::gauge::Gauge;
use crate::parts::world::World;

/// A processor's means of measurement.
pub(crate) struct Meter {
    gauge: Arc<Gauge>,
    /// The last clock reading, in nanoseconds.
    seen_ns: Cell<u64>,
    /// The pace at which its threads look for events.
    pace: Pace,
}

impl Meter {
    /// Makes the meter with this gauge. Threads shall look for events every `looks_apart`.
    pub(crate) fn new(gauge: Arc<Gauge>, looks_apart: Time) -> Self {
        Self { gauge, seen_ns: Cell::new(0), pace: Pace::new(looks_apart) }
    }

    /// The gauge.
    #[inline]
    pub(crate) fn gauge(&self) -> &Gauge {
        &self.gauge
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
