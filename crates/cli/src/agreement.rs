//! Whether machines rank mechanisms and policies alike. Must never know how that is worded.
//!
//! Compared is only what ran, and was right, on every machine, and for which processors did not take turns on any: nothing
//! else has times to be ranked by. Each machine's choice is the fastest of that; what is tied with it (see
//! [`finding`](crate::finding)) would have done as well. A mechanism, or a policy, serves all machines if it is the choice,
//! or tied with it, on all of them. Machines can agree or disagree only on what there was a choice of.
//!
//! A policy is compared by the mechanism that serves all machines; where there is none, by each machine's own.

use std::collections::BTreeSet;

use tempest::Mechanism;

use crate::finding::is_tied;
use crate::ranking::Row;

/// What one machine showed.
pub(crate) struct World<'r> {
    pub(crate) machine: &'r str,
    /// Its file, if it comes from one of the user's.
    pub(crate) file: Option<&'r str>,
    pub(crate) rows: Vec<&'r Row>,
}

/// What several machines say together.
#[derive(Debug)]
pub(crate) struct Agreement<'r> {
    /// One for each machine; none if they have nothing in common, or times of too few mean anything.
    pub(crate) choices: Vec<Choice<'r>>,
    /// `None` where there was no choice.
    pub(crate) mechanism: Option<Verdict<Mechanism>>,
    /// The same of policies.
    pub(crate) policy: Option<Verdict<String>>,
    /// How much of what ran is compared.
    pub(crate) extent: Extent,
    /// Machines whose times mean something, whether they have anything in common or not.
    pub(crate) compared: Vec<Name<'r>>,
    /// Machines on which processors took turns whatever ran.
    pub(crate) crowded: Vec<Name<'r>>,
    /// Whether they did so for some ways on the others.
    pub(crate) partly_crowded: bool,
}

/// How much of what ran is common to all machines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Extent {
    All,
    /// Not every policy.
    SomePolicies,
    /// Not every mechanism.
    SomeMechanisms,
}

impl Extent {
    fn of(common: &BTreeSet<Way>, ways: &[BTreeSet<Way>]) -> Self {
        let mechanisms = |ways: &BTreeSet<Way>| ways.iter().map(|way| way.0).collect::<BTreeSet<_>>();
        match ways {
            ways if ways.iter().any(|ways| mechanisms(ways) != mechanisms(common)) => Self::SomeMechanisms,
            ways if ways.iter().any(|ways| ways != common) => Self::SomePolicies,
            _ => Self::All,
        }
    }
}

/// What serves all machines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Verdict<T> {
    /// Nothing does.
    Differs,
    /// This is the best on each, and nothing is tied with it.
    Best(T),
    /// This is the best on each, or tied with it.
    Tied(T),
}

/// A machine's name and its file.
pub(crate) type Name<'r> = (&'r str, Option<&'r str>);

/// What one machine is fastest with, of what all can run.
#[derive(Debug)]
pub(crate) struct Choice<'r> {
    pub(crate) machine: Name<'r>,
    pub(crate) mechanism: Mechanism,
    pub(crate) policy: String,
}

/// One way to run the program.
type Way = (Mechanism, String);

/// A machine with what is common to all, the fastest first, each under the policies that are.
struct Able<'r> {
    machine: Name<'r>,
    rows: Vec<(&'r Row, Vec<String>)>,
}

/// Compares the rows of several machines; `None` if there are not several with right answers.
pub(crate) fn compare<'r>(worlds: &[World<'r>]) -> Option<Agreement<'r>> {
    let worlds: Vec<_> = worlds.iter().filter(|world| world.right().next().is_some()).collect();
    if worlds.len() < 2 {
        return None;
    }
    let (crowded, calm): (Vec<_>, Vec<_>) = worlds.into_iter().partition(|world| world.is_crowded());
    let names = |worlds: &[&World<'r>]| worlds.iter().map(|world| (world.machine, world.file)).collect();
    let partly_crowded = calm.iter().any(|world| world.right().count() > world.ranked().count());
    let ways: Vec<_> = calm.iter().map(|world| world.ways()).collect();
    let common = match calm.len() {
        0 | 1 => BTreeSet::new(),
        _ => ways.iter().cloned().reduce(|all, more| &all & &more)?,
    };
    let able: Vec<_> = calm.iter().filter_map(|world| Able::new(world, &common)).collect();
    let mechanism = has_choice(common.iter().map(|(mechanism, _)| *mechanism)).then(|| {
        let tied = |able: &Able<'_>| able.tied(None).map(|(row, _)| row.mechanism).collect();
        verdict(able.iter().map(Able::mechanism).collect(), able.iter().map(tied).collect())
    });
    let serving = match mechanism {
        Some(Verdict::Best(serving) | Verdict::Tied(serving)) => Some(serving),
        _ => None,
    };
    let serves = |mechanism| serving.is_none_or(|serving| serving == mechanism);
    let policies = common.iter().filter(|(mechanism, _)| serves(*mechanism)).map(|(_, policy)| policy);
    let policy = has_choice(policies).then(|| {
        let own = |able: &Able<'_>| serving.or(able.mechanism());
        let tied = |able| Able::tied(able, own(able)).flat_map(|(_, here)| here.clone()).collect();
        let best = |able| Able::tied(able, own(able)).next().and_then(|(_, here)| here.first().cloned());
        verdict(able.iter().map(best).collect(), able.iter().map(tied).collect())
    });
    Some(Agreement {
        mechanism,
        policy,
        extent: Extent::of(&common, &ways),
        choices: able.iter().filter_map(Able::choice).collect(),
        compared: names(&calm),
        crowded: names(&crowded),
        partly_crowded,
    })
}

