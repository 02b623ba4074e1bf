//! The trait of worlds, which run jobs, and the description of a run.
//!
//! This module must never know any one world.

use trace::Recorder;
use units::Time;

use crate::outcome::{Failure, Outcome, RunProgress};
use crate::problem::Problems;
use crate::{Job, Mechanism, Policy};

/// A backend that runs programs: real threads of this host, or a modelled machine.
pub trait World {
    /// Runs a job to its end.
    ///
    /// # Errors
    /// [`Failure`] when the world refuses the launch, or the run did not end well.
    fn run(&self, launch: &Launch) -> Result<Outcome, Failure>;
}

/// The description of one run.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The program with its input.
    pub job: Job,
    /// The mechanism that moves the program's data. The world must support it.
    pub mechanism: Mechanism,
    /// The number of nodes, at least 1.
    pub nodes: u32,
    /// The number of processors of each node, at least 1.
    pub processors: u32,
    /// The number of program threads on each computing processor, at least 1.
    pub threads: u32,
    /// The policy: the processors that inject messages and run handlers, the times, and the order.
    pub policy: Policy,
    /// The seed of a simulator's random choices.
    pub seed: u64,
    /// The time without any progress after which the world stops the run, on the world's own clock; `None` for no
    /// limit.
    ///
    /// A message that is sent or handled, a deposit, and a wait that begins or ends are progress. A thread of this host
    /// that only computes makes none, so a limit must be longer than the longest computation for which other threads
    /// wait. The default is no limit: a world cannot tell a thread that computes from a thread in an endless loop. The
    /// failure names the threads that run.
    pub stall_limit: Option<Time>,
    /// The recorder of the run's events; `None` if the run is not traced. The world describes processors and threads to
    /// the recorder and passes all events to it; the caller [finishes](Recorder::finish) the recorder.
    pub trace: Option<Recorder>,
    /// The object through which another thread of the host asks a simulator for its modelled time; `None` if no thread
    /// asks.
    pub progress: Option<RunProgress>,
    /// The problems that the job was made of. A world of several processes hands them on, so that none makes them again.
    pub problems: Problems,
}

impl Launch {
    /// Describes a run on one node of one processor with one thread, by the mechanism of messages, with seed 1, without
    /// a stall limit and without a trace. The caller changes the fields that differ.
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
            problems: Problems::default(),
        }
    }
}
