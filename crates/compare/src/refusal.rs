//! Requests that a machine cannot fulfil, and runs that did not end well. This module must never decide which requests are
//! made.

use serde::{Deserialize, Serialize};
use tempest::Mechanism;

use crate::combination::by_name;

/// A mechanism or a combination that a machine cannot run, or whose run did not end well.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Refusal {
    /// The mechanism asked for.
    #[serde(with = "by_name")]
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

/// Refusals of one reason.
#[derive(Clone, PartialEq, Debug)]
pub struct Group<'r> {
    /// Mechanisms that are refused under the same policies, with those policies; no policy stands for all.
    pub of: Vec<(Vec<Mechanism>, Vec<&'r str>)>,
    /// The reason.
    pub reason: &'r str,
}

/// Mechanisms, each with the policies under which it is refused.
type Of<'r> = Vec<(Mechanism, Vec<&'r str>)>;

/// Groups refusals by their reason, in the order in which the reasons first come.
pub fn groups(refusals: &[Refusal]) -> Vec<Group<'_>> {
    let mut groups: Vec<(&str, Of<'_>)> = Vec::new();
    for Refusal { mechanism, policy, reason } in refusals {
        let of = find_or_add(&mut groups, reason.as_str());
        find_or_add(of, *mechanism).extend(policy.as_deref());
    }
    groups.into_iter().map(|(reason, of)| Group { of: together(of), reason }).collect()
}

/// Puts mechanisms with the same policies together.
fn together(of: Of<'_>) -> Vec<(Vec<Mechanism>, Vec<&str>)> {
    let mut alike: Vec<(Vec<&str>, Vec<Mechanism>)> = Vec::new();
    for (mechanism, policies) in of {
        find_or_add(&mut alike, policies).push(mechanism);
    }
    alike.into_iter().map(|(policies, mechanisms)| (mechanisms, policies)).collect()
}

/// The value beside `key`; a key that is not there is added.
fn find_or_add<K: PartialEq, V: Default>(entries: &mut Vec<(K, V)>, key: K) -> &mut V {
    let index = entries.iter().position(|(known, _)| *known == key).unwrap_or(entries.len());
    if index == entries.len() {
        entries.push((key, V::default()));
    }
    &mut entries[index].1
}

#[cfg(test)]
mod tests {
    use tempest::Mechanism::{Bulk, Deposit, Messages};

    use super::*;

    fn refusal(mechanism: Mechanism, policy: Option<&str>, reason: &str) -> Refusal {
        Refusal { mechanism, policy: policy.map(str::to_owned), reason: reason.to_owned() }
    }

    #[test]
    fn each_reason_comes_once() {
        let refusals = [
            refusal(Bulk, Some("single"), "no transfer"),
            refusal(Bulk, Some("floating"), "no transfer"),
            refusal(Deposit, None, "no deposit"),
        ];
        let [transfer, deposit] = &groups(&refusals)[..] else { panic!("two reasons") };
        assert_eq!((transfer.reason, deposit.reason), ("no transfer", "no deposit"));
        assert_eq!(transfer.of, [(vec![Bulk], vec!["single", "floating"])]);
        assert_eq!(deposit.of, [(vec![Deposit], vec![])]);
    }

    #[test]
    fn mechanisms_with_the_same_policies_stand_together() {
        let refusals = [
            refusal(Messages, Some("np"), "no processor"),
            refusal(Bulk, Some("np"), "no processor"),
            refusal(Deposit, Some("np"), "no processor"),
            refusal(Deposit, Some("inject"), "no processor"),
        ];
        let [group] = &groups(&refusals)[..] else { panic!("one reason") };
        assert_eq!(group.of, [(vec![Messages, Bulk], vec!["np"]), (vec![Deposit], vec!["np", "inject"])]);
    }
}
