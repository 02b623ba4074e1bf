//! Worlds: what runs jobs, and what comes back.

use std::fmt;

use trace::Recorder;
use units::Time;

use crate::{
    Adjustment, Breakdown, Counters, Dispatching, Job, Mechanism, Policy, Report, Stage, ThreadId,
    Utilization,
};

/// A machine that runs programs: this host, or a model.
pub trait World {
    /// Runs a job to its end.
    ///
    /// # Errors
    /// [`Failure`] when the world cannot do what was asked, or the run did not end well.
    fn run(&self, launch: &Launch) -> Result<Outcome, Failure>;
}

/// One run to be done.
#[derive(Clone, Debug)]
pub struct Launch {
    /// What to run.
    pub job: Job,
    /// How its data moves: what the world must be able to do.
    pub mechanism: Mechanism,
    /// Nodes, at least 1.
    pub nodes: u32,
    /// Processors of each node, at least 1.
    pub processors: u32,
    /// Program threads per computing processor, at least 1.
    pub threads: u32,
    /// Who injects, who runs handlers, when, in what order.
    pub policy: Policy,
    /// Seed of everything a model leaves to chance.
    pub seed: u64,
    /// Give up when nothing has happened for so long, in the world's own time.
    pub stall_limit: Option<Time>,
    /// What keeps the events of the run, if anybody wants them. The world says who there is and hands everything in; to
    /// [`finish`](Recorder::finish) is the caller's.
    pub trace: Option<Recorder>,
}

impl Launch {
    /// A run on one node of one processor, by messages, from seed 1, without a limit: say what differs.
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
        }
    }
}

/// One timed region of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct PhaseRecord {
    /// The name the program gave it.
    pub name: &'static str,
    /// From the last thread's entry to the last thread's entry of the next, or the end.
    pub time: Time,
    /// What was counted in it.
    pub counters: Counters,
    /// Where the computing processors' time went in it.
    pub breakdown: Breakdown,
}

/// What a run that ended well yields.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// From start to end, in the world's own time.
    pub time: Time,
    /// The timed regions, in order. Before the first `phase` call nothing is timed.
    pub phases: Vec<PhaseRecord>,
    /// Counts of the whole run.
    pub counters: Counters,
    /// Where the computing processors' time went.
    pub breakdown: Breakdown,
    /// How busy processors were.
    pub utilization: Utilization,
    /// What the dispatch queues saw.
    pub dispatching: Dispatching,
    /// What protocol events took, kind by kind; empty in a world that does not account for time.
    pub anatomy: Vec<Stage>,
    /// What a policy that adapts did, in order of time.
    pub adjustments: Vec<Adjustment>,
    /// Events the engine of a model went through; `None` where there is no engine.
    pub events: Option<u64>,
    /// Digest of the event stream, in a world that can promise to repeat it.
    pub digest: Option<u64>,
    /// The program's own check and figures.
    pub report: Report,
}

impl Outcome {
    /// The time that counts: that of the first timed region if there is one, else of the whole run. What a program
    /// does to check itself it does in later regions.
    pub fn timed(&self) -> Time {
        self.phases.first().map_or(self.time, |phase| phase.time)
    }
}

/// A thread that waits for something that will not come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blocked {
    /// Who.
    pub thread: ThreadId,
    /// For what, as a person would say it.
    pub waits_for: String,
    /// Since when, from the start of the run.
    pub since: Time,
}

impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} waits for {} since {}", self.thread, self.waits_for, self.since)
    }
}

/// Why a run yielded nothing.
#[derive(Clone, PartialEq, Debug)]
pub enum Failure {
    /// The world cannot do what was asked; nothing ran.
    Refused(String),
    /// Every thread that has not returned waits, and nothing is in flight.
    Deadlock {
        /// When, from the start of the run.
        at: Time,
        /// Who waits for what.
        blocked: Vec<Blocked>,
    },
    /// Nothing happened for as long as the caller set as limit.
    Stalled {
        /// The limit.
        limit: Time,
        /// Who waits for what. Threads that compute without end are not among them.
        blocked: Vec<Blocked>,
    },
    /// The program broke a promise or panicked.
    Program(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Refused(why) => f.write_str(why),
            Failure::Program(what) => write!(f, "the program failed: {what}"),
            Failure::Deadlock { at, blocked } => {
                write!(f, "deadlock at {at}: nothing is in flight and {} threads wait", blocked.len())?;
                list(f, blocked)
            }
            Failure::Stalled { limit, blocked } => {
                write!(f, "nothing happened for {limit}; {} threads wait", blocked.len())?;
                list(f, blocked)
            }
        }
    }
}

/// At most this many waiting threads are listed; the rest are counted.
const LISTED: usize = 16;

fn list(f: &mut fmt::Formatter<'_>, blocked: &[Blocked]) -> fmt::Result {
    for one in blocked.iter().take(LISTED) {
        write!(f, "\n  {one}")?;
    }
    match blocked.len().saturating_sub(LISTED) {
        0 => Ok(()),
        more => write!(f, "\n  and {more} more"),
    }
}

impl std::error::Error for Failure {}
