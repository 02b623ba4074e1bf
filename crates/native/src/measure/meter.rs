//! How one processor measures: its gauge, its looks at the clock, and the pace of its threads' looks for events.
//!
//! This module must never know what is measured.

use std::cell::Cell;
use std::sync::Arc;

use tempest::world::Pace;
use units::Time;

use crate::cluster::world::World;
use crate::measure::gauge::Gauge;

/// How one processor measures.
pub(crate) struct Meter {
    gauge: Arc<Gauge>,
    /// When the processor last looked at the clock, in nanoseconds.
    seen_ns: Cell<u64>,
    /// How often its threads look for events.
    pace: Pace,
}

impl Meter {
    /// With that gauge; threads are to look for events so far apart.
    pub(crate) fn new(gauge: Arc<Gauge>, looks_apart: Time) -> Self {
        Self { gauge, seen_ns: Cell::new(0), pace: Pace::new(looks_apart) }
    }

    /// The gauge.
    #[inline]
    pub(crate) fn gauge(&self) -> &Gauge {
        &self.gauge
    }

    /// How often the threads of the processor look for events.
    #[inline]
    pub(crate) fn pace(&self) -> &Pace {
        &self.pace
    }

    /// When the processor last looked at the clock, in nanoseconds.
    #[inline]
    pub(crate) fn seen_ns(&self) -> u64 {
        self.seen_ns.get()
    }

    /// Looks at the clock.
    pub(crate) fn look(&self, world: &World) -> u64 {
        let now = world.running_ns();
        self.seen_ns.set(now);
        now
    }
}
