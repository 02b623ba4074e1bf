//! Free inputs of a comparison: inputs of unknown value. The comparison runs in several *cases*, each with a value for every free
//! input. A combination has a [`Band`] of ratios over all cases, and the ranking [survives](Survival) if one combination is the best in
//! each. This module must never know the choice of the cases.
//!
//! A combination is as good as the fastest of a case if the two are [tied](crate::tie) and their times are close for sure. If they may be
//! far apart, the case leaves the combination unclear.

use units::Time;

use crate::combination::Way;
use crate::margin::Margin;
use crate::ranking::{Ranking, Row, ratio};
use crate::refusal::Refusal;
use crate::tie::{EQUAL, MARGIN, is_tied, is_unclear};

/// The free inputs of a comparison, and its cases.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Free {
    /// The inputs; none if nothing is free.
    pub inputs: Vec<FreeInput>,
    /// The cases: a value for each input, in the order of the inputs. The tables of the comparison show the first.
    pub cases: Vec<Vec<String>>,
}

/// An input of unknown value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FreeInput {
    /// The name of the input.
    pub name: String,
    /// The values that are tried: numbers from the least, others in the order of the request.
    pub values: Vec<String>,
    /// Whether the values are the ends of a range, with a value between them where the input has one without a request.
    pub is_range: bool,
}

impl Free {
    /// A case as names with values, such as `steps 10, order row`.
    pub fn case(&self, case: usize) -> String {
        let values = self.cases.get(case).map(Vec::as_slice).unwrap_or_default();
        let said = self.inputs.iter().zip(values).map(|(input, value)| format!("{} {value}", input.name));
        said.collect::<Vec<_>>().join(", ")
    }
}

/// The results of a combination in every case.
#[derive(Clone, PartialEq, Debug)]
pub struct Band {
    /// The time in each case; `None` where the combination did not run, or gave a wrong answer.
    pub times: Vec<Option<Time>>,
    /// The time divided by that of the fastest combination of the same case; `None` where there is no right answer, or a run of the case
    /// is missing.
    pub ratios: Vec<Option<f64>>,
}

impl Band {
    /// The band of a combination over the rankings of all cases.
    pub fn of(way: &Way, cases: &[&Ranking]) -> Self {
        let row = |ranking: &&Ranking| -> Option<(Time, Option<f64>)> {
            let right = ranking.places.iter().map(|place| &place.row).filter(|row| row.verified);
            let mut right = right.peekable();
            let first = *right.peek()?;
            let row = right.find(|row| row.ways().any(|of| of == *way))?;
            // The fastest may be among the missing ones.
            let ratio = ratio(first, row).filter(|_| ranking.missing.is_empty());
            Some((row.outcome.timed(), ratio))
        };
        let rows: Vec<_> = cases.iter().map(row).collect();
        Self {
            times: rows.iter().map(|row| row.map(|(time, _)| time)).collect(),
            ratios: rows.iter().map(|row| row.and_then(|(_, ratio)| ratio)).collect(),
        }
    }

    /// The least and the greatest ratio; `None` where no case has one.
    pub fn ends(&self) -> Option<(f64, f64)> {
        let ratios = || self.ratios.iter().flatten().copied();
        Some((ratios().reduce(f64::min)?, ratios().reduce(f64::max)?))
    }
}

/// The best choices of a case. A choice has a name of type `N`.
#[derive(Clone, PartialEq, Debug)]
pub struct Best<N> {
    /// The best choices, the fastest first: the times of all of them are close for sure.
    pub best: Vec<N>,
    /// Choices that may or may not be as good.
    pub unclear: Vec<N>,
    /// The time of the fastest of the slower choices divided by that of the fastest; its lower bound where it is not known precisely.
    /// `None` if nothing is slower.
    pub next: Option<f64>,
}

/// The reason why a case has no best choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lack {
    /// A run is missing, and may be the fastest.
    Missing,
    /// No run came to its end.
    Failed,
    /// Runs came to their end, and no answer is right.
    Wrong,
}

/// The best choices of a case, or the reason why there are none.
pub type Case<N> = Result<Best<N>, Lack>;

/// A time of a choice that is held against other times of one case.
#[derive(Clone, PartialEq, Debug)]
pub struct Contender<N> {
    /// The name of the choice.
    pub name: N,
    /// The time, or another number of which less is better.
    pub value: f64,
    /// The interval of the number, where runs differ.
    pub interval: Option<(f64, f64)>,
}

