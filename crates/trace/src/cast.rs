//! The cast of a traced run, the samples of its counters, and the counts of its events.
//!
//! This module must never know how events are kept or written.

use units::Time;

/// Nodes, processors, threads, messages and counters of a traced run, for the names of tracks and messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cast {
    /// Name of the machine as a whole.
    pub machine: String,
    /// Number of nodes, which are numbered from zero.
    pub nodes: u32,
    /// Number of processors per node that run the program's threads, numbered from zero.
    pub computing: u16,
    /// Number of processors per node that run handlers only, numbered after the computing ones.
    pub dedicated: u16,
    /// Number of threads of the program per node, numbered from zero.
    pub threads: u32,
    /// Names of messages by their number. Of the path of a type the trace shows the last segment.
    pub messages: Vec<&'static str>,
    /// The counters whose values are sampled, by their number.
    pub counters: Vec<Counter>,
}

/// A quantity whose values are sampled while a program runs: a track of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The node of the counter; `None` for a counter of the machine as a whole.
    pub node: Option<u32>,
    /// Name of the counted quantity, unique within the node.
    pub name: String,
    /// The unit of its values.
    pub unit: &'static str,
}

/// A value of a counter from an instant on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Time of the sample.
    pub at: Time,
    /// The number of the counter in the [cast](Cast).
    pub counter: u32,
    /// Value of the counter.
    pub value: f64,
}

/// Numbers of recorded, moved and lost events of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Number of events kept.
    pub events: u64,
    /// Samples of counters kept.
    pub samples: u64,
    /// Events that found no place: beyond the bound of a memory; of a node, processor or thread that the cast lacks;
    /// ends without a beginning; before [`begin`](crate::Recorder::begin) or after [`finish`](crate::Recorder::finish). Of a
    /// well-formed run, none are.
    pub lost: u64,
    /// Number of beginnings and ends of slices that were recorded after later ones of the same track, and are shown at
    /// the time of those. A well-formed run has none.
    pub moved: u64,
    /// Number of bytes written.
    pub bytes: u64,
}
