//! The messages between the launcher of a world and its processes, over the socket of each.
//!
//! ```text
//! launcher                      process
//! Join       ────────────────▶  with the file of the problems of the run, if it has any; it checks that it is the same executable, and
//!                               installs the job on its nodes
//!            ◀────────────────  Settled, with the file of its nodes' memory; or Refused
//! Peers      ────────────────▶  with the files of all; it connects its nodes and starts its processors
//!            ◀────────────────  Arrived
//! Go         ────────────────▶  the clock starts
//!            ◀────────────────  Beat, again and again
//! Search     ────────────────▶  to the process of node 0: the run may have ended
//!            ◀────────────────  Stopped, by the process that finds the end, or fails
//! Stop, Stall ───────────────▶  to all
//!            ◀────────────────  Left: the records of its nodes, or the reason why the run has none
//! ```
//!
//! This module must never know how a message travels.

use tempest::NodeId;
use tempest::outcome::{Attempt, Blocked, Failure, Refusal, Spinning};
use tempest::world::Exports;
use trace::Event;
use units::Time;

use crate::measure::outcome::NodeRecord;
use crate::parts::world::Stage;
use crate::process::coding::{Coded, coded_fields, coded_variants};

/// The part of a process in a world.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Join {
    /// The secret of the job, which no other job has.
    pub(crate) job: u128,
    /// The identity of the executable.
    pub(crate) build: u64,
    /// The number of its first node, and of its nodes.
    pub(crate) first: u64,
    pub(crate) nodes: u64,
    /// The number of worlds of processes that the launcher has run before this one.
    pub(crate) calls: u64,
    /// The run as the command describes it; `None` where the process reaches the run by itself.
    pub(crate) order: Option<String>,
    /// The terms of the run, which the process must find as well.
    pub(crate) terms: String,
    /// Nanoseconds between two beats.
    pub(crate) beat_ns: u64,
    /// Whether the run is traced.
    pub(crate) traced: bool,
}

/// The places in the file of a process of a node's memory that others access, and the identity of its messages and segments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NodeExports {
    pub(crate) fingerprint: u64,
    /// The names of its messages and segments, by number.
    pub(crate) messages: Vec<String>,
    pub(crate) segments: Vec<String>,
    /// The memory of the program.
    pub(crate) program: Exports,
    /// By source: the place of the channel into the node.
    pub(crate) channels: Vec<u64>,
    /// The place of the parkers of its processors, its helper's last.
    pub(crate) parkers: u64,
}

/// The end of a run in a process.
pub(crate) struct Left {
    /// By node: its record, if the run has ended well in this process.
    pub(crate) records: Option<Vec<NodeRecord>>,
    /// The reason why it has not, if this process knows one.
    pub(crate) failure: Option<Cause>,
    /// The threads of the process that waited when the run stopped, and its threads that ran without progress.
    pub(crate) blocked: Vec<Blocked>,
    pub(crate) spinning: Vec<Still>,
    /// The first panic of a destructor of the program's state.
    pub(crate) disposal: Option<String>,
    /// The events of a traced run; the events of a processor are in their order.
    pub(crate) events: Vec<(Time, Event)>,
}

/// A thread that ran without progress.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Still {
    thread: tempest::ThreadId,
    of: u32,
    since: Time,
}

/// A failure as another process tells it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Cause {
    /// The program failed.
    Program(String),
    /// The world refused the run.
    Refused(String),
    /// Two protocols of the program install a third one with different configurations.
    Configurations { protocol: &'static str, first: String, second: String },
}

/// A message to a process.
#[derive(Debug)]
pub(crate) enum ToProcess {
    Join(Join),
    /// The memory of all nodes, in order. The files of all processes come with it.
    Peers(Vec<NodeExports>),
    /// The clock started at this time of the host's monotonic clock, in nanoseconds.
    Go(u64),
    /// The run may have ended: the search begins.
    Search,
    /// The run is over since this time in nanoseconds from its start.
    Stop(Stage, u64),
    /// The run has made no progress for this time in nanoseconds, and is over.
    Stall(u64),
}

