//! The reasons why a run has no outcome.
//!
//! This module must never know any one world.

use std::fmt;

use units::Time;

use crate::outcome::{Refusal, Running, Spinning};
use crate::{NodeId, ThreadId};

/// A waiting thread of a run that failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blocked {
    /// The thread that waits.
    pub thread: ThreadId,
    /// The thing that the thread waits for, as reports name it.
    pub waits_for: String,
    /// The time at which the wait began, from the start of the run.
    pub since: Time,
}

impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} waits for {} since {}", self.thread, self.waits_for, self.since)
    }
}

/// The reason why a run has no outcome.
#[derive(Clone, PartialEq, Debug)]
pub enum Failure {
    /// The world cannot run the launch as described. Nothing ran.
    Refused(Refusal),
    /// Every thread that has not returned waits, and nothing is in flight.
    Deadlock {
        /// The time of the deadlock, from the start of the run.
        at: Time,
        /// The waiting threads.
        blocked: Vec<Blocked>,
    },
    /// No thread or handler made progress for the time that the caller set as a limit.
    Stalled {
        /// The time without progress that the caller allowed.
        limit: Time,
        /// The threads that run without making progress, where the world knows them.
        spinning: Vec<Spinning>,
        /// The waiting threads.
        blocked: Vec<Blocked>,
    },
    /// Every thread that has not returned waits or spins, and nothing is in flight that could end that. Only a
    /// simulator can detect this.
    Livelock {
        /// The time of the livelock, from the start of the run.
        at: Time,
        /// The threads that run without making progress.
        spinning: Vec<Spinning>,
        /// The waiting threads.
        blocked: Vec<Blocked>,
    },
    /// The run would have gone on beyond the end of modelled time, which is 18,446.7 seconds. Only simulations end so.
    TimeEnds {
        /// The last time that the run reached, from the start of the run.
        at: Time,
        /// The part of the run that would have gone on beyond the end of modelled time.
        late: Late,
    },
    /// A simulator has reached no event for longer, in time of this host, than the caller allows. Only a caller that
    /// watches the run from another thread can detect this; see [`RunProgress`](crate::outcome::RunProgress).
    Unresponsive {
        /// The longest time of this host that the caller allows.
        limit: Time,
        /// The last modelled time that the simulator has reported, from the start of the run.
        at: Time,
        /// The thread or handler that runs and does not return to the simulator.
        running: Running,
    },
    /// A process of the run died, or gave no sign of life for longer than the caller allows.
    Lost {
        /// The lost process and its nodes, and the reason, in one line.
        process: String,
        /// The waiting threads of the other processes.
        blocked: Vec<Blocked>,
    },
    /// The program broke a rule of this crate's interface or panicked, or a destructor of its state panicked after the
    /// run. The text states the fault and its place.
    Program(String),
}

/// The part of a simulation that would have gone on beyond the end of modelled time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Late {
    /// A thread or handler that was charged for too much work by its program, its protocol or system software.
    Fiber(Running),
    /// A message, transfer or deposit on its way to this node.
    Message(NodeId),
    /// A device of this node, or a processor that runs neither a thread nor a handler.
    Device(NodeId),
    /// A message within the network.
    Network,
}

impl fmt::Display for Late {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Late::Fiber(running) => write!(f, "{running} goes on"),
            Late::Message(node) => write!(f, "a message to {node} comes"),
            Late::Device(node) => write!(f, "a device of {node} goes on"),
            Late::Network => write!(f, "a message gets through the network"),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Refused(refusal) => refusal.fmt(f),
            Failure::Program(what) => write!(f, "the program failed: {what}"),
            Failure::Deadlock { at, blocked } => {
                write!(f, "deadlock at {at}: nothing is in flight and {}", count(blocked.len(), "wait"))?;
                list(f, &[], blocked)
            }
            Failure::Stalled { limit, spinning, blocked } => {
                write!(f, "nothing happened for {limit}; {}", all(spinning, blocked))?;
                list(f, spinning, blocked)
            }
            Failure::TimeEnds { at, late } => write!(
                f,
                "modelled time has no more than 18446 s (5 h 7 min), and {late} later than that; the run has come to {at}: \
                 expected a run that ends sooner, for example with a higher processor.clock, a lower network.latency, a higher \
                 interface.bandwidth or less input; `tradewind explain MACHINE` shows every price"
            ),
            Failure::Unresponsive { limit, at, running } => {
                write!(
                    f,
                    "no modelled event for {limit} of this host's time: {running} has run all that while, at {at} of modelled time: \
                     expected a loop that waits to call `poll`, `spin` or `wait` of its `Thread`; a computation that takes this \
                     host longer needs more, for example --host-limit \"600 s\""
                )
            }
            Failure::Lost { process, blocked } => {
                write!(f, "{process}; in the other processes {}", count(blocked.len(), "wait"))?;
                list(f, &[], blocked)
            }
            Failure::Livelock { at, spinning, blocked } => {
                write!(f, "livelock at {at}: nothing is in flight and {}", all(spinning, blocked))?;
                list(f, spinning, blocked)
            }
        }
    }
}

/// The largest number of threads that a failure lists; further threads are only counted.
const LISTED: usize = 16;

/// Words for `threads` threads with the activity `what`, such as "3 threads wait".
fn count(threads: usize, what: &str) -> String {
    match threads {
        1 => format!("1 thread {what}s"),
        _ => format!("{threads} threads {what}"),
    }
}

fn all(spinning: &[Spinning], blocked: &[Blocked]) -> String {
    match spinning.len() {
        0 => count(blocked.len(), "wait"),
        spin => format!("{}, {}", count(spin, "spin"), count(blocked.len(), "wait")),
    }
}

fn list(f: &mut fmt::Formatter<'_>, spinning: &[Spinning], blocked: &[Blocked]) -> fmt::Result {
    let lines = spinning.iter().map(|one| one as &dyn fmt::Display);
    let lines = lines.chain(blocked.iter().map(|one| one as &dyn fmt::Display));
    for line in lines.take(LISTED) {
        write!(f, "\n  {line}")?;
    }
    match (spinning.len() + blocked.len()).saturating_sub(LISTED) {
        0 => Ok(()),
        more => write!(f, "\n  and {more} more"),
    }
}

impl std::error::Error for Failure {}
