//! The result of a run that ended well.
//!
//! This module must never know any one world.

use units::Time;

use crate::Report;
use crate::outcome::{Breakdown, Counters, Dispatching, ProtocolTime, Stage, Utilization};
use crate::policy::adaptive::Adjustment;

/// The measurements of a timed region of a run, which a program begins with [`Thread::phase`](crate::Thread::phase).
#[derive(Clone, PartialEq, Debug)]
pub struct PhaseRecord {
    /// The name that the program gave the region.
    pub name: &'static str,
    /// The time from the instant at which the last thread entered this region to the same instant of the next region,
    /// or to the end of the run.
    pub time: Time,
    /// The counts of messages, handlers and the like in this region, summed over all nodes.
    pub counters: Counters,
    /// The computing processors' time in this region, split by use.
    pub breakdown: Breakdown,
    /// The protocol processors' time in this region, kind by kind; empty if there are no such processors.
    pub protocol: Vec<ProtocolTime>,
    /// The share of time in this region for which each part of the machine that can be a bottleneck was busy, kind by
    /// kind.
    pub utilization: Vec<Utilization>,
}

/// The result of a run that ended well.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The time from start to end: modelled time on a modelled machine, this host's time natively.
    pub time: Time,
    /// The timed regions, in order. The time before the program's first `phase` call is in none.
    pub phases: Vec<PhaseRecord>,
    /// The counts of messages, handlers and the like in the whole run, summed over all nodes.
    pub counters: Counters,
    /// The computing processors' time, split by use.
    pub breakdown: Breakdown,
    /// The protocol processors' time, kind by kind; empty if there are no such processors.
    pub protocol: Vec<ProtocolTime>,
    /// The share of time for which each part of the machine that can be a bottleneck was busy, kind by kind, where the
    /// world measures it: natively only processors.
    pub utilization: Vec<Utilization>,
    /// The measurements of the queues from which nodes dispatch events to processors.
    pub dispatching: Dispatching,
    /// The cost of protocol events, kind by kind; empty in a world that does not account for time.
    pub anatomy: Vec<Stage>,
    /// The changes of the number of processors dedicated to handlers, in order of time. Only an adaptive policy makes
    /// any.
    pub adjustments: Vec<Adjustment>,
    /// The number of events that the simulator processed; `None` natively. The number measures only the work of the
    /// host: a traced run may need more events for the same result.
    pub events: Option<u64>,
    /// A hash of the order and content of all events, equal for repeated runs; `None` in a world whose runs are not
    /// deterministic.
    pub digest: Option<u64>,
    /// The program's own check and figures.
    pub report: Report,
}

impl Outcome {
    /// The time by which runs are compared: the time of the first timed region if there is one, else of the whole run.
    /// A program checks its result in later regions.
    pub fn timed(&self) -> Time {
        self.phases.first().map_or(self.time, |phase| phase.time)
    }
}
