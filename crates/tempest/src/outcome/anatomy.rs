//! The cost of protocol events, kind by kind and step by step: the data of a table of the parts of a remote access.
//!
//! A world that does not account for time leaves it empty. This module must never know the meaning of a kind of
//! message.

use units::{Time, TotalTime};

/// The cost of all events of one kind together.
#[derive(Clone, PartialEq, Debug)]
pub struct Stage {
    /// The type name of the message; [`Stage::ACCESS`] for accesses by threads.
    pub kind: &'static str,
    /// The number of handlers that have begun, or of accesses to shared memory.
    pub events: u64,
    /// The time from leaving for the network to arrival in the interface of the destination; zero for faults.
    pub travel: TotalTime,
    /// The time from arrival until a processor took the event.
    pub wait: TotalTime,
    /// The steps that processors took for the events.
    pub steps: Vec<Step>,
}

/// A step of events of one kind: a primitive of the machine file, [`Stage::COMPLETE`], [`Stage::MISS`],
/// [`Stage::STATE`] or [`Stage::COMPLETION`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Step {
    /// The name of the step.
    pub name: &'static str,
    /// The number of times that the step was taken.
    pub times: u64,
    /// The total time of the step, on the path of the events that followed.
    pub time: TotalTime,
}

impl Stage {
    /// The kind of accesses by threads to shared memory.
    pub const ACCESS: &'static str = "access";
    /// The step of an access that faulted and then goes ahead: its line comes from memory.
    pub const COMPLETE: &'static str = "complete_access";
    /// The step of an access that the node had the right to, and that missed in the processor's cache.
    pub const MISS: &'static str = "miss";
    /// The step of waiting for a line of handlers' data, which the processor's cache did not have: an entry of a
    /// [`Keyed`](crate::Keyed) table, or the data of a dispatch routine.
    pub const STATE: &'static str = "fetch_state";
    /// The step between the end of a handler and the release of its processor: off the path of the thread or event
    /// that the handler resumed.
    pub const COMPLETION: &'static str = "completion";

    /// The step of this name, if it was taken.
    pub fn step(&self, name: &str) -> Option<&Step> {
        self.steps.iter().find(|step| step.name == name)
    }
}

impl Step {
    /// The mean time of the step, rounded down to a femtosecond.
    pub fn mean(&self) -> Time {
        self.time.mean(self.times).unwrap_or(Time::ZERO)
    }
}
