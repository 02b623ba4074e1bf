//! Requests that a machine cannot fulfil, and runs that did not end well. This module must never decide which requests are
//! made.

use tempest::Mechanism;

/// A mechanism or a combination that a machine cannot run, or whose run did not end well.
#[derive(Clone, PartialEq, Debug)]
pub struct Refusal {
    /// The mechanism asked for.
    pub mechanism: Mechanism,
    /// The requested policy; `None` if the machine lacks the mechanism, whatever the policy.
    pub policy: Option<String>,
    /// The reason, as the world gives it.
    pub reason: String,
}

/// A policy or a mechanism that was not asked for by name and that a machine cannot run.
#[derive(Clone, PartialEq, Debug)]
pub struct LeftOut {
    /// The policy or mechanism.
    pub what: Omitted,
    /// The reason, as the world gives it.
    pub reason: String,
}

/// A choice that a comparison makes for all combinations at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Omitted {
    /// A policy, by every mechanism: there are too few processors for it.
    Policy(String),
    /// A mechanism, under every policy: the machine lacks it.
    Mechanism(Mechanism),
}