/// The fate of a ranking over all cases.
#[derive(Clone, PartialEq, Debug)]
pub enum Survival<N> {
    /// These choices are the best in every case.
    Survives {
        /// The choices, the fastest of the first case first.
        best: Vec<N>,
        /// The least ratio of a slower choice to the fastest, over all cases; `None` where a case has no slower choice.
        by: Option<f64>,
    },
    /// No choice is slower than another in any case.
    NoDifference,
    /// No choice is the best in every case.
    Changes,
    /// Runs differ too much to tell.
    Unclear,
    /// There is a single choice.
    Alone,
    /// A case has no best choice.
    Unknown,
}

impl Best<Way> {
    /// The best combinations of a ranking.
    ///
    /// # Errors
    /// The [`Lack`] of runs or of right answers.
    pub fn of(ranking: &Ranking) -> Case<Way> {
        let right = ranking.right_rows();
        let winner = match right.first() {
            _ if !ranking.missing.is_empty() => return Err(Lack::Missing),
            None if ranking.places.is_empty() => return Err(Lack::Failed),
            None => return Err(Lack::Wrong),
            Some(winner) => *winner,
        };
        let mut best = Self { best: Vec::new(), unclear: Vec::new(), next: None };
        for row in &right {
            match is_tied(winner, row) {
                true if is_same(winner, row) || !is_unclear(&[winner, row]) => best.best.extend(row.ways()),
                true => best.unclear.extend(row.ways()),
                false => best.next = best.next.or_else(|| Some(Margin::of(winner, row)?.known())),
            }
        }
        Ok(best)
    }
}

/// The combinations of a further case without a right answer, each with the reason. The combinations that were refused in the first case
/// too are left out.
pub fn failures(first: &Ranking, case: &Ranking) -> Vec<Refusal> {
    let wrong = case.places.iter().filter(|place| !place.row.verified).flat_map(|place| &place.ran);
    let wrong = wrong.map(|ran| Refusal {
        mechanism: ran.mechanism,
        policy: Some(ran.policy.clone()),
        reason: ran.failures().next().unwrap_or("nothing was checked").to_owned(),
    });
    let is_same =
        |one: &Refusal, other: &Refusal| (one.mechanism, &one.policy) == (other.mechanism, &other.policy);
    let refused = case.refused.iter().filter(|it| !first.refused.iter().any(|other| is_same(it, other)));
    wrong.chain(refused.cloned()).chain(case.failed.iter().cloned()).collect()
}

fn is_same(one: &Row, other: &Row) -> bool {
    std::ptr::eq(one, other)
}

impl<N: Clone + PartialEq> Best<N> {
    /// The best of the choices of a case by their numbers and intervals; `None` if there is none.
    pub fn among(contenders: &[Contender<N>]) -> Option<Self> {
        let winner = contenders.iter().min_by(|one, other| one.value.total_cmp(&other.value))?;
        let mut sorted: Vec<_> = contenders.iter().collect();
        sorted.sort_by(|one, other| one.value.total_cmp(&other.value));
        let mut best = Self { best: Vec::new(), unclear: Vec::new(), next: None };
        for contender in sorted {
            let ratio = contender.value / winner.value;
            match (winner.interval, contender.interval) {
                _ if contender.name == winner.name => best.best.push(contender.name.clone()),
                (Some((low, high)), Some((below, above))) if below <= high => {
                    let room = above.max(high) / low.min(below) - 1.0;
                    let names = if room > EQUAL { &mut best.unclear } else { &mut best.best };
                    names.push(contender.name.clone());
                }
                _ if ratio > 1.0 + MARGIN => best.next = best.next.or(Some(ratio)),
                _ => best.best.push(contender.name.clone()),
            }
        }
        Some(best)
    }

    /// The number of choices that are not slower.
    fn level(&self) -> usize {
        self.best.len() + self.unclear.len()
    }
}

