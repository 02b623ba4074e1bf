//! The cost of protocol events, kind by kind and step by step: the data of a table that breaks a remote access down
//! into its parts.
//!
//! A world that does not account for time has no such data. This module must never know the meaning of a kind of
//! message.

use units::{Time, TotalTime};

/// The total cost of all protocol events of one kind: messages of one type, or accesses to shared memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Stage {
    /// The type name of the message, for events that messages cause; [`Stage::ACCESS`] for threads' accesses to shared
    /// memory.
    pub kind: &'static str,
    /// The number of events: handlers that have begun to run, or accesses to shared memory.
    pub events: u64,
    /// The time that the events' messages spent in the network, from injection to arrival in the interface of the
    /// destination; zero for access faults.
    pub travel: TotalTime,
    /// The time that the events waited, from their arrival until a processor took them.
    pub wait: TotalTime,
    /// The steps that processors execute for these events.
    pub steps: Vec<Step>,
}

/// A step of the events of one kind: a primitive of the machine file, [`Stage::COMPLETE`], [`Stage::MISS`],
/// [`Stage::STATE`] or [`Stage::COMPLETION`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Step {
    /// The name of the step.
    pub name: &'static str,
    /// The number of times that events took the step.
    pub times: u64,
    /// The total time of the step. Only time counts that delayed the thread or event which the handler resumed or
    /// caused.
    pub time: TotalTime,
}

impl Stage {
    /// The [`kind`](Self::kind) that stands for accesses by threads to shared memory.
    pub const ACCESS: &'static str = "access";
    /// The step that repeats a faulted access after the fault has been handled: its cache line comes from memory.
    pub const COMPLETE: &'static str = "complete_access";
    /// The step of an access that misses in the processor's cache, though the node has the right to the block.
    pub const MISS: &'static str = "miss";
    /// The step of waiting for a line of handlers' data, which the processor's cache did not have: an entry of a
    /// [`Keyed`](crate::Keyed) table, or the data of a dispatch routine.
    pub const STATE: &'static str = "fetch_state";
    /// The step between the end of a handler and the release of its processor. It delays no thread or event that the
    /// handler resumed.
    pub const COMPLETION: &'static str = "completion";

    /// The step called `name`; `None` if no event took it.
    pub fn step(&self, name: &str) -> Option<&Step> {
        self.steps.iter().find(|step| step.name == name)
    }
}

impl Step {
    /// The mean time of the step, rounded down to a femtosecond; zero if no event took the step.
    pub fn mean(&self) -> Time {
        self.time.mean(self.times).unwrap_or(Time::ZERO)
    }
}
