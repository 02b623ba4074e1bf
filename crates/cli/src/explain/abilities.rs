//! The policies and mechanisms that a machine can run. This module must never run anything.

use report::document::{Runs, Unable};
use tempest::outcome::Refusal;
use tempest::policy::PRESETS;
use tempest::{Mechanism, Policy};
use worlds::Target;

/// The policies and mechanisms that a machine can run, and each other policy with the ability that the machine lacks for it.
pub(super) fn of(target: &Target) -> (Runs, Vec<Unable>) {
    let (mut runs, mut refused) = (Runs::default(), Vec::new());
    for preset in PRESETS {
        let policy: Policy = preset.name.parse().expect("a preset is a policy");
        match refusal(target, &policy) {
            None => runs.policies.push(preset.name.to_owned()),
            Some(why) => refused.push(Unable { policy: preset.name.to_owned(), reason: reason(&why) }),
        }
    }
    let mechanisms = target.mechanisms();
    runs.default_policy = mechanisms.first().map(|&first| target.usual_policy(first).to_string());
    runs.mechanisms = mechanisms.iter().map(|mechanism| mechanism.name().to_owned()).collect();
    (runs, refused)
}

/// A refusal beside the policy and the abilities of the machine, which it need not repeat.
fn reason(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Policy { needs, .. } => format!("needs `{needs}`, which the machine lacks"),
        Refusal::Prices { keys, .. } => format!("has no price for {}", keys.join(", ")),
        other => other.to_string(),
    }
}

/// The reason why a machine can run nothing under a policy; `None` if it can run some mechanism.
pub(super) fn refusal(target: &Target, policy: &Policy) -> Option<Refusal> {
    let mut why = Mechanism::ALL.into_iter().map(|mechanism| target.check(mechanism, policy).err());
    // The refusal of the first mechanism, which needs no more than a possible policy.
    let first = why.next().flatten()?;
    why.all(|why| why.is_some()).then_some(first)
}
