//! Whether machines rank mechanisms and policies alike. Must never know how that is worded.
//!
//! Compared is only what ran, and was right, on every machine. Each machine's choice is the fastest of that; what is
//! tied with it (see [`finding`](crate::finding)) would have done as well. Machines agree on a mechanism, or on a
//! policy, if one of it is the choice, or tied with it, on all of them. They can agree or disagree only on what there
//! was a choice of.

use std::collections::BTreeSet;

use tempest::Mechanism;

use crate::finding::is_tied;
use crate::ranking::Row;

/// What several machines say together.
#[derive(Debug)]
pub(crate) struct Agreement<'r> {
    pub(crate) choices: Vec<Choice<'r>>,
    /// On which they agree, if on any; `None` where there was no choice.
    pub(crate) mechanism: Option<Option<Mechanism>>,
    /// The same of policies.
    pub(crate) policy: Option<Option<String>>,
}

/// What one machine is fastest with, of what all can run.
#[derive(Debug)]
pub(crate) struct Choice<'r> {
    pub(crate) machine: &'r str,
    pub(crate) mechanism: Mechanism,
    pub(crate) policy: String,
    /// Both, for people.
    pub(crate) whole: String,
    pub(crate) oversubscribed: bool,
    mechanisms: BTreeSet<Mechanism>,
    policies: BTreeSet<String>,
}

/// One way to run the program.
type Way = (Mechanism, String);

/// Compares the rows of several machines; `None` if there are not several with right answers.
pub(crate) fn compare<'r>(worlds: &[(&'r str, Vec<&'r Row>)]) -> Option<Agreement<'r>> {
    let worlds: Vec<_> = worlds.iter().filter(|(_, rows)| rows.iter().any(|row| row.verified)).collect();
    if worlds.len() < 2 {
        return None;
    }
    let common = worlds.iter().map(|(_, rows)| ways(rows)).reduce(|all, more| &all & &more)?;
    let mechanisms: BTreeSet<_> = common.iter().map(|(mechanism, _)| *mechanism).collect();
    let policies: BTreeSet<_> = common.iter().map(|(_, policy)| policy.clone()).collect();
    let choices: Vec<_> =
        worlds.iter().filter_map(|(machine, rows)| choose(machine, rows, &common)).collect();
    Some(Agreement {
        mechanism: (mechanisms.len() > 1).then(|| {
            shared(
                choices.first().map(|choice| &choice.mechanism),
                choices.iter().map(|choice| &choice.mechanisms),
            )
        }),
        policy: (policies.len() > 1).then(|| {
            shared(
                choices.first().map(|choice| &choice.policy),
                choices.iter().map(|choice| &choice.policies),
            )
        }),
        choices,
    })
}

fn ways(rows: &[&Row]) -> BTreeSet<Way> {
    let right = rows.iter().filter(|row| row.verified);
    right.flat_map(|row| row.policies.iter().map(|policy| (row.mechanism, policy.clone()))).collect()
}

fn choose<'r>(machine: &'r str, rows: &[&Row], common: &BTreeSet<Way>) -> Option<Choice<'r>> {
    let here = |row: &Row| -> Vec<String> {
        let policies =
            row.policies.iter().filter(|policy| common.contains(&(row.mechanism, (*policy).clone())));
        policies.cloned().collect()
    };
    let mut able: Vec<_> = rows.iter().filter(|row| row.verified && !here(row).is_empty()).collect();
    able.sort_by_key(|row| row.outcome.timed());
    let (best, _) = able.split_first()?;
    let tied = || able.iter().filter(|row| is_tied(best, row));
    let policy = here(best).into_iter().next()?;
    Some(Choice {
        machine,
        mechanism: best.mechanism,
        whole: format!("{} under {policy}", best.mechanism),
        policy,
        oversubscribed: best.oversubscribed,
        mechanisms: tied().map(|row| row.mechanism).collect(),
        // A policy is compared within the best mechanism: under another it does something else.
        policies: tied().filter(|row| row.mechanism == best.mechanism).flat_map(|row| here(row)).collect(),
    })
}

/// One that is in all of the sets: the first machine's own choice if it is.
fn shared<'s, T: Ord + Clone + 's>(
    own: Option<&T>,
    sets: impl Iterator<Item = &'s BTreeSet<T>>,
) -> Option<T> {
    let all = sets.cloned().reduce(|all, more| &all & &more)?;
    own.filter(|own| all.contains(own)).cloned().or_else(|| all.into_iter().next())
}

#[cfg(test)]
mod tests {
    use tempest::Mechanism::{Bulk, Messages};

    use super::*;
    use crate::ranking::samples::row;
    use crate::words;

    fn rows(times: &[(Mechanism, &str, u64)]) -> Vec<Row> {
        times.iter().map(|(mechanism, policy, time)| row(*mechanism, policy, [*time, 0, 0, 0])).collect()
    }

    /// What is said of two machines.
    fn said(native: &[Row], model: &[Row]) -> String {
        let worlds = [("native", native.iter().collect()), ("toy", model.iter().collect())];
        words::agreement(&compare(&worlds).expect("two machines"))
    }

    #[test]
    fn machines_can_agree_on_the_mechanism_and_not_on_the_policy() {
        let native = rows(&[(Bulk, "single", 10), (Bulk, "fixed:1", 20), (Messages, "single", 30)]);
        let model = rows(&[(Bulk, "fixed:1", 1), (Messages, "single", 2), (Bulk, "single", 3)]);
        assert_eq!(
            said(&native, &model),
            "native and toy agree on the mechanism (bulk) but not on the policy: single on native, fixed:1 on toy."
        );
        assert_eq!(
            said(&native, &native),
            "native and toy agree on the mechanism (bulk) and on the policy (single)."
        );
    }

    #[test]
    fn what_only_one_machine_can_run_does_not_count() {
        let native = rows(&[(Messages, "single", 10), (Messages, "fixed:1", 20)]);
        let model =
            rows(&[(Messages, "hurricane-1:1", 1), (Messages, "single", 2), (Messages, "fixed:1", 3)]);
        assert_eq!(said(&native, &model), "native and toy agree on the policy (single).");
        assert_eq!(said(&native[..1], &model), "native and toy have too little in common to be compared.");
    }

    #[test]
    fn what_is_tied_with_the_best_would_have_done_as_well() {
        let native = rows(&[(Messages, "single", 10), (Messages, "fixed:1", 11)]);
        let native: Vec<_> = native.into_iter().map(|row| row.spread_by(0.2)).collect();
        let model = rows(&[(Messages, "fixed:1", 2), (Messages, "single", 3)]);
        assert_eq!(said(&native, &model), "native and toy agree on the policy (fixed:1).");
    }

    #[test]
    fn a_crowded_machine_is_taken_with_salt() {
        let mut native = rows(&[(Messages, "single", 10), (Messages, "fixed:1", 20)]);
        native[0].oversubscribed = true;
        assert!(said(&native, &native).ends_with("times mean little."));
    }

    #[test]
    fn one_machine_agrees_with_nobody() {
        let rows = rows(&[(Messages, "single", 10), (Messages, "fixed:1", 20)]);
        let wrong = [Row { verified: false, ..rows[0].clone() }];
        assert!(compare(&[("toy", rows.iter().collect())]).is_none());
        assert!(compare(&[("toy", rows.iter().collect()), ("native", wrong.iter().collect())]).is_none());
    }
}
