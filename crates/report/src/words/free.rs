//! The fate of a ranking over free inputs, in a sentence. This module must never find anything itself.

use std::collections::BTreeSet;

use compare::free::{Best, Case, Lack, Survival};
use compare::{Free, Ranking, Way};
use units::plural::several;

use super::verdict::{in_words, machine_name};
use crate::quantity::{list, listed, percent};

/// The most cases that are listed; beyond, only their number is told.
const LISTED: usize = 4;

/// The machine of a ranking with its nodes and processors, for people.
pub(crate) fn on(ranking: &Ranking) -> String {
    let machine = &ranking.machine;
    let name = machine_name(&machine.name, machine.file.as_deref(), machine.native);
    format!("{name}, {}", super::shape(ranking.shape.nodes, ranking.shape.processors))
}

/// The fate of a ranking of these combinations, with the best of them in each case of free inputs: a sentence. `place` is the machine,
/// where there are several tables.
pub(crate) fn fate(
    free: &Free,
    place: Option<&str>,
    ways: &[Way],
    survival: &Survival<Way>,
    best: &[Case<Way>],
) -> String {
    // A single policy, or a single mechanism, goes without saying.
    let mechanisms: BTreeSet<_> = ways.iter().map(|way| way.mechanism.name()).collect();
    let policies: BTreeSet<_> = ways.iter().map(|way| way.policy.as_str()).collect();
    let name = |way: &Way| match (mechanisms.len() > 1, policies.len() > 1) {
        (true, false) => in_words(way.mechanism.name()).to_owned(),
        (true, true) => format!("{} under {}", in_words(way.mechanism.name()), way.policy),
        (false, _) => way.policy.clone(),
    };
    fate_of(free, place, survival, best, "rows", name)
}

/// The fate of a ranking of choices, which `name` names; `rows` is a word for all of them.
pub(crate) fn fate_of<N: Clone + PartialEq>(
    free: &Free,
    place: Option<&str>,
    survival: &Survival<N>,
    best: &[Case<N>],
    rows: &str,
    name: impl Fn(&N) -> String,
) -> String {
    let on = place.map_or_else(String::new, |place| format!("On {place} "));
    let the = if on.is_empty() { "The" } else { "the" };
    let names = |names: &[N]| {
        let said: Vec<_> = names.iter().take(LISTED).map(&name).collect();
        let more = names.len().saturating_sub(LISTED);
        let more = (more > 0).then(|| format!("{more} more"));
        listed(&said.into_iter().chain(more).collect::<Vec<_>>(), "or")
    };
    let everywhere = everywhere(free);
    match survival {
        Survival::Survives { best, by } => {
            let tied = || ", in some cases tied".to_owned();
            let by = by.map_or_else(tied, |by| format!(", by {} or more", percent(by - 1.0)));
            format!("{on}{the} ranking survives: the fastest is {} {everywhere}{by}.", names(best))
        }
        Survival::NoDifference => {
            format!("{on}{the} ranking survives: {rows} show no difference {everywhere}.")
        }
        Survival::Changes => {
            let groups = groups(free, best);
            let group = |(best, at): &(Vec<N>, String)| format!("{} at {at}", names(best));
            let groups: Vec<_> = groups.iter().map(group).collect();
            format!("{on}{the} ranking does not survive: the fastest is {}.", groups.join("; "))
        }
        Survival::Unclear => {
            format!("{on}{the} ranking may not survive: runs differ too much to tell {everywhere}.")
        }
        Survival::Alone => format!("{on}{the} band is that of one row: there is no ranking."),
        Survival::Unknown => format!("{on}{the} ranking is not known: {}.", lacks(free, best)),
    }
}

