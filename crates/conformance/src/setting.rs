//! The world, policy and size that a promise is held against.
//!
//! This module must never know any one promise.

use std::fmt;

use tempest::outcome::{Failure, Outcome};
use tempest::world::{Launch, World};
use tempest::{Job, Mechanism, Policy, Program};
use units::Time;

/// Time without events after which a run is given up, in the world's own time. No promise comes near it unless it is
/// broken.
const STALL_LIMIT: Time = Time::from_microseconds(60_000_000);

/// World, policy and size that a promise is tested under.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// The world.
    pub world: &'a dyn World,
    /// The policy.
    pub policy: &'a Policy,
    /// Nodes, at least 1; some promises say more with 2 and up.
    pub nodes: u32,
    /// Processors of each node, at least as many as the policy needs.
    pub processors: u32,
}

impl fmt::Display for Setting<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { policy, nodes, processors, .. } = self;
        write!(f, "policy `{policy}`, {nodes} nodes of {processors} processors")
    }
}

impl Setting<'_> {
    /// Runs a program with `threads` threads on each computing processor.
    pub(crate) fn run<P: Program>(&self, config: P::Config, threads: u32) -> Result<Outcome, Failure> {
        self.run_by::<P>(Mechanism::Messages, config, threads)
    }

    /// Runs a program whose data moves by `mechanism`, with `threads` threads on each computing processor.
    pub(crate) fn run_by<P: Program>(
        &self,
        mechanism: Mechanism,
        config: P::Config,
        threads: u32,
    ) -> Result<Outcome, Failure> {
        self.world.run(&Launch {
            mechanism,
            nodes: self.nodes,
            processors: self.processors,
            threads,
            stall_limit: Some(STALL_LIMIT),
            ..Launch::new(Job::new::<P>(config), self.policy.clone())
        })
    }

    /// Runs a program that must end well and find its own result right.
    ///
    /// # Panics
    /// If it does not.
    pub(crate) fn verified<P: Program>(&self, promise: &str, config: P::Config, threads: u32) -> Outcome {
        self.verified_by::<P>(Mechanism::Messages, promise, config, threads)
    }

    /// Runs a program whose data moves by `mechanism`. It must end well and find its own result right.
    ///
    /// # Panics
    /// If it does not.
    pub(crate) fn verified_by<P: Program>(
        &self,
        mechanism: Mechanism,
        promise: &str,
        config: P::Config,
        threads: u32,
    ) -> Outcome {
        let outcome = self
            .run_by::<P>(mechanism, config, threads)
            .unwrap_or_else(|failure| panic!("`{promise}` is broken ({self}): {failure}"));
        self.demand(promise, outcome.report.verified(), || outcome.report.failures.join("\n"));
        outcome
    }

    /// Runs a program that must fail, in the words `says` and no others. Behind them a world says where and when.
    ///
    /// # Panics
    /// If it does not.
    pub(crate) fn fails<P: Program>(&self, promise: &str, config: P::Config, threads: u32, says: &str)
    where
        P::Config: fmt::Debug + Clone,
    {
        match self.run::<P>(config.clone(), threads) {
            Err(Failure::Program(what)) if words(&what) == says => {}
            other => panic!(
                "`{promise}` is broken ({self}), {config:?}: expected the program to fail with `{says}`, got {other:?}"
            ),
        }
    }

    /// Insists on a condition of a promise.
    ///
    /// # Panics
    /// If it does not hold.
    pub(crate) fn demand(&self, promise: &str, holds: bool, otherwise: impl FnOnce() -> String) {
        assert!(holds, "`{promise}` is broken ({self}): {}", otherwise());
    }

    /// Number of threads of a node when each computing processor has `threads`.
    ///
    /// # Panics
    /// If the policy leaves no processor to compute.
    pub(crate) fn threads_per_node(&self, threads: u32) -> u32 {
        let split = self.policy.split(self.processors).unwrap_or_else(|error| panic!("({self}): {error}"));
        split.computing * threads
    }
}

/// The words of a failure without the place and the time.
pub(crate) fn words(what: &str) -> &str {
    what.split_once(" (in ").map_or(what, |(words, _)| words)
}