impl<'r> World<'r> {
    fn right(&self) -> impl Iterator<Item = &'r Row> {
        self.rows.iter().copied().filter(|row| row.verified)
    }

    /// Those of them that have times to be ranked by.
    fn ranked(&self) -> impl Iterator<Item = &'r Row> {
        self.right().filter(|row| !row.oversubscribed)
    }

    fn is_crowded(&self) -> bool {
        self.ranked().next().is_none()
    }

    fn ways(&self) -> BTreeSet<Way> {
        self.ranked()
            .flat_map(|row| row.policies.iter().map(|policy| (row.mechanism, policy.clone())))
            .collect()
    }
}

fn has_choice<T: Ord>(of: impl Iterator<Item = T>) -> bool {
    of.collect::<BTreeSet<_>>().len() > 1
}

impl<'r> Able<'r> {
    fn new(world: &World<'r>, common: &BTreeSet<Way>) -> Option<Self> {
        let here = |row: &Row| -> Vec<String> {
            let is_common = |policy: &&String| common.contains(&(row.mechanism, (*policy).clone()));
            row.policies.iter().filter(is_common).cloned().collect()
        };
        let ranked = world.ranked().map(|row| (row, here(row)));
        let mut rows: Vec<_> = ranked.filter(|(_, here)| !here.is_empty()).collect();
        rows.sort_by_key(|(row, _)| row.outcome.timed());
        (!rows.is_empty()).then_some(Self { machine: (world.machine, world.file), rows })
    }

    /// That of the fastest row.
    fn mechanism(&self) -> Option<Mechanism> {
        self.rows.first().map(|(row, _)| row.mechanism)
    }

    /// The fastest row, of that mechanism if one is given, and those tied with it.
    fn tied(&self, mechanism: Option<Mechanism>) -> impl Iterator<Item = &(&'r Row, Vec<String>)> {
        let of = move |row: &Row| mechanism.is_none_or(|mechanism| row.mechanism == mechanism);
        let best = self.rows.iter().map(|(row, _)| *row).find(|row| of(row));
        let is_best = move |row: &Row| best.is_some_and(|best| std::ptr::eq(best, row) || is_tied(best, row));
        self.rows.iter().filter(move |(row, _)| of(row) && is_best(row))
    }

    fn choice(&self) -> Option<Choice<'r>> {
        let (row, here) = self.rows.first()?;
        Some(Choice { machine: self.machine, mechanism: row.mechanism, policy: here.first()?.clone() })
    }
}

/// What is in all of the sets of what is tied: the first machine's own best if it is.
fn verdict<T: Ord + Clone>(best: Vec<Option<T>>, tied: Vec<BTreeSet<T>>) -> Verdict<T> {
    let is_alone = tied.iter().all(|tied| tied.len() == 1);
    let all = tied.into_iter().reduce(|all, more| &all & &more).unwrap_or_default();
    let mut known = best.iter().flatten().filter(|best| all.contains(best));
    let Some(one) = known.next().or_else(|| all.first()) else { return Verdict::Differs };
    match is_alone {
        true => Verdict::Best(one.clone()),
        false => Verdict::Tied(one.clone()),
    }
}

#[cfg(test)]
mod tests {
    use tempest::Mechanism::{Bulk, Deposit, Messages};

    use super::*;
    use crate::ranking::samples::row;
    use crate::words;

    fn rows(times: &[(Mechanism, &str, u64)]) -> Vec<Row> {
        times.iter().map(|(mechanism, policy, time)| row(*mechanism, policy, [*time, 0, 0, 0])).collect()
    }

