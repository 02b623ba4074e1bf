//! What a machine cannot do of what was asked for, or could not do to its end, and why. Must never decide what is asked for,
//! nor how it looks.

use tempest::Mechanism;
use worlds::Refusal;

/// Refusals of one reason.
#[derive(PartialEq, Debug)]
pub(crate) struct Group<'r> {
    /// Which they are, such as `bulk, deposit (single, floating)`.
    pub(crate) of: String,
    pub(crate) reason: &'r str,
}

/// Mechanisms, each with the policies under which it is refused.
type Of = Vec<(Mechanism, Vec<String>)>;

/// Refusals by their reason, in the order in which the reasons first come.
pub(crate) fn groups(refusals: &[Refusal]) -> Vec<Group<'_>> {
    let mut groups: Vec<(&str, Of)> = Vec::new();
    for Refusal { mechanism, policy, reason } in refusals {
        let at = find_or_add(&mut groups, reason.as_str());
        let policies = find_or_add(at, *mechanism);
        policies.extend(policy.clone());
    }
    groups.into_iter().map(|(reason, of)| Group { of: names(of), reason }).collect()
}

/// What stands beside `key`, which is added if it is not there.
fn find_or_add<K: PartialEq, V: Default>(entries: &mut Vec<(K, V)>, key: K) -> &mut V {
    let index = entries.iter().position(|(known, _)| *known == key).unwrap_or(entries.len());
    if index == entries.len() {
        entries.push((key, V::default()));
    }
    &mut entries[index].1
}

/// Mechanisms with the same policies stand together.
fn names(of: Of) -> String {
    let mut alike: Vec<(Vec<String>, Vec<&str>)> = Vec::new();
    for (mechanism, policies) in of {
        find_or_add(&mut alike, policies).push(mechanism.name());
    }
    let name = |(policies, mechanisms): (Vec<String>, Vec<&str>)| match policies.is_empty() {
        true => mechanisms.join(", "),
        false => format!("{} ({})", mechanisms.join(", "), policies.join(", ")),
    };
    alike.into_iter().map(name).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use tempest::Mechanism::{Bulk, Deposit, Messages};

    use super::*;

    fn refusal(mechanism: Mechanism, policy: &str, reason: &str) -> Refusal {
        Refusal {
            mechanism,
            policy: Some(policy.to_owned()).filter(|policy| !policy.is_empty()),
            reason: reason.to_owned(),
        }
    }

    fn said(refusals: &[Refusal]) -> Vec<String> {
        groups(refusals).iter().map(|group| format!("{}: {}", group.of, group.reason)).collect()
    }

    #[test]
    fn each_reason_is_told_once() {
        let refusals = [
            refusal(Bulk, "single", "no transfer"),
            refusal(Bulk, "floating", "no transfer"),
            refusal(Deposit, "", "no deposit"),
        ];
        assert_eq!(said(&refusals), ["bulk (single, floating): no transfer", "deposit: no deposit"]);
    }

    #[test]
    fn mechanisms_with_the_same_policies_stand_together() {
        let refusals = [
            refusal(Messages, "np", "no processor"),
            refusal(Bulk, "np", "no processor"),
            refusal(Deposit, "np", "no processor"),
            refusal(Deposit, "inject", "no processor"),
        ];
        assert_eq!(said(&refusals), ["messages, bulk (np); deposit (np, inject): no processor"]);
    }
}
