//! A machine that runs memory-model tests, and how. This module must never run any.

use report::document::{LitmusWorld, Tally};
use tempest::policy::PRESETS;
use tempest::{Mechanism, Policy, Refusal};
use worlds::Target;

/// The policy that every machine has whose processors look for messages.
const USUAL_POLICY: &str = "floating";

/// A machine, and how it runs the tests.
pub(super) struct World {
    pub(super) target: Target,
    pub(super) policy: Policy,
    /// Processors of each node: as few as the policy needs.
    pub(super) processors: u32,
}

impl World {
    pub(super) fn new(target: Target, asked: Option<&Policy>) -> Result<Self, String> {
        let check = |policy: &Policy| target.check(Mechanism::SharedMemory, policy);
        let policy = match asked {
            Some(policy) => check(policy).map(|()| policy.clone()),
            None => usual_policy(target.name(), check),
        };
        let policy = policy.map_err(|why| target.refusing(why))?;
        let processors = if policy.split(1).is_ok() { 1 } else { policy.count + 1 };
        Ok(Self { target, policy, processors })
    }

    /// The world as documents have it, before anything is counted.
    pub(super) fn document(&self) -> LitmusWorld {
        let machine = self.target.described();
        LitmusWorld {
            machine: machine.name,
            machine_file: machine.file,
            world: if machine.native { "local" } else { "model" }.to_owned(),
            machine_digest: machine.digest.map(|digest| format!("{digest:016x}")),
            policy: self.policy.to_string(),
            processors: self.processors,
            counts: Tally::default(),
        }
    }
}

/// The policy that a machine is named after, else the usual one, else the first preset that it can do.
fn usual_policy(machine: &str, check: impl Fn(&Policy) -> Result<(), Refusal>) -> Result<Policy, Refusal> {
    let known = PRESETS.iter().map(|preset| preset.name);
    let own = known.clone().filter(|name| *name == machine);
    let policies = own.chain([USUAL_POLICY]).chain(known).filter_map(|name| name.parse::<Policy>().ok());
    let mut first = None;
    for policy in policies {
        match check(&policy) {
            Ok(()) => return Ok(policy),
            Err(refusal) => first = first.or(Some(refusal)),
        }
    }
    Err(first.expect("there is a usual policy"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_runs_the_policy_it_is_named_after_or_one_that_it_can_do() {
        let policy = |machine: &str, can: &[&str]| {
            let check = |policy: &Policy| policy.check(machine, can);
            usual_policy(machine, check).map(|policy| policy.to_string())
        };
        let all = ["poll", "keyed-dispatch", "dispatch-register", "embedded-processors"];
        assert_eq!(policy("hurricane", &all), Ok("hurricane:1".to_owned()));
        assert_eq!(policy("mine", &all), Ok("floating".to_owned()));
        assert_eq!(policy("hurricane", &["dedicated-processors"]), Ok("fixed:1".to_owned()));
        let refusal = policy("mine", &[]).unwrap_err();
        assert!(matches!(refusal, Refusal::Policy { needs: "poll", .. }), "{refusal}");
    }
}