impl<N: Clone + PartialEq> Survival<N> {
    /// The fate of a ranking over these cases.
    pub fn of(cases: &[Case<N>]) -> Self {
        let Ok(cases) = cases.iter().map(Result::as_ref).collect::<Result<Vec<_>, _>>() else {
            return Self::Unknown;
        };
        let Some((first, others)) = cases.split_first() else { return Self::Unknown };
        let is_level = |case: &&Best<N>| case.next.is_none();
        let common = |of: &dyn Fn(&Best<N>, &N) -> bool, names: &[N]| -> Vec<N> {
            names.iter().filter(|name| others.iter().all(|case| of(case, name))).cloned().collect()
        };
        let best = common(&|case, name| case.best.contains(name), &first.best);
        let possible = [first.best.as_slice(), &first.unclear].concat();
        let possible =
            common(&|case, name| case.best.contains(name) || case.unclear.contains(name), &possible);
        let is_unclear = cases.iter().any(|case| !case.unclear.is_empty());
        match (best, possible) {
            (_, possible) if possible.is_empty() => Self::Changes,
            _ if is_unclear => Self::Unclear,
            (best, _) if cases.iter().all(is_level) => match best.len() {
                1 if cases.iter().all(|case| case.level() == 1) => Self::Alone,
                _ => Self::NoDifference,
            },
            (best, _) => {
                let next: Option<Vec<_>> = cases.iter().map(|case| case.next).collect();
                let by = next.and_then(|next| next.into_iter().reduce(f64::min));
                Self::Survives { best, by }
            }
        }
    }