/// A message from a process.
pub(crate) enum FromProcess {
    /// The job is installed. The file with the memory of the process's nodes comes with it.
    Settled(Vec<NodeExports>),
    Refused(Cause),
    Arrived,
    /// The process runs. The number is a measure of its progress.
    Beat(u64),
    /// The run has stopped in this process, at this time in nanoseconds from its start.
    Stopped(Stage, u64),
    Left(Box<Left>),
}

impl NodeExports {
    /// Checks that this node, which is number `number`, has installed the messages and segments of `first`, which is node 0.
    ///
    /// # Errors
    /// The refusal of the run.
    pub(crate) fn expect_like(&self, number: u32, first: &Self) -> Result<(), Refusal> {
        if self.fingerprint == first.fingerprint {
            return Ok(());
        }
        let kinds =
            [("message", &first.messages, &self.messages), ("segment", &first.segments, &self.segments)];
        for (what, there, here) in kinds {
            let differs = |number: &usize| there.get(*number) != here.get(*number);
            if let Some(place) = (0..there.len().max(here.len())).find(differs) {
                let [there, here] = [there, here].map(|names| names.get(place).cloned());
                let (first, node) = ((NodeId(0), there), (NodeId(number), here));
                return Err(Refusal::Nodes { what, number: place, first, node });
            }
        }
        let node = NodeId(number);
        Err(Refusal::Host(format!(
            "{node} has installed messages or segments of other sizes than node 0: expected the same on every node"
        )))
    }
}

impl Cause {
    /// The failure in the words of the process.
    pub(crate) fn of(failure: &Failure) -> Self {
        match failure {
            Failure::Refused(Refusal::Configurations { protocol, first, second }) => {
                Self::Configurations { protocol, first: first.clone(), second: second.clone() }
            }
            Failure::Refused(refusal) => Self::Refused(refusal.to_string()),
            Failure::Program(text) => Self::Program(text.clone()),
            other => Self::Program(other.to_string()),
        }
    }

    /// The failure in the process that reads it.
    pub(crate) fn failure(self) -> Failure {
        match self {
            Self::Program(text) => Failure::Program(text),
            Self::Refused(text) => Failure::Refused(Refusal::Host(text)),
            Self::Configurations { protocol, first, second } => {
                Failure::Refused(Refusal::Configurations { protocol, first, second })
            }
        }
    }
}

impl Still {
    /// The thread, if it runs without anything that others see.
    pub(crate) fn of(spinning: &Spinning) -> Option<Self> {
        let Attempt::Compute { of } = spinning.attempt else { return None };
        Some(Self { thread: spinning.thread, of, since: spinning.since })
    }

    pub(crate) fn spinning(self) -> Spinning {
        let attempt = Attempt::Compute { of: self.of };
        Spinning { thread: self.thread, attempt, times: 0, since: self.since, phase: None, unhandled: 0 }
    }
}

coded_fields! {
    Join { job, build, first, nodes, calls, order, terms, beat_ns, traced }
    NodeExports { fingerprint, messages, segments, program, channels, parkers }
    Left { records, failure, blocked, spinning, disposal, events }
    Still { thread, of, since }
}

impl Coded for Stage {
    fn put(&self, to: &mut Vec<u8>) {
        (*self as u8).put(to);
    }
    fn take(from: &mut &[u8]) -> Option<Self> {
        let stages = [Self::Running, Self::Ended, Self::Deadlocked, Self::Failed];
        stages.get(usize::from(u8::take(from)?)).copied()
    }
}

coded_variants! {
    Cause {
        0_u8 Program(text)
        1_u8 Refused(text)
        2_u8 Configurations { protocol, first, second }
    }
}

coded_variants! {
    ToProcess {
        0_u8 Join(join)
        1_u8 Peers(nodes)
        2_u8 Go(at)
        3_u8 Search
        4_u8 Stop(stage, at)
        5_u8 Stall(since)
    }
}

coded_variants! {
    FromProcess {
        0_u8 Settled(nodes)
        1_u8 Refused(cause)
        2_u8 Arrived
        3_u8 Beat(progress)
        4_u8 Stopped(stage, at)
        5_u8 Left(left)
    }
}
