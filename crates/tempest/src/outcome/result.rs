//! The result of a run that ended well.
//!
//! This module must never know any one world.

use units::Time;

use crate::Report;
use crate::outcome::{Breakdown, Counters, Dispatching, ProtocolTime, Stage, Utilization};
use crate::policy::adaptive::Adjustment;

/// A timed region of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct PhaseRecord {
    /// The name that the program gave it.
    pub name: &'static str,
    /// The time from the last thread's entry to the last thread's entry into the next region, or to the end.
    pub time: Time,
    /// The counts in this region.
    pub counters: Counters,
    /// The computing processors' time in this region, split by use.
    pub breakdown: Breakdown,
    /// The protocol processors' time in this region, kind by kind; empty if there are no such processors.
    pub protocol: Vec<ProtocolTime>,
    /// The utilization in this region of the parts that can be a bottleneck, kind by kind.
    pub utilization: Vec<Utilization>,
}

/// The result of a run that ended well.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The time from start to end: modelled time on a modelled machine, this host's time natively.
    pub time: Time,
    /// The timed regions, in order. Nothing is timed before the first `phase` call.
    pub phases: Vec<PhaseRecord>,
    /// The counts of the whole run.
    pub counters: Counters,
    /// The computing processors' time, split by use.
    pub breakdown: Breakdown,
    /// The protocol processors' time, kind by kind; empty if there are no such processors.
    pub protocol: Vec<ProtocolTime>,
    /// The utilization of the parts that can be a bottleneck, kind by kind: the parts that the machine has and the
    /// world measures. Natively processors.
    pub utilization: Vec<Utilization>,
    /// The measurements of the dispatch queues.
    pub dispatching: Dispatching,
    /// The cost of protocol events, kind by kind; empty in a world that does not account for time.
    pub anatomy: Vec<Stage>,
    /// The changes that an adaptive policy made, in order of time.
    pub adjustments: Vec<Adjustment>,
    /// The number of events that the engine of a model processed; `None` without an engine. It is work of the host: a traced run
    /// may need more of them for the same result.
    pub events: Option<u64>,
    /// The digest of the event stream; `None` in a world that cannot promise to repeat it.
    pub digest: Option<u64>,
    /// The program's own check and figures.
    pub report: Report,
}

impl Outcome {
    /// The time that comparisons use: that of the first timed region if there is one, else that of the whole
    /// run. A program checks its result in later regions.
    pub fn timed(&self) -> Time {
        self.phases.first().map_or(self.time, |phase| phase.time)
    }
}
