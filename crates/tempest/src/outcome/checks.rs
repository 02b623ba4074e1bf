//! The checks of a policy and of a mechanism against a machine and its processors.
//!
//! This module must never know any one machine.

use crate::outcome::Refusal;
use crate::policy::{Injector, Servers, Split};
use crate::{Mechanism, Policy};

/// The name of the preset for a node of one processor that computes and runs all handlers.
const ALONE: &str = "single";

impl Policy {
    /// Checks that the machine called `machine`, with the capabilities `can`, provides everything that the policy
    /// needs.
    ///
    /// # Errors
    /// [`Refusal::Policy`] with the first missing capability.
    pub fn check(&self, machine: &str, can: &[&str]) -> Result<(), Refusal> {
        match self.needs().into_iter().find(|need| !can.contains(need)) {
            None => Ok(()),
            Some(needs) => Err(Refusal::Policy {
                policy: self.clone(),
                needs,
                machine: machine.to_owned(),
                can: can.iter().copied().map(str::to_owned).collect(),
            }),
        }
    }

    /// Splits a node's `processors` into processors that compute and processors that only run handlers.
    ///
    /// # Errors
    /// [`Refusal::NoneComputes`] if none would be left to compute.
    pub fn split(&self, processors: u32) -> Result<Split, Refusal> {
        match self.servers {
            Servers::Alone => Ok(Split { computing: 1, dedicated: 0 }),
            Servers::Taken if self.count < processors => {
                Ok(Split { computing: processors - self.count, dedicated: self.count })
            }
            Servers::Taken => Err(Refusal::NoneComputes { policy: self.clone(), processors }),
            Servers::Added => Ok(Split { computing: processors, dedicated: self.count }),
            _ => Ok(Split { computing: processors, dedicated: 0 }),
        }
    }

    /// Returns the same policy for all policies that behave alike on a node with this number of processors. A single
    /// processor that computes and runs all handlers takes no turns, adapts to nothing, and shares no threads or keys:
    /// there `floating` and `adaptive` are `single`.
    #[must_use]
    pub fn canonical(&self, processors: u32) -> Self {
        let runs_all = matches!(self.servers, Servers::Alone | Servers::Idle | Servers::Adaptive);
        let sends_all = self.injector == Injector::Sender;
        let is_alone = self.split(processors) == Ok(Split { computing: 1, dedicated: 0 });
        if !runs_all || !sends_all || !is_alone {
            return self.clone();
        }
        let mut single: Self = ALONE.parse().expect("a preset is a policy");
        (single.notice, single.poll_every, single.helper) = (self.notice, self.poll_every, self.helper);
        if self.helper.is_some() {
            // A helper takes events too.
            single.dispatch = self.dispatch;
        }
        single
    }
}

impl Mechanism {
    /// Checks that the machine called `machine`, with the capabilities `can`, can move data by this mechanism.
    ///
    /// # Errors
    /// [`Refusal::Mechanism`], which names the mechanism, the machine and the missing capability.
    pub fn check(self, machine: &str, can: &[&str]) -> Result<(), Refusal> {
        match self.needs() {
            Some(needs) if !can.contains(&needs) => Err(Refusal::Mechanism {
                mechanism: self,
                needs,
                machine: machine.to_owned(),
                can: can.iter().copied().map(str::to_owned).collect(),
            }),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_leaves_someone_to_compute() {
        let fixed: Policy = "fixed:2".parse().unwrap();
        assert_eq!(fixed.split(3), Ok(Split { computing: 1, dedicated: 2 }));
        assert!(fixed.split(2).unwrap_err().to_string().ends_with("expected at least --processors 3"));
        let added: Policy = "hurricane-1:2".parse().unwrap();
        assert_eq!(added.split(2), Ok(Split { computing: 2, dedicated: 2 }));
        let computing =
            |policy: &str| policy.parse::<Policy>().expect("a policy").split(8).map(|split| split.computing);
        assert_eq!(computing("single"), Ok(1));
        for policy in ["proc", "np", "inject", "receive", "floating", "hurricane:2"] {
            assert_eq!(computing(policy), Ok(8), "{policy}");
        }
    }

    #[test]
    fn one_processor_has_nobody_to_take_turns_with() {
        let canonical = |policy: &str, processors| {
            policy.parse::<Policy>().expect("a policy").canonical(processors).to_string()
        };
        for policy in [
            "single",
            "floating",
            "adaptive",
            "single+keyed",
            "floating+strict",
            "floating+waiting",
            "floating+bound",
        ] {
            assert_eq!(canonical(policy, 1), "single", "{policy}");
        }
        assert_eq!(canonical("floating+keyed+every=16", 1), "single+every=16");
        assert_eq!(canonical("adaptive+interrupt", 1), "single+interrupt");
        // A helper handles events beside the processor, and by key.
        assert_eq!(canonical("single+keyed+helper", 1), "single+keyed+helper");
        // A device, or a network processor, is not alone with the processor; a policy that cannot be had is refused in its own name.
        for policy in ["hurricane-1:1", "hurricane-1-mult", "proc", "np", "receive", "fixed:1"] {
            assert_eq!(canonical(policy, 1).trim_end_matches(":1"), policy.trim_end_matches(":1"));
        }
        for policy in ["floating", "adaptive", "fixed:1"] {
            assert_eq!(canonical(policy, 2), policy);
        }
    }

    #[test]
    fn a_machine_that_lacks_something_says_what() {
        let error = "np".parse::<Policy>().unwrap().check("toy", &["poll"]).unwrap_err();
        assert!(matches!(error, Refusal::Policy { needs: "network-processor", .. }), "{error:?}");
        assert_eq!(
            error.to_string(),
            "policy `np` needs `network-processor`, which machine `toy` lacks (it has: poll)"
        );
    }
}