/// The cases without a best choice, with the reasons.
fn lacks<N>(free: &Free, best: &[Case<N>]) -> String {
    let lack = |(lack, said): (Lack, &str)| {
        let of_it = (0..best.len()).filter(|case| best[*case].as_ref().err() == Some(&lack));
        let at: Vec<_> = of_it.map(|case| free.case(case)).collect();
        match at.len() {
            0 => None,
            1..=LISTED => Some(format!("{said} at {}", list(&at))),
            count => Some(format!("{said} in {}", cases(count))),
        }
    };
    let all = [
        (Lack::Missing, "runs are missing"),
        (Lack::Failed, "no run came to its end"),
        (Lack::Wrong, "no answer is right"),
    ];
    all.into_iter().filter_map(lack).collect::<Vec<_>>().join("; ")
}

/// All cases: `at steps 10, 30 and 100`, or `in all 8 cases of steps 10, 30, 100; order row, column`.
fn everywhere(free: &Free) -> String {
    match &free.inputs[..] {
        [input] => format!("at {} {}", input.name, list(&input.values)),
        inputs => {
            let said =
                |input: &compare::free::FreeInput| format!("{} {}", input.name, input.values.join(", "));
            let inputs: Vec<_> = inputs.iter().map(said).collect();
            format!("in all {} of {}", cases(free.cases.len()), inputs.join("; "))
        }
    }
}

fn cases(count: usize) -> String {
    several(count as u64, "case")
}

/// The best choices of cases, and these cases in words. Where the value of one input decides, only that is told.
fn groups<N: Clone + PartialEq>(free: &Free, best: &[Case<N>]) -> Vec<(Vec<N>, String)> {
    let deciding = (0..free.inputs.len()).find_map(|input| {
        let values = &free.inputs[input].values;
        let of = |value: &String| {
            let cases = free.cases.iter().zip(best).filter(|(case, _)| case.get(input) == Some(value));
            common(cases.map(|(_, best)| best.as_ref().ok()))
        };
        let common: Option<Vec<_>> = values.iter().map(of).collect();
        common.map(|common| (input, values.iter().cloned().zip(common).collect::<Vec<_>>()))
    });
    match deciding {
        Some((input, values)) => {
            let name = &free.inputs[input].name;
            together(values).into_iter().map(|(best, at)| (best, format!("{name} {}", list(&at)))).collect()
        }
        None => {
            let each = best.iter().enumerate();
            let each =
                each.filter_map(|(case, best)| Some((free.case(case), best.as_ref().ok()?.best.clone())));
            let said = |at: Vec<String>| if at.len() > LISTED { cases(at.len()) } else { at.join(" / ") };
            together(each.collect()).into_iter().map(|(best, at)| (best, said(at))).collect()
        }
    }
}

/// The choices that are the best in each of some cases; `None` if there is none.
fn common<'b, N: Clone + PartialEq + 'b>(
    mut cases: impl Iterator<Item = Option<&'b Best<N>>>,
) -> Option<Vec<N>> {
    let mut common = cases.next()??.best.clone();
    for case in cases {
        let case = case?;
        common.retain(|name| case.best.contains(name));
    }
    (!common.is_empty()).then_some(common)
}

