//! Agreement of machines on the ranking of mechanisms and policies. This module must never know how it is worded.
//!
//! Only combinations are compared that ran and gave right answers on every machine, and whose processors took turns on
//! none: no others have times to be ranked by. Each machine's choice is the fastest of these. Combinations tied with it
//! (see [`tie`](crate::tie)) would have done as well, if their times are close for sure. A mechanism, or a policy,
//! serves all machines if it is the choice, or tied with it, on all of them. Machines can agree or disagree only if
//! there was a choice of several.
//!
//! A policy is compared by the mechanism that serves all machines, or else by each machine's own.

use std::collections::{BTreeSet, HashSet};

use tempest::Mechanism;

use crate::combination::Way;
use crate::ranking::{Machine, MachineShape, Ranking, Row};
use crate::tie::{is_tied, is_unclear};

/// The agreement of several machines' rankings: whether one mechanism and one policy are the best on all of them.
#[derive(Clone, PartialEq, Debug)]
pub struct Agreement {
    /// The nodes and processors that all of them had.
    pub shape: MachineShape,
    /// The best combination of each machine. Empty if the machines have no combination in common, or if fewer than two of
    /// them have times that mean something.
    pub choices: Vec<Choice>,
    /// Whether one mechanism serves all machines; `None` where there was no choice.
    pub mechanism: Option<CommonBest>,
    /// Whether one policy serves all machines; `None` where there was no choice.
    pub policy: Option<CommonBest>,
    /// The extent to which the combinations that ran are common to all machines.
    pub extent: Extent,
    /// The machines with a right combination that was not oversubscribed, also if they have no combination in common.
    pub compared: Vec<Name>,
    /// The machines on which every combination was oversubscribed: processors took turns on too few cores.
    pub crowded: Vec<Name>,
    /// Whether some combinations on the other machines were oversubscribed.
    pub partly_crowded: bool,
}

/// The extent to which the combinations that ran are common to all machines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// All combinations are common.
    All,
    /// All mechanisms are common, but some policies are not.
    SomePolicies,
    /// Some mechanisms are not common.
    SomeMechanisms,
}

/// The mechanism, or the policy, that serves all machines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CommonBest<T = String> {
    /// No choice serves all machines.
    Differs,
    /// The named one is the best on each machine, and nothing is tied with it.
    Best(T),
    /// The named one is the best on each machine, or tied with the best.
    Tied(T),
    /// Runs differ too much on one machine or several to tell whether a choice serves all.
    Unknown,
}

/// A machine's name and its file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The machine's name.
    pub machine: String,
    /// The user's file that describes it.
    pub file: Option<String>,
}

/// The fastest combination on one machine, among those common to all machines.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// The machine.
    pub on: Name,
    /// The mechanism and the policy.
    pub way: Way,
}

/// The agreement of several machines for each shape that they ran in, without shapes in which fewer than two machines
/// have right answers.
pub fn of(rankings: &[Ranking]) -> Vec<Agreement> {
    let mut shapes: Vec<_> = rankings.iter().map(|ranking| ranking.shape).collect();
    let mut seen = HashSet::new();
    shapes.retain(|shape| seen.insert(*shape));
    shapes.into_iter().filter_map(|shape| agree(shape, rankings)).collect()
}

