//! Timed regions: all threads enter together (`barrier`), outside the program's own messages, and the totals are taken.
//!
//! This module must never know which thread measures.

use tempest::ThreadId;
use tempest::outcome::{Breakdown, Counters, ProtocolTime};

use crate::parts::barrier::Barrier;

/// The regions entered up to now, and the threads that wait to enter the next.
pub(crate) type Phases = Barrier<ThreadId, Start>;

/// The start of a region.
pub(crate) struct Start {
    pub(crate) name: &'static str,
    /// Time in nanoseconds from the start of the run.
    pub(crate) at: u64,
    pub(crate) totals: Totals,
}

/// Totals of the measurements of a world up to a moment.
#[derive(Clone)]
pub(crate) struct Totals {
    pub(crate) counters: Counters,
    pub(crate) breakdown: Breakdown,
    /// Time of the dedicated processors, without helpers; empty if there are none.
    pub(crate) protocol: Vec<ProtocolTime>,
    /// By processor, without helpers: nanoseconds in which it was idle or not run by the host.
    pub(crate) waited_ns: Vec<u64>,
}