    /// Whether the ranking survives; `None` if that is not known, or there is nothing to rank.
    pub fn survives(&self) -> Option<bool> {
        match self {
            Self::Survives { .. } | Self::NoDifference => Some(true),
            Self::Changes => Some(false),
            Self::Unclear | Self::Alone | Self::Unknown => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use tempest::Mechanism::Messages;

    use super::*;
    use crate::samples::{ranking, rows};

    fn case(times: &[(&str, u64)]) -> Ranking {
        let mut times: Vec<_> = times.iter().map(|(policy, time)| (Messages, *policy, *time)).collect();
        times.sort_by_key(|(.., time)| *time);
        ranking("toy", &rows(&times))
    }

    fn way(policy: &str) -> Way {
        Way { mechanism: Messages, policy: policy.to_owned() }
    }

    fn survival(cases: &[Ranking]) -> Survival<Way> {
        Survival::of(&cases.iter().map(Best::of).collect::<Vec<_>>())
    }

    #[test]
    fn a_band_has_the_ratios_to_the_fastest_of_each_case() {
        let cases = [case(&[("proc", 100), ("np", 150)]), case(&[("proc", 300), ("np", 200)])];
        let cases: Vec<_> = cases.iter().collect();
        let band = |policy| Band::of(&way(policy), &cases);
        let is_from_1_to = |ends: Option<(f64, f64)>, greatest: f64| {
            ends.is_some_and(|ends| ends.0 == 1.0 && (ends.1 - greatest).abs() < 1e-9)
        };
        assert!(is_from_1_to(band("np").ends(), 1.5) && is_from_1_to(band("proc").ends(), 1.5));
        assert_eq!(band("np").ratios[1], Some(1.0));
        assert_eq!(band("np").times[1], Some(Time::from_microseconds(200)));
        assert_eq!(band("single").ends(), None);
    }

    #[test]
    fn a_wrong_answer_is_in_no_band_and_is_the_best_of_no_case() {
        let mut wrong = case(&[("proc", 100), ("np", 150)]);
        wrong.places[0].row.verified = false;
        let cases = [case(&[("proc", 100), ("np", 150)]), wrong];
        let band = Band::of(&way("proc"), &cases.iter().collect::<Vec<_>>());
        assert_eq!(band.ratios, [Some(1.0), None]);
        assert_eq!(survival(&cases), Survival::Changes);
        let mut none = cases[1].clone();
        none.places[1].row.verified = false;
        assert_eq!(survival(&[cases[0].clone(), none]), Survival::Unknown);
    }

    #[test]
    fn a_case_without_a_best_says_whether_runs_are_missing_failed_or_wrong() {
        let whole = case(&[("proc", 100), ("np", 150)]);
        let mut partial = case(&[("np", 150)]);
        partial.missing.push(way("proc"));
        assert_eq!(Best::of(&partial), Err(Lack::Missing));
        assert_eq!(survival(&[whole.clone(), partial.clone()]), Survival::Unknown);
        let band = Band::of(&way("np"), &[&whole, &partial]);
        assert_eq!(band.ratios.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false]);
        assert!(band.times[1].is_some(), "its time is known");
        assert_eq!(Best::of(&case(&[])), Err(Lack::Failed));
        let mut wrong = whole;
        wrong.places.iter_mut().for_each(|place| place.row.verified = false);
        assert_eq!(Best::of(&wrong), Err(Lack::Wrong));
    }

    #[test]
    fn a_run_that_is_refused_in_a_further_case_alone_is_a_failure_there() {
        let refusal = |policy: &str| Refusal {
            mechanism: Messages,
            policy: Some(policy.to_owned()),
            reason: "too few keys".to_owned(),
        };
        let mut first = case(&[("proc", 100)]);
        first.refused.push(refusal("np"));
        let mut further = case(&[]);
        further.refused = vec![refusal("np"), refusal("proc")];
        assert_eq!(failures(&first, &further), [refusal("proc")]);
    }

    #[test]
    fn a_ranking_survives_if_one_combination_is_the_best_in_every_case() {
        let cases = [
            case(&[("proc", 100), ("np", 150), ("single", 400)]),
            case(&[("proc", 100), ("np", 120), ("single", 110)]),
        ];
        let survives = Survival::Survives { best: vec![way("proc")], by: Some(1.1) };
        assert_eq!(survival(&cases), survives);
        assert_eq!(survives.survives(), Some(true));
    }

    #[test]
    fn a_ranking_survives_by_a_tie_and_changes_where_the_tie_ends() {
        let tied = case(&[("proc", 100), ("np", 102), ("single", 300)]);
        let cases = [tied.clone(), case(&[("proc", 120), ("np", 100), ("single", 300)])];
        assert_eq!(survival(&cases), Survival::Survives { best: vec![way("np")], by: Some(1.2) });
        let cases = [case(&[("proc", 100), ("np", 110)]), case(&[("proc", 120), ("np", 100)])];
        assert_eq!(survival(&cases), Survival::Changes);
    }

    #[test]
    fn equal_rows_make_no_ranking_and_a_single_row_none_either() {
        let equal = || case(&[("proc", 100), ("np", 101)]);
        assert_eq!(survival(&[equal(), equal()]), Survival::NoDifference);
        let one = || case(&[("proc", 100)]);
        assert_eq!(survival(&[one(), one()]), Survival::Alone);
        assert_eq!(Survival::<Way>::Alone.survives(), None);
    }

    #[test]
    fn runs_that_differ_too_much_leave_a_ranking_unclear_unless_another_case_decides() {
        let wide = |times: &[(&str, u64)]| {
            let mut case = case(times);
            case.places.iter_mut().for_each(|place| place.row = place.row.clone().within(0.3));
            case
        };
        let sure = case(&[("proc", 100), ("np", 150)]);
        assert_eq!(survival(&[sure.clone(), wide(&[("proc", 100), ("np", 110)])]), Survival::Unclear);
        let third = case(&[("single", 10), ("proc", 100), ("np", 110)]);
        assert_eq!(survival(&[wide(&[("proc", 100), ("np", 110)]), third]), Survival::Changes);
    }

    #[test]
    fn numbers_with_intervals_are_ranked_by_the_rule_of_rows() {
        let contender = |name, value, share: Option<f64>| Contender {
            name,
            value,
            interval: share.map(|share| (value * (1.0 - share), value * (1.0 + share))),
        };
        let best = |all: &[Contender<&'static str>]| Best::among(all).expect("a choice");
        let models =
            best(&[contender("b", 103.5, None), contender("a", 100.0, None), contender("c", 102.0, None)]);
        assert_eq!((models.best, models.unclear, models.next), (vec!["a", "c"], vec![], Some(1.035)));
        let near = best(&[contender("a", 100.0, Some(0.02)), contender("b", 103.5, Some(0.02))]);
        assert_eq!((near.best, near.next), (vec!["a", "b"], None));
        let wide = best(&[contender("a", 100.0, Some(0.2)), contender("b", 130.0, Some(0.2))]);
        assert_eq!((wide.best, wide.unclear), (vec!["a"], vec!["b"]));
        assert_eq!(Best::<&str>::among(&[]), None);
    }

    #[test]
    fn a_case_is_said_by_the_names_of_its_inputs() {
        let input = |name: &str| FreeInput { name: name.to_owned(), values: Vec::new(), is_range: true };
        let cases = vec![vec!["10".to_owned(), "row".to_owned()]];
        let free = Free { inputs: vec![input("steps"), input("order")], cases };
        assert_eq!((free.case(0).as_str(), free.case(1).as_str()), ("steps 10, order row", ""));
    }
}