/// The agreement of the machines that ran in this shape; `None` if there are no two of them with right answers.
fn agree(shape: MachineShape, rankings: &[Ranking]) -> Option<Agreement> {
    let worlds = rankings.iter().filter(|ranking| ranking.shape == shape).map(World::new);
    let worlds: Vec<_> = worlds.filter(|world| !world.right.is_empty()).collect();
    if worlds.len() < 2 {
        return None;
    }
    let (crowded, calm): (Vec<_>, Vec<_>) = worlds.iter().partition(|world| world.ranked().next().is_none());
    let partly_crowded = calm.iter().any(|world| world.right.len() > world.ranked().count());
    let ways: Vec<_> = calm.iter().map(|world| world.ways()).collect();
    let common = match calm.len() {
        0 | 1 => BTreeSet::new(),
        _ => ways.iter().cloned().reduce(|all, more| &all & &more)?,
    };
    let able: Vec<_> = calm.iter().filter_map(|world| Able::new(world, &common)).collect();
    let mechanism = serving_mechanism(&able, &common);
    let serving = match mechanism {
        Some(CommonBest::Best(serving) | CommonBest::Tied(serving)) => Some(serving),
        _ => None,
    };
    let names = |worlds: &[&World<'_>]| worlds.iter().map(|world| Name::of(world.machine)).collect();
    Some(Agreement {
        shape,
        policy: serving_policy(&able, &common, serving),
        mechanism: mechanism.map(CommonBest::named),
        extent: Extent::of(&common, &ways),
        choices: able.iter().filter_map(Able::choice).collect(),
        compared: names(&calm),
        crowded: names(&crowded),
        partly_crowded,
    })
}

/// The mechanism that serves all machines; `None` if there is one only.
fn serving_mechanism(able: &[Able<'_>], common: &BTreeSet<Way>) -> Option<CommonBest<Mechanism>> {
    let tied = |able: &Able<'_>| able.tied(None).map(|(row, _)| row.mechanism).collect();
    let is_sure = able.iter().all(|able| able.is_sure(None));
    has_choice(common.iter().map(|way| way.mechanism))
        .then(|| serves(able.iter().map(Able::mechanism).collect(), able.iter().map(tied).collect(), is_sure))
}

/// The policy that serves all machines by the mechanism `serving`, or else by each machine's own; `None` if there is
/// one only.
fn serving_policy(
    able: &[Able<'_>],
    common: &BTreeSet<Way>,
    serving: Option<Mechanism>,
) -> Option<CommonBest<String>> {
    let is_served = |way: &&Way| serving.is_none_or(|serving| serving == way.mechanism);
    let own = |able: &Able<'_>| serving.or(able.mechanism());
    let tied = |able: &Able<'_>| able.tied(own(able)).flat_map(|(_, here)| here.clone()).collect();
    let best = |able: &Able<'_>| able.tied(own(able)).next().and_then(|(_, here)| here.first().cloned());
    let is_sure = able.iter().all(|able| able.is_sure(own(able)));
    has_choice(common.iter().filter(is_served).map(|way| &way.policy))
        .then(|| serves(able.iter().map(best).collect(), able.iter().map(tied).collect(), is_sure))
}

fn has_choice<T: Ord>(of: impl Iterator<Item = T>) -> bool {
    of.collect::<BTreeSet<_>>().len() > 1
}

impl CommonBest<Mechanism> {
    /// The mechanism by its name.
    fn named(self) -> CommonBest {
        match self {
            Self::Differs => CommonBest::Differs,
            Self::Best(one) => CommonBest::Best(one.to_string()),
            Self::Tied(one) => CommonBest::Tied(one.to_string()),
            Self::Unknown => CommonBest::Unknown,
        }
    }
}

/// The choice in all sets of tied choices: the first machine's own best if it is in all of them. Unknown unless it
/// `is_sure` that the tied times are close.
fn serves<T: Ord + Clone>(best: Vec<Option<T>>, tied: Vec<BTreeSet<T>>, is_sure: bool) -> CommonBest<T> {
    let is_alone = tied.iter().all(|tied| tied.len() == 1);
    let all = tied.into_iter().reduce(|all, more| &all & &more).unwrap_or_default();
    let mut known = best.iter().flatten().filter(|best| all.contains(best));
    let Some(one) = known.next().or_else(|| all.first()) else { return CommonBest::Differs };
    if !is_sure {
        return CommonBest::Unknown;
    }
    if is_alone { CommonBest::Best(one.clone()) } else { CommonBest::Tied(one.clone()) }
}

impl Name {
    pub(crate) fn of(machine: &Machine) -> Self {
        Self { machine: machine.name.clone(), file: machine.file.clone() }
    }
}

impl Extent {
    fn of(common: &BTreeSet<Way>, ways: &[BTreeSet<Way>]) -> Self {
        let mechanisms = |ways: &BTreeSet<Way>| ways.iter().map(|way| way.mechanism).collect::<BTreeSet<_>>();
        match ways {
            ways if ways.iter().any(|ways| mechanisms(ways) != mechanisms(common)) => Self::SomeMechanisms,
            ways if ways.iter().any(|ways| ways != common) => Self::SomePolicies,
            _ => Self::All,
        }
    }
}

/// A machine with its rows that are right.
struct World<'r> {
    machine: &'r Machine,
    right: Vec<&'r Row>,
}

impl<'r> World<'r> {
    fn new(ranking: &'r Ranking) -> Self {
        Self { machine: &ranking.machine, right: ranking.right_rows() }
    }

    /// The rows that have times to be ranked by.
    fn ranked(&self) -> impl Iterator<Item = &'r Row> {
        self.right.iter().copied().filter(|row| !row.oversubscribed)
    }

    fn ways(&self) -> BTreeSet<Way> {
        self.ranked().flat_map(Row::ways).collect()
    }
}

/// A machine with its rows of common combinations, the fastest first, each with its common policies.
struct Able<'r> {
    machine: &'r Machine,
    rows: Vec<(&'r Row, Vec<String>)>,
}

impl<'r> Able<'r> {
    fn new(world: &World<'r>, common: &BTreeSet<Way>) -> Option<Self> {
        let here = |row: &Row| -> Vec<String> {
            row.ways().filter(|way| common.contains(way)).map(|way| way.policy).collect()
        };
        let ranked = world.ranked().map(|row| (row, here(row)));
        let mut rows: Vec<_> = ranked.filter(|(_, here)| !here.is_empty()).collect();
        rows.sort_by_key(|(row, _)| row.outcome.timed());
        (!rows.is_empty()).then_some(Self { machine: world.machine, rows })
    }

    /// The mechanism of the fastest row.
    fn mechanism(&self) -> Option<Mechanism> {
        self.rows.first().map(|(row, _)| row.mechanism)
    }

    /// The fastest row, of a mechanism if one is given, and the rows tied with it.
    fn tied(&self, mechanism: Option<Mechanism>) -> impl Iterator<Item = &(&'r Row, Vec<String>)> {
        let of = move |row: &Row| mechanism.is_none_or(|mechanism| row.mechanism == mechanism);
        let best = self.rows.iter().map(|(row, _)| *row).find(|row| of(row));
        let is_best = move |row: &Row| best.is_some_and(|best| std::ptr::eq(best, row) || is_tied(best, row));
        self.rows.iter().filter(move |(row, _)| of(row) && is_best(row))
    }

    /// Whether the times of these rows are close for sure.
    fn is_sure(&self, mechanism: Option<Mechanism>) -> bool {
        let mut tied = self.tied(mechanism).map(|(row, _)| *row);
        let Some(best) = tied.next() else { return true };
        tied.all(|row| !is_unclear(&[best, row]))
    }

    fn choice(&self) -> Option<Choice> {
        let (row, here) = self.rows.first()?;
        let way = Way { mechanism: row.mechanism, policy: here.first()?.clone() };
        Some(Choice { on: Name::of(self.machine), way })
    }
}

#[cfg(test)]
mod tests {
    use tempest::Mechanism::{Bulk, Deposit, Messages};

    use super::*;
    use crate::samples::{ranking, rows};

    fn agree(native: &[Row], model: &[Row]) -> Agreement {
        only(&[ranking("native", native), ranking("toy", model)])
    }

    fn only(rankings: &[Ranking]) -> Agreement {
        let mut agreed = of(rankings);
        assert_eq!(agreed.len(), 1);
        agreed.remove(0)
    }

    fn best(one: &str) -> Option<CommonBest> {
        Some(CommonBest::Best(one.to_owned()))
    }

    fn tied(one: &str) -> Option<CommonBest> {
        Some(CommonBest::Tied(one.to_owned()))
    }

    fn names(names: &[Name]) -> Vec<&str> {
        names.iter().map(|name| name.machine.as_str()).collect()
    }

    #[test]
    fn machines_can_agree_on_the_mechanism_and_not_on_the_policy() {
        let native = rows(&[(Bulk, "single", 10), (Bulk, "fixed:1", 20), (Messages, "single", 30)]);
        let model = rows(&[(Bulk, "fixed:1", 1), (Messages, "single", 2), (Bulk, "single", 3)]);
        let found = agree(&native, &model);
        assert_eq!((found.mechanism, found.policy), (best("bulk"), Some(CommonBest::Differs)));
        let policies: Vec<_> = found.choices.iter().map(|choice| choice.way.policy.as_str()).collect();
        assert_eq!((policies, found.extent), (vec!["single", "fixed:1"], Extent::All));
        let found = agree(&native, &native);
        assert_eq!((found.mechanism, found.policy), (best("bulk"), best("single")));
    }

    #[test]
    fn what_only_one_machine_can_run_does_not_count_and_that_is_said() {
        let native = rows(&[(Messages, "single", 10), (Messages, "fixed:1", 20)]);
        let model =
            rows(&[(Messages, "hurricane-1:1", 1), (Messages, "single", 2), (Messages, "fixed:1", 3)]);
        let found = agree(&native, &model);
        assert_eq!((found.policy, found.extent), (best("single"), Extent::SomePolicies));
        let more = [rows(&[(Bulk, "single", 1)]), model.clone()].concat();
        assert_eq!(agree(&native, &more).extent, Extent::SomeMechanisms);
        let found = agree(&native[..1], &model);
        assert!(found.mechanism.is_none() && found.policy.is_none() && found.choices.len() == 2);
    }

    #[test]
    fn what_is_tied_with_the_best_is_not_called_the_best() {
        let native = rows(&[(Deposit, "single", 10), (Bulk, "fixed:1", 11)]);
        let within = |share: f64| native.iter().map(|row| row.clone().within(share)).collect::<Vec<_>>();
        let model = rows(&[(Bulk, "fixed:1", 2), (Deposit, "single", 3)]);
        assert_eq!(agree(&within(0.2), &model).mechanism, Some(CommonBest::Unknown), "not told is not tied");
        let close = rows(&[(Deposit, "single", 100), (Bulk, "fixed:1", 102)]);
        let close: Vec<_> = close.into_iter().map(|row| row.within(0.02)).collect();
        assert_eq!(agree(&close, &model).mechanism, tied("bulk"));
        let alike = rows(&[(Bulk, "single", 10), (Messages, "single", 10), (Deposit, "single", 20)]);
        assert_eq!(agree(&alike, &alike).mechanism, tied("bulk"));
    }

    #[test]
    fn a_choice_that_is_slower_on_one_machine_serves_not_all_however_little_is_known_of_others() {
        let native = rows(&[(Messages, "single", 10), (Messages, "floating", 63)]);
        let native: Vec<_> = native.into_iter().map(|row| row.within(0.9)).collect();
        let model = rows(&[(Messages, "floating", 10), (Messages, "single", 12)]);
        assert_eq!(agree(&native, &model).policy, Some(CommonBest::Unknown));
        let sure = rows(&[(Messages, "single", 10), (Messages, "floating", 63)]);
        assert_eq!(agree(&sure, &model).policy, Some(CommonBest::Differs));
    }

    #[test]
    fn times_that_mean_little_agree_with_nothing() {
        let model = rows(&[(Messages, "single", 10), (Messages, "fixed:1", 20)]);
        let mut native = model.clone();
        native.iter_mut().for_each(|row| row.oversubscribed = true);
        let found = agree(&native, &model);
        assert_eq!((names(&found.crowded), found.choices.len()), (vec!["native"], 0));
        let other = rows(&[(Bulk, "single", 10)]);
        let [native, toy, tin] =
            [("native", &native), ("toy", &model), ("tin", &other)].map(|(name, rows)| ranking(name, rows));
        let found = only(&[native.clone(), toy.clone(), tin]);
        assert_eq!((names(&found.compared), found.choices.len()), (vec!["toy", "tin"], 0));
        let found = only(&[native, toy, ranking("tin", &model)]);
        assert_eq!((found.policy, names(&found.crowded)), (best("single"), vec!["native"]));
    }

    #[test]
    fn what_took_turns_on_one_machine_does_not_count_on_any() {
        let model = rows(&[(Messages, "fixed:1", 10), (Messages, "single", 20), (Messages, "floating", 30)]);
        let mut native =
            rows(&[(Messages, "single", 10), (Messages, "floating", 20), (Messages, "fixed:1", 30)]);
        native[2].oversubscribed = true;
        let found = agree(&native, &model);
        assert!(found.partly_crowded && found.extent == Extent::SomePolicies);
        assert_eq!(found.policy, best("single"));
    }

    #[test]
    fn one_machine_agrees_with_nobody() {
        let rows = rows(&[(Messages, "single", 10), (Messages, "fixed:1", 20)]);
        let wrong = [Row { verified: false, ..rows[0].clone() }];
        assert!(of(&[ranking("toy", &rows)]).is_empty());
        assert!(of(&[ranking("toy", &rows), ranking("native", &wrong)]).is_empty());
    }

    #[test]
    fn machines_are_compared_in_one_shape_at_a_time() {
        let fast = rows(&[(Messages, "single", 10), (Messages, "fixed:1", 20)]);
        let slow = rows(&[(Messages, "single", 20), (Messages, "fixed:1", 10)]);
        let wide = MachineShape { nodes: 1, processors: 2 };
        let in_shape = |name, rows: &[Row], shape| Ranking { shape, ..ranking(name, rows) };
        let found = of(&[
            ranking("native", &fast),
            in_shape("native", &fast, wide),
            ranking("toy", &fast),
            in_shape("toy", &slow, wide),
        ]);
        let found: Vec<_> = found.iter().map(|agreed| (agreed.shape, agreed.policy.clone())).collect();
        assert_eq!(found, [(crate::samples::SHAPE, best("single")), (wide, Some(CommonBest::Differs))]);
    }
}
