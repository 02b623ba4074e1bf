//! What is measured of a run: events, costs by kind and step, timed regions, changes of roles.
//!
//! Must never know what a message means.

pub(crate) mod anatomy;
pub(crate) mod phases;
pub(crate) mod utilization;

use tempest::Adjustment;
use trace::Sink;

use anatomy::Anatomy;
use phases::Phases;

/// What is measured of a run.
pub(crate) struct Measure {
    pub(crate) anatomy: Anatomy,
    pub(crate) phases: Phases,
    pub(crate) sink: Sink,
    /// The changes of roles so far.
    pub(crate) adjustments: Vec<Adjustment>,
}
