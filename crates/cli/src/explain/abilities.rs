//! Which policies and mechanisms a machine can run.

use tempest::policy::PRESETS;
use tempest::{Mechanism, Policy};

use worlds::Target;

/// What a machine can run, and why not the rest.
pub(super) struct Abilities {
    pub(super) policies: Vec<&'static str>,
    pub(super) mechanisms: Vec<&'static str>,
    /// Each other policy with what is missing.
    pub(super) refused: Vec<(&'static str, String)>,
}

impl Abilities {
    pub(super) fn of(target: &Target) -> Self {
        let mut found = Self { policies: Vec::new(), mechanisms: Vec::new(), refused: Vec::new() };
        for preset in PRESETS {
            let policy = preset.name.parse().expect("a preset is a policy");
            match refusal(target, &policy) {
                None => found.policies.push(preset.name),
                Some(reason) => found.refused.push((preset.name, reason)),
            }
        }
        let policies: Vec<Policy> = found.policies.iter().filter_map(|name| name.parse().ok()).collect();
        let runs =
            |mechanism: &Mechanism| policies.iter().any(|policy| target.check(*mechanism, policy).is_ok());
        found.mechanisms = Mechanism::ALL.into_iter().filter(runs).map(Mechanism::name).collect();
        found
    }
}

/// Why a machine can run nothing under a policy; `None` if it can run something, by whatever mechanism.
pub(super) fn refusal(target: &Target, policy: &Policy) -> Option<String> {
    let mut why = Mechanism::ALL.into_iter().map(|mechanism| target.check(mechanism, policy).err());
    // What the first mechanism lacks, for it needs least: nothing but a policy that can be had.
    let first = why.next().flatten()?;
    why.all(|why| why.is_some()).then(|| first.to_string())
}
