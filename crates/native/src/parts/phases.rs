//! The measurements of a node at the start of each timed region.
//!
//! This module must never know when they are taken.

use tempest::outcome::{Breakdown, Counters, ProtocolTime};

use crate::parts::barrier::Barrier;

/// The regions entered up to now, and the threads of the node, by their index, that wait to enter the next.
pub(crate) type Regions = Barrier<u32, Start>;

/// The start of a region on a node.
#[derive(Clone)]
pub(crate) struct Start {
    pub(crate) name: &'static str,
    /// Time in nanoseconds from the start of the run.
    pub(crate) at: u64,
    pub(crate) totals: Totals,
}

/// Totals of the measurements of a node, or of all nodes, up to a moment.
#[derive(Clone)]
pub(crate) struct Totals {
    pub(crate) counters: Counters,
    pub(crate) breakdown: Breakdown,
    /// Time of the dedicated processors, without helpers; empty if there are none.
    pub(crate) protocol: Vec<ProtocolTime>,
    /// By processor, without helpers: nanoseconds in which it was idle or not run by the host.
    pub(crate) waited_ns: Vec<u64>,
}

impl Totals {
    /// Adds the totals of another node.
    pub(crate) fn add(&mut self, more: &Self) {
        self.counters += more.counters;
        self.breakdown += more.breakdown;
        let both = self.protocol.iter_mut().zip(&more.protocol);
        both.for_each(|(all, more)| *all = *all + *more);
        self.waited_ns.extend(&more.waited_ns);
    }
}