    fn world<'r>(machine: &'r str, rows: &'r [Row]) -> World<'r> {
        World { machine, file: None, rows: rows.iter().collect() }
    }

    /// What is said of two machines.
    fn said(native: &[Row], model: &[Row]) -> String {
        words::agreement(&compare(&[world("native", native), world("toy", model)]).expect("two machines"))
    }

    #[test]
    fn machines_can_agree_on_the_mechanism_and_not_on_the_policy() {
        let native = rows(&[(Bulk, "single", 10), (Bulk, "fixed:1", 20), (Messages, "single", 30)]);
        let model = rows(&[(Bulk, "fixed:1", 1), (Messages, "single", 2), (Bulk, "single", 3)]);
        assert_eq!(
            said(&native, &model),
            "bulk is the best mechanism on both native and toy; the best policy differs: single on native, fixed:1 on toy."
        );
        assert_eq!(
            said(&native, &native),
            "bulk is the best mechanism on both native and toy; single is the best policy on both."
        );
    }

    #[test]
    fn what_only_one_machine_can_run_does_not_count_and_that_is_said() {
        let native = rows(&[(Messages, "single", 10), (Messages, "fixed:1", 20)]);
        let model =
            rows(&[(Messages, "hurricane-1:1", 1), (Messages, "single", 2), (Messages, "fixed:1", 3)]);
        assert_eq!(
            said(&native, &model),
            "of the policies that both native and toy can run, single is the best policy on both."
        );
        let more = [rows(&[(Bulk, "single", 1)]), model.clone()].concat();
        assert!(said(&native, &more).starts_with("of what both native and toy can run, single is"));
        assert_eq!(
            said(&native[..1], &model),
            "nothing but messages under single ran on both native and toy: there is nothing to choose."
        );
    }

    #[test]
    fn what_is_tied_with_the_best_is_not_called_the_best() {
        let native = rows(&[(Deposit, "single", 10), (Bulk, "fixed:1", 11)]);
        let native: Vec<_> = native.into_iter().map(|row| row.spread_by(0.2)).collect();
        let model = rows(&[(Bulk, "fixed:1", 2), (Deposit, "single", 3)]);
        assert_eq!(
            said(&native, &model),
            "bulk is the best mechanism, or tied with the best, on both native and toy."
        );
    }

    #[test]
    fn what_is_alike_is_not_called_the_best() {
        let alike = rows(&[(Bulk, "single", 10), (Messages, "single", 10), (Deposit, "single", 20)]);
        assert_eq!(
            said(&alike, &alike),
            "bulk is the best mechanism, or tied with the best, on both native and toy."
        );
    }

    #[test]
    fn times_that_mean_little_agree_with_nothing() {
        let model = rows(&[(Messages, "single", 10), (Messages, "fixed:1", 20)]);
        let mut native = model.clone();
        native.iter_mut().for_each(|row| row.oversubscribed = true);
        assert_eq!(
            said(&native, &model),
            "no word on whether machines agree: on native processors took turns, and times mean little."
        );
        let other = rows(&[(Bulk, "single", 10)]);
        let strangers = [world("native", &native), world("toy", &model), world("tin", &other)];
        assert_eq!(
            words::agreement(&compare(&strangers).unwrap()),
            "toy and tin have nothing in common to be compared. Nothing is said of native: processors took turns."
        );
        let three = [world("native", &native), world("toy", &model), world("tin", &model)];
        assert_eq!(
            words::agreement(&compare(&three).unwrap()),
            "single is the best policy on both toy and tin. Nothing is said of native: processors took turns."
        );
    }

    #[test]
    fn what_took_turns_on_one_machine_does_not_count_on_any() {
        let model = rows(&[(Messages, "fixed:1", 10), (Messages, "single", 20), (Messages, "floating", 30)]);
        let mut native =
            rows(&[(Messages, "single", 10), (Messages, "floating", 20), (Messages, "fixed:1", 30)]);
        native[2].oversubscribed = true;
        assert_eq!(
            said(&native, &model),
            "of the policies that both native and toy can run, single is the best policy on both. Where processors took \
             turns nothing is compared."
        );
    }

    #[test]
    fn one_machine_agrees_with_nobody() {
        let rows = rows(&[(Messages, "single", 10), (Messages, "fixed:1", 20)]);
        let wrong = [Row { verified: false, ..rows[0].clone() }];
        assert!(compare(&[world("toy", &rows)]).is_none());
        assert!(compare(&[world("toy", &rows), world("native", &wrong)]).is_none());
    }
}
