//! What protocol events took, kind by kind and step by step: from it the rows of a table of what a remote access is made of
//! are read. Worlds that do not account for time leave it empty.

use units::Time;

/// What all events of one kind took together.
#[derive(Clone, PartialEq, Debug)]
pub struct Stage {
    /// The message that the events are, by its type; [`Stage::ACCESS`] for what threads do themselves.
    pub kind: &'static str,
    /// How many: handlers that have begun, or accesses to shared memory.
    pub events: u64,
    /// From leaving for the network until they were in the interface of their destination; zero for faults.
    pub travel: Time,
    /// From there until a processor took them.
    pub wait: Time,
    /// What processors did for them.
    pub steps: Vec<Step>,
}

/// A step of events of one kind: a primitive of the machine file, [`Stage::COMPLETE`], [`Stage::MISS`] or
/// [`Stage::COMPLETION`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Step {
    /// Its name.
    pub name: &'static str,
    /// How often it was taken.
    pub times: u64,
    /// The time of all of them, on the path of what followed.
    pub time: Time,
}

impl Stage {
    /// The kind of what threads do themselves: accesses to shared memory.
    pub const ACCESS: &'static str = "access";
    /// The step of an access that faulted and goes ahead at last: its line comes from memory.
    pub const COMPLETE: &'static str = "complete_access";
    /// The step of an access that the node had the right to and whose line was in no state for it in the processor's cache.
    pub const MISS: &'static str = "miss";
    /// The step that follows a handler before its processor is free: off the path of what the handler has let go on.
    pub const COMPLETION: &'static str = "completion";

    /// The step of a name, if it was taken.
    pub fn step(&self, name: &str) -> Option<&Step> {
        self.steps.iter().find(|step| step.name == name)
    }
}

impl Step {
    /// What it took on average, rounded down to a femtosecond.
    pub fn mean(&self) -> Time {
        Time::from_femtoseconds(self.time.as_femtoseconds() / self.times.max(1))
    }
}
