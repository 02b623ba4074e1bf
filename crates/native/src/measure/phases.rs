//! Timed regions: all threads enter together (`barrier`), outside the program's own messages, and the totals are taken.
//!
//! This module must never know who measures.

use tempest::{Breakdown, Counters, ProtocolTime, ThreadId};

use crate::control::barrier::Barrier;

/// The regions entered so far, and who waits to enter the next.
pub(crate) type Phases = Barrier<ThreadId, Start>;

/// The start of a region.
pub(crate) struct Start {
    pub(crate) name: &'static str,
    /// In nanoseconds.
    pub(crate) at: u64,
    pub(crate) totals: Totals,
}

/// What has been measured up to a moment.
#[derive(Clone)]
pub(crate) struct Totals {
    pub(crate) counters: Counters,
    pub(crate) breakdown: Breakdown,
    /// The time of the dedicated processors, if there are any; helpers are none.
    pub(crate) protocol: Vec<ProtocolTime>,
    /// Nanoseconds for which each processor had nothing to do, or was not run; helpers are no processors.
    pub(crate) waited_ns: Vec<u64>,
}
