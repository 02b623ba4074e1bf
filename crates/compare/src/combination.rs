//! A program by one mechanism under one policy on one machine, run once or several times. This module must
//! never rank combinations.

use tempest::Mechanism;
use tempest::outcome::Outcome;
use tempest::policy::Split;
use units::Time;
use units::median::upper;

use crate::parts::{disturbed, taken_share};

/// A mechanism and a policy: the name of a combination within one machine.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Way {
    /// The mechanism by which data moves.
    pub mechanism: Mechanism,
    /// The policy, as the command line takes it. A repeated listing has its number behind it: `single (2nd)`.
    pub policy: String,
}

/// A combination with the outcomes of its runs.
#[derive(Clone, Debug)]
pub struct Combination {
    /// The mechanism by which data moved.
    pub mechanism: Mechanism,
    /// The policy, as the command line takes it. A repeated listing has its number behind it: `single (2nd)`.
    pub policy: String,
    /// The other policies that are the same on this machine in this shape, so that they were not run on their own.
    pub same: Vec<String>,
    /// The number of each node's processors that compute, and the number that only run handlers.
    pub split: Split,
    /// Whether a native run had more processors than this host has cores. They then took turns, and the times mean little.
    pub oversubscribed: bool,
    /// Whether a single dedicated processor sends for all computing processors of its node.
    pub lone_sender: bool,
    /// The times of the runs, in the order of measurement.
    samples: Vec<Time>,
    /// The outcomes of the runs, the fastest first.
    outcomes: Vec<Outcome>,
}

impl Combination {
    /// A combination with the outcomes of its runs, in the order of measurement.
    ///
    /// # Panics
    /// If there is no outcome: a combination that did not run is a [`Refusal`](crate::Refusal).
    pub fn new(way: Way, split: Split, oversubscribed: bool, mut outcomes: Vec<Outcome>) -> Self {
        assert!(!outcomes.is_empty(), "a combination has at least one outcome");
        let samples = outcomes.iter().map(Outcome::timed).collect();
        outcomes.sort_by_key(Outcome::timed);
        let Way { mechanism, policy } = way;
        let (same, lone_sender) = (Vec::new(), false);
        Self { mechanism, policy, same, split, oversubscribed, lone_sender, samples, outcomes }
    }

    /// Renames the combination, for combinations that are measured twice.
    #[must_use]
    pub fn named(self, Way { mechanism, policy }: Way) -> Self {
        Self { mechanism, policy, ..self }
    }

    /// Sets whether a single dedicated processor sends for all computing processors of its node.
    #[must_use]
    pub fn sent_by_one(self, lone_sender: bool) -> Self {
        Self { lone_sender, ..self }
    }

    /// Sets the policies that the combination stands for besides its own.
    #[must_use]
    pub fn standing_for(self, same: Vec<String>) -> Self {
        Self { same, ..self }
    }

    /// The policies that the combination stands for, its own first.
    pub fn policies(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.policy).chain(&self.same).map(String::as_str)
    }

    /// The outcome of median time; of an even number, the slower of the two in the middle.
    pub fn median(&self) -> &Outcome {
        upper(&self.outcomes).expect("a combination has an outcome")
    }

    /// The number of runs.
    pub fn runs(&self) -> usize {
        self.outcomes.len()
    }

    /// The time of each run, in the order of measurement.
    pub fn samples(&self) -> &[Time] {
        &self.samples
    }

    /// Share of the processors' time that the operating system took away, over all runs; `None` if it is not reported.
    pub fn taken(&self) -> Option<f64> {
        taken_share(&self.outcomes)
    }

    /// Share of the time that the operating system took away, if it is large enough to make the times useless. `None`
    /// if processors take turns on cores: they take the time from each other.
    pub fn disturbed(&self) -> Option<f64> {
        disturbed(self.taken(), self.oversubscribed)
    }

    /// Whether every answer of every run was right.
    pub fn verified(&self) -> bool {
        self.outcomes.iter().all(|outcome| outcome.report.verified())
    }

    /// The wrong results of every run.
    pub fn failures(&self) -> impl Iterator<Item = &str> {
        self.outcomes.iter().flat_map(|outcome| &outcome.report.failures).map(String::as_str)
    }
}