/// Neighbours with a common best, as one.
fn together<N: Clone + PartialEq>(each: Vec<(String, Vec<N>)>) -> Vec<(Vec<N>, Vec<String>)> {
    let mut groups: Vec<(Vec<N>, Vec<String>)> = Vec::new();
    for (at, best) in each {
        let shared =
            |group: &[N]| -> Vec<N> { group.iter().filter(|name| best.contains(name)).cloned().collect() };
        match groups.iter_mut().find(|(group, _)| !shared(group).is_empty()) {
            Some((group, places)) => {
                *group = shared(group);
                places.push(at);
            }
            None => groups.push((best, vec![at])),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use compare::free::FreeInput;

    use super::*;

    fn free(inputs: &[(&str, &[&str])]) -> Free {
        let input = |(name, values): &(&str, &[&str])| FreeInput {
            name: (*name).to_owned(),
            values: values.iter().map(|value| (*value).to_owned()).collect(),
            is_range: true,
        };
        let inputs: Vec<_> = inputs.iter().map(input).collect();
        let with = |cases: Vec<Vec<String>>, input: &FreeInput| -> Vec<Vec<String>> {
            let extended = |case: &Vec<String>| {
                input
                    .values
                    .iter()
                    .map(|value| [case.clone(), vec![value.clone()]].concat())
                    .collect::<Vec<_>>()
            };
            cases.iter().flat_map(extended).collect()
        };
        Free { cases: inputs.iter().fold(vec![Vec::new()], with), inputs }
    }

    fn said(free: &Free, place: Option<&str>, best: &[(&[&'static str], Option<f64>)]) -> String {
        let best = best
            .iter()
            .map(|(best, next)| Ok(Best { best: best.to_vec(), unclear: Vec::new(), next: *next }));
        let best: Vec<_> = best.collect();
        let name = |name: &&str| (*name).to_owned();
        fate_of(free, place, &Survival::of(&best), &best, "policies", name)
    }

    #[test]
    fn a_ranking_that_survives_names_the_fastest_and_its_least_lead() {
        let steps = free(&[("steps", &["10", "30", "100"])]);
        let best: [(&[&str], _); 3] =
            [(&["np"], Some(1.2)), (&["np"], Some(1.5)), (&["np", "proc"], Some(2.0))];
        assert_eq!(
            said(&steps, None, &best),
            "The ranking survives: the fastest is np at steps 10, 30 and 100, by 20 % or more."
        );
        let equal: [(&[&str], _); 3] =
            [(&["np", "proc"], None), (&["np", "proc"], None), (&["proc", "np"], None)];
        assert_eq!(
            said(&steps, Some("toy"), &equal),
            "On toy the ranking survives: policies show no difference at steps 10, 30 and 100."
        );
    }

    #[test]
    fn a_ranking_that_changes_says_which_is_fastest_where() {
        let steps = free(&[("steps", &["10", "30", "100"])]);
        let best: [(&[&str], _); 3] = [(&["proc"], Some(1.2)), (&["np"], Some(1.5)), (&["np"], Some(2.0))];
        assert_eq!(
            said(&steps, None, &best),
            "The ranking does not survive: the fastest is proc at steps 10; np at steps 30 and 100."
        );
    }

    #[test]
    fn where_one_of_several_inputs_decides_only_that_is_told() {
        let both = free(&[("fish", &["1", "2"]), ("steps", &["10", "30"])]);
        let (proc, np): ((&[&str], _), (&[&str], _)) = ((&["proc"], Some(1.2)), (&["np"], Some(1.2)));
        assert_eq!(
            said(&both, None, &[proc, np, proc, np]),
            "The ranking does not survive: the fastest is proc at steps 10; np at steps 30."
        );
        assert_eq!(
            said(&both, None, &[proc, np, np, np]),
            "The ranking does not survive: the fastest is proc at fish 1, steps 10; np at fish 1, steps 30 / fish 2, steps \
             10 / fish 2, steps 30."
        );
        assert_eq!(
            said(&both, None, &[np, np, np, np]),
            "The ranking survives: the fastest is np in all 4 cases of fish 1, 2; steps 10, 30, by 20 % or more."
        );
    }

    #[test]
    fn runs_that_do_not_tell_and_cases_without_an_answer_are_said() {
        let steps = free(&[("steps", &["10", "30"])]);
        let fate = |survival: Survival<&str>, best: &[Case<&str>]| {
            fate_of(&steps, None, &survival, best, "rows", |name| (*name).to_owned())
        };
        assert_eq!(
            fate(Survival::Unclear, &[]),
            "The ranking may not survive: runs differ too much to tell at steps 10 and 30."
        );
        let one = Ok(Best { best: vec!["np"], unclear: Vec::new(), next: None });
        assert_eq!(
            fate(Survival::Unknown, &[one.clone(), Err(Lack::Wrong)]),
            "The ranking is not known: no answer is right at steps 30."
        );
        assert_eq!(
            fate(Survival::Unknown, &[Err(Lack::Failed), Err(Lack::Missing)]),
            "The ranking is not known: runs are missing at steps 30; no run came to its end at steps 10."
        );
        let many = vec![Err(Lack::Missing); 5];
        assert_eq!(fate(Survival::Unknown, &many), "The ranking is not known: runs are missing in 5 cases.");
    }
}
