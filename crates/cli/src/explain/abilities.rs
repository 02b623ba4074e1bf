//! Which policies and mechanisms a machine can run.

use tempest::Mechanism;
use tempest::policy::PRESETS;

use crate::target::Target;

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
            match target.check(Mechanism::Messages, &policy) {
                Ok(()) => found.policies.push(preset.name),
                Err(reason) => found.refused.push((preset.name, reason)),
            }
        }
        let any = found.policies.first().and_then(|name| name.parse().ok());
        let runs = |mechanism: &Mechanism| {
            any.as_ref().is_some_and(|policy| target.check(*mechanism, policy).is_ok())
        };
        found.mechanisms = Mechanism::ALL.into_iter().filter(runs).map(Mechanism::name).collect();
        found
    }
}
