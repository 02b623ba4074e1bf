//! The document of `explain`. This module must never know where a machine's values come from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::one_way::{OneWay, Stage};

/// The document that `tradewind explain --json` prints.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Explain {
    /// The version of this document's form.
    pub version: u32,
    /// The machine's name.
    pub machine: String,
    /// The machine's file; of a shipped machine, its path in the repository.
    pub machine_file: String,
    /// 16 hexadecimal digits: the digest of all values, `--set` and those of all policies included.
    pub machine_digest: String,
    /// One line for people.
    pub summary: String,
    /// In full, the policy under which all that follows holds.
    ///
    /// Null if nobody named one.
    pub policy: Option<String>,
    /// Every value, in the order in which it is read; those that hold under a policy come last unless one was named.
    pub values: Vec<Value>,
    /// Quantities that follow from the values; none of them is measured.
    pub derived: Vec<Derived>,
    /// Quantities that a reader might look for among `derived`, and that do not follow: round trips under policies that
    /// the machine can run, the one that was named or all.
    pub not_derived: Vec<Underived>,
    /// The stages of a message without words there and back, on an idle machine, under each policy of `derived` with a round trip.
    pub trips: Vec<Trip>,
    /// The time of a message without words from handler to handler, measured by a run of `active-message` on two nodes under each policy
    /// of `trips`.
    pub measured: Vec<OneWay>,
    /// The times that were not measured, each with the reason: the command does not have that program, the run failed, or nothing
    /// happened for 100 us while a message travelled.
    pub not_measured: Vec<Underived>,
    /// The policies and mechanisms that the machine can run.
    pub runs: Runs,
    /// The policies that the machine cannot run, each with the reason.
    pub refused: Vec<Unable>,
    /// The meanings of the works, words and claims that the sources of the values name.
    pub sources: Vec<Meaning>,
}

/// A value of a machine.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Value {
    /// The dotted key, as in `--set KEY=…`. It begins with `policy.NAME.` where the value holds under that policy only.
    pub key: String,
    /// The policy under which the value holds.
    ///
    /// Null if the value holds in general.
    pub policy: Option<String>,
    /// The value as the file has it.
    pub written: String,
    /// The value resolved: a quantity with its unit, absolute.
    pub value: String,
    /// The source of the number.
    ///
    /// Null if the file does not say.
    pub source: Option<String>,
    /// The file that the value stands in: the machine's own, or one that it extends.
    ///
    /// Null if given by `--set`.
    pub file: Option<String>,
    /// The line of the value in that file, from 1.
    ///
    /// Null if given by `--set`.
    pub line: Option<usize>,
}

/// A quantity that follows from the values.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Derived {
    /// The name of the quantity.
    pub name: String,
    /// The quantity, in `unit`.
    pub number: f64,
    /// `ns`, `MB/s`, `B/cycle`, `links`.
    pub unit: String,
    /// The values and operations that the quantity is made of.
    pub from: String,
}

/// A message there and back under a policy: from a thread to a handler, whose message goes back.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Trip {
    /// The policy.
    pub policy: String,
    /// The stages of the way there, in order.
    pub there: Vec<Stage>,
    /// The stages of the way back, in order.
    pub back: Vec<Stage>,
}

/// A quantity that does not follow, or was not measured.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Underived {
    /// The name of the quantity.
    pub name: String,
    /// The reason why there is no such quantity.
    pub reason: String,
}

/// The policies and mechanisms that a machine can run.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Runs {
    /// Policies that the machine can run.
    pub policies: Vec<String>,
    /// Mechanisms that the machine can run.
    pub mechanisms: Vec<String>,
    /// The policy of a run on the machine where no policy is named.
    ///
    /// Null if the machine can run none.
    pub default_policy: Option<String>,
}

/// A policy that a machine cannot run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Unable {
    /// The policy.
    pub policy: String,
    /// The ability or the prices that the machine lacks, or the reason why it cannot use them.
    pub reason: String,
}

/// The meaning of something that the sources of a machine's values name.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Meaning {
    /// The mark in the sources: `[1]`, a word such as `assumption`, or `split-c.…` for the ids of claims.
    pub mark: String,
    /// The file whose sources name it.
    pub file: String,
    /// The work, or the definition.
    ///
    /// Null if the head of the file does not say.
    pub text: Option<String>,
}
