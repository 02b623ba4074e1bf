//! The policies and mechanisms that a machine can run. This module must never run anything.

use machine::Capability;
use report::document::{Runs, Unable};
use tempest::outcome::Refusal;
use tempest::policy::PRESETS;
use tempest::{Mechanism, Policy};
use worlds::Target;

/// The policies and mechanisms that a machine can run, and each other policy with all that the machine lacks for it.
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
        Refusal::Policy { policy, can, .. } => missing(policy, can),
        Refusal::Prices { keys, .. } => format!("has no price for {}", keys.join(", ")),
        other => other.to_string(),
    }
}

/// The parts and the words of `can` that a machine file lacks for a policy.
fn missing(policy: &Policy, can: &[String]) -> String {
    let needs = policy.needs();
    let lacks: Vec<_> = needs.iter().filter(|need| !can.iter().any(|word| word == *need)).collect();
    let part = |need: &str| need.parse::<Capability>().ok().and_then(Capability::part);
    let parts = lacks.iter().filter_map(|need| part(need).map(str::to_owned));
    let words = lacks.iter().filter(|need| part(need).is_none()).map(|need| format!("`{need}`"));
    let words = words.collect::<Vec<_>>().join(" and ");
    let words = Some(words).filter(|words| !words.is_empty()).map(|words| format!("{words} in `can`"));
    format!("needs {}", parts.chain(words).collect::<Vec<_>>().join(", and "))
}

/// The reason why a machine can run nothing under a policy; `None` if it can run some mechanism.
pub(super) fn refusal(target: &Target, policy: &Policy) -> Option<Refusal> {
    let mut why = Mechanism::ALL.into_iter().map(|mechanism| target.check(mechanism, policy).err());
    // The refusal of the first mechanism, which needs no more than a possible policy.
    let first = why.next().flatten()?;
    why.all(|why| why.is_some()).then_some(first)
}
