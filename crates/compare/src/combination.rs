//! One combination: a program by one mechanism under one policy on one machine, run once or several times. This module must
//! never rank combinations.

use serde::{Deserialize, Serialize};
use tempest::policy::Split;
use tempest::{Mechanism, Outcome};
use units::Time;

/// A mechanism and a policy: the name of a combination within one machine.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Way {
    /// The mechanism by which data moves.
    #[serde(with = "by_name")]
    pub mechanism: Mechanism,
    /// The policy, as the command line takes it.
    pub policy: String,
}

/// One combination with the outcomes of its runs.
#[derive(Clone, Debug)]
pub struct Combination {
    /// The mechanism by which data moved.
    pub mechanism: Mechanism,
    /// The policy, as the command line takes it.
    pub policy: String,
    /// The number of each node's processors that compute, and the number that only run handlers.
    pub split: Split,
    /// Whether a native run had more processors than this host has cores. They then took turns, and the times mean little.
    pub oversubscribed: bool,
    outcomes: Vec<Outcome>,
}

impl Combination {
    /// A combination with the outcomes of its runs, in any order.
    ///
    /// # Panics
    /// If there is no outcome: what did not run is a [`Refusal`](crate::Refusal).
    pub fn new(way: Way, split: Split, oversubscribed: bool, mut outcomes: Vec<Outcome>) -> Self {
        assert!(!outcomes.is_empty(), "a combination has at least one outcome");
        outcomes.sort_by_key(Outcome::timed);
        let Way { mechanism, policy } = way;
        Self { mechanism, policy, split, oversubscribed, outcomes }
    }

    /// The outcome of median time; of an even number, the slower of the two in the middle.
    pub fn median(&self) -> &Outcome {
        &self.outcomes[self.outcomes.len() / 2]
    }

    /// The number of runs.
    pub fn runs(&self) -> usize {
        self.outcomes.len()
    }

    /// The least and the greatest time of the runs.
    pub fn spread(&self) -> (Time, Time) {
        let times = || self.outcomes.iter().map(Outcome::timed);
        (times().min().unwrap_or_default(), times().max().unwrap_or_default())
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

pub(crate) mod by_name {
    //! Mechanisms by their names, as `serde` writes and reads them. This module must never know another name than the
    //! command line's.

    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;
    use tempest::Mechanism;

    pub(crate) fn serialize<S: Serializer>(mechanism: &Mechanism, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(mechanism.name())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Mechanism, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}
