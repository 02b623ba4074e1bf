//! The trait of worlds, which run jobs, and the description of a run.
//!
//! This module must never know any one world.

use trace::Recorder;
use units::Time;

use crate::outcome::{Failure, Outcome, RunProgress};
use crate::{Job, Mechanism, Policy};

/// A machine that runs programs: this host, or a model.
pub trait World {
    /// Runs a job to its end.
    ///
    /// # Errors
    /// [`Failure`] when the world cannot run the launch, or the run did not end well.
    fn run(&self, launch: &Launch) -> Result<Outcome, Failure>;
}

/// The description of one run.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The program with its input.
    pub job: Job,
    /// The mechanism that moves the program's data; the world must be able to do it.
    pub mechanism: Mechanism,
    /// The number of nodes, at least 1.
    pub nodes: u32,
    /// The number of processors of each node, at least 1.
    pub processors: u32,
    /// The number of program threads per computing processor, at least 1.
    pub threads: u32,
    /// The policy: which processors inject and run handlers, when, and in what order.
    pub policy: Policy,
    /// The seed of everything that a model leaves to chance.
    pub seed: u64,
    /// The time without any progress after which the world gives up, in the world's own time; `None` for no limit.
    ///
    /// Progress is a message that is sent or handled, a deposit, or a wait that begins or ends. A thread of this host
    /// that only computes makes none: a limit must be longer than the program computes at a time while its other
    /// threads wait. Therefore the default is no limit: a world cannot tell a thread that computes from one in an
    /// endless loop. The failure names the threads that run.
    pub stall_limit: Option<Time>,
    /// The recorder of the run's events; `None` if the run is not traced. The world describes processors and
    /// threads to it and hands in all events; the caller [finishes](Recorder::finish) it.
    pub trace: Option<Recorder>,
    /// The place where a model notes the time that the run has reached; `None` if no thread of the host asks.
    pub progress: Option<RunProgress>,
}

impl Launch {
    /// Describes a run on one node of one processor, by messages, from seed 1, without a stall limit. Change
    /// the fields that differ.
    pub fn new(job: Job, policy: Policy) -> Self {
        Self {
            job,
            mechanism: Mechanism::default(),
            nodes: 1,
            processors: 1,
            threads: 1,
            policy,
            seed: 1,
            stall_limit: None,
            trace: None,
            progress: None,
        }
    }
}
