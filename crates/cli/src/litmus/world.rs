//! A machine that runs memory-model tests, and how. This module must never run any.

use report::document::{LitmusWorld, Tally};
use tempest::policy::PRESETS;
use tempest::{Mechanism, Policy};
use worlds::{Hosting, Target};

/// A machine, and how it runs the tests.
pub(super) struct World {
    pub(super) target: Target,
    pub(super) hosting: Hosting,
    pub(super) policy: Policy,
    /// Processors of each node: as few as the policy needs.
    pub(super) processors: u32,
}

impl World {
    pub(super) fn new(target: Target, hosting: Hosting, asked: Option<&Policy>) -> Result<Self, String> {
        let policy = asked.cloned().unwrap_or_else(|| usual_policy(&target));
        target.check(Mechanism::SharedMemory, &policy).map_err(|why| target.refusing(why))?;
        let processors = if policy.split(1).is_ok() { 1 } else { policy.count + 1 };
        Ok(Self { target, hosting, policy, processors })
    }

    /// The world as documents have it, before anything is counted.
    pub(super) fn document(&self) -> LitmusWorld {
        let machine = self.target.described();
        LitmusWorld {
            machine: machine.name,
            machine_file: machine.file,
            world: if machine.native { self.hosting.name() } else { "model" }.to_owned(),
            machine_digest: machine.digest.map(|digest| format!("{digest:016x}")),
            policy: self.policy.to_string(),
            processors: self.processors,
            counts: Tally::default(),
        }
    }
}

/// The policy that a machine is named after, whose protocol processors then keep its memory coherent, else the machine's usual one.
fn usual_policy(target: &Target) -> Policy {
    let memory = Mechanism::SharedMemory;
    let own = PRESETS.iter().find(|preset| preset.name == target.name());
    let own = own.and_then(|preset| preset.name.parse().ok()).filter(|own| target.check(memory, own).is_ok());
    own.unwrap_or_else(|| target.usual_policy(memory))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_runs_the_policy_it_is_named_after_or_its_usual_one() {
        for (machine, expected) in [
            ("hurricane", "hurricane:1"),
            ("s-coma", "s-coma"),
            ("avalanche", "floating"),
            ("native", "floating"),
        ] {
            let target = Target::find(machine, &[]).expect("it ships");
            assert_eq!(usual_policy(&target).to_string(), expected);
        }
        let without = World::new(Target::find("cm-5", &[]).expect("it ships"), Hosting::Local, None).err();
        assert!(without.is_some_and(|why| why.contains("shared-memory")));
    }
}
