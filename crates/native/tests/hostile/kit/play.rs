//! A run of a scenario under a watchdog, and checks of its result.
//!
//! This module must never know any one scenario.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tempest::outcome::{Blocked, Failure, Outcome};
use tempest::world::{Launch, World};
use tempest::{Handler, Job, Thread};
use tradewind_native::{Local, Processes};
use units::Time;

use super::stage::{Note, Script, Stage, is_balanced};
use super::watch::watched;

/// A scenario with its world.
pub(crate) struct Play {
    policy: String,
    nodes: u32,
    processors: u32,
    threads: u32,
    world: Local,
    stall_limit: Option<Time>,
    script: Script,
}

impl Play {
    /// An empty scenario under `policy` on `nodes` nodes of `processors` processors, with `threads` threads per computing processor. It has
    /// no stall limit, which is a program's default.
    pub(crate) fn new(policy: &str, nodes: u32, processors: u32, threads: u32) -> Self {
        let script = Script { main: Box::new(|_, _| ()), handle: Box::new(|_, _, _, _| ()) };
        Self {
            policy: policy.to_owned(),
            nodes,
            processors,
            threads,
            world: Local::new(),
            stall_limit: None,
            script,
        }
    }

    /// Sets the world of the run.
    pub(crate) fn world(self, world: Local) -> Self {
        Self { world, ..self }
    }

    /// Sets the time without progress after which the world gives up.
    pub(crate) fn stall_limit(self, limit: Duration) -> Self {
        Self { stall_limit: Some(Time::from_nanoseconds(limit.as_nanos() as u64)), ..self }
    }

    /// Sets the body of every thread.
    pub(crate) fn main(mut self, main: impl Fn(&Stage, &Thread<'_>) + Send + Sync + 'static) -> Self {
        self.script.main = Box::new(main);
        self
    }

    /// Sets the body of every handler, which gets the message and its payload.
    pub(crate) fn handle(
        mut self,
        handle: impl Fn(&Stage, Note, &[u64], &mut Handler<'_>) + Send + Sync + 'static,
    ) -> Self {
        self.script.handle = Box::new(handle);
        self
    }

    /// Runs it.
    ///
    /// # Panics
    /// If the run hangs, or panics instead of returning.
    pub(crate) fn run(self) -> Ended {
        let (what, world, launch) = self.ready();
        let start = Instant::now();
        let result = watched(move || world.run(&launch)).unwrap_or_else(|why| panic!("{what}: {why}"));
        Ended { what, took: start.elapsed(), result }
    }

    /// Runs it on the calling OS thread, without a watchdog: inside another run, which has one.
    pub(crate) fn run_here(self) -> Ended {
        let (what, world, launch) = self.ready();
        let start = Instant::now();
        let result = world.run(&launch);
        Ended { what, took: start.elapsed(), result }
    }

    /// Makes the description, the world and the launch.
    fn ready(self) -> (String, Box<dyn World + Send>, Launch) {
        let Self { policy, nodes, processors, threads, world, stall_limit, script } = self;
        let what = format!("policy `{policy}`, {nodes} nodes of {processors} processors, {world:?}");
        let job = Job::new::<Stage>((Arc::new(script), Arc::default()));
        let policy = policy.parse().expect("a policy");
        let launch = Launch { nodes, processors, threads, stall_limit, ..Launch::new(job, policy) };
        (what, placed(world), launch)
    }
}

/// Set where the nodes of all runs are processes of their own.
pub(crate) const AS_PROCESSES: &str = "TRADEWIND_HOSTILE_PROCESSES";

/// The world with its nodes in their place: in this process, or in processes.
fn placed(world: Local) -> Box<dyn World + Send> {
    match std::env::var_os(AS_PROCESSES) {
        Some(_) => Box::new(Processes::new().with(world)),
        None => Box::new(world),
    }
}

/// A run that is over.
pub(crate) struct Ended {
    /// Description of the run: policy, size and world.
    pub(crate) what: String,
    /// Duration of the run.
    pub(crate) took: Duration,
    pub(crate) result: Result<Outcome, Failure>,
}

impl Ended {
    /// The outcome of a run that ended well and found everything right.
    ///
    /// # Panics
    /// If it did not.
    pub(crate) fn well(self) -> Outcome {
        let Self { what, took, result } = self;
        let outcome = result.unwrap_or_else(|failure| panic!("{what}, after {took:?}: {failure}"));
        let report = &outcome.report;
        assert!(report.verified(), "{what}: {:?}", report.failures);
        assert!(is_balanced(report), "{what}: other numbers were sent and handled: {:?}", report.figures);
        outcome
    }

    /// Asserts that the program failed, with a message that contains `words`.
    ///
    /// # Panics
    /// If it did not.
    pub(crate) fn fails_with(&self, words: &str) {
        let Self { what, took, result } = self;
        let right = matches!(result, Err(Failure::Program(said)) if said.contains(words));
        assert!(right, "{what}, after {took:?}: expected the program to fail with `{words}`, got {result:?}");
    }

    /// The waiting threads of a run that ended in a deadlock.
    ///
    /// # Panics
    /// If it did not.
    pub(crate) fn deadlocked(self) -> Vec<Blocked> {
        let Self { what, took, result } = self;
        match result {
            Err(Failure::Deadlock { blocked, .. }) => blocked,
            other => panic!("{what}, after {took:?}: expected a deadlock, got {other:?}"),
        }
    }

    /// Asserts that the world refused the run, with a message that contains `words`.
    ///
    /// # Panics
    /// If it did not.
    pub(crate) fn refused_with(&self, words: &str) {
        let Self { what, result, .. } = self;
        let right = matches!(result, Err(Failure::Refused(refusal)) if refusal.to_string().contains(words));
        assert!(right, "{what}: expected to be refused with `{words}`, got {result:?}");
    }

    /// Asserts that the run was over within `limit`, which is generous.
    ///
    /// # Panics
    /// If it was not.
    pub(crate) fn within(self, limit: Duration) -> Self {
        assert!(self.took < limit, "{}: took {:?}, expected less than {limit:?}", self.what, self.took);
        self
    }
}
