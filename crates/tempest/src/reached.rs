//! How far a modelled run is, for a thread that waits for its end. This module must never know any one world.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use units::Time;

/// The modelled time that a run has reached. The world writes it, other threads read it meanwhile. A copy shares the time with its
/// original.
#[derive(Clone, Debug, Default)]
pub struct Reached(Arc<AtomicU64>);

impl Reached {
    /// The time that the run has reached; the start before anything has happened, and where the world has no modelled time.
    pub fn time(&self) -> Time {
        Time::from_femtoseconds(self.0.load(Ordering::Relaxed))
    }

    /// Notes the present time. Nothing is ordered by it.
    #[inline]
    pub fn note(&self, now: Time) {
        self.0.store(now.as_femtoseconds(), Ordering::Relaxed);
    }
}
