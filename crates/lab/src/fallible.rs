//! Checks that no run can fail: a part of them holds, or fails, for all values that its metrics can have. Such a check says
//! nothing of a model. This module must never know a measured value.
//!
//! A time of a run is above 0, a count from 0, a share from 0 to 1. A metric that is a claim with a number is taken to lie
//! within a factor of [`FAR`] of it: a check that a metric at that distance still meets cannot tell a good model from a bad model.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::assembly::Laboratory;
use crate::expression::outcome::{Outcome, outcomes};
use crate::expression::range::{Lookup, NumberRange};
use crate::lineage::{Lineage, Yield};
use crate::mistake::{Mistake, Mistakes};
use crate::specification::FIGURES;
use crate::study::Origin;
use crate::{Expression, Role};

/// Factor by which a metric may miss the number of its claim in a search for values that a check fails.
const FAR: f64 = 4.0;

/// The ends of ways through an answer whose numbers are above 0, and the beginnings of those whose numbers are shares.
const POSITIVE: [&str; 2] = ["time_ns", "speedup"];
const SHARES: [&str; 2] = ["utilization.", "dispatching.busy"];

/// A mistake for each comparison of a check that no run can fail, or none can meet.
pub(crate) fn mistakes(laboratory: &Laboratory) -> Mistakes {
    let (ranges, unstated) = (Ranges::new(laboratory), Ranges::unstated(laboratory));
    let mut mistakes = Mistakes::new();
    for (study, check) in laboratory.checks() {
        for expression in &check.holds {
            for expected in expectations(expression, &ranges, &unstated) {
                let value = Some(format!("{:?}", expression.to_string()));
                let (file, place, key) = (study.file.clone(), check.place, "check.holds".to_owned());
                mistakes.push(Mistake { file, place, key, value, expected });
            }
        }
    }
    mistakes
}

/// Expectations in place of comparisons with one outcome.
fn expectations(expression: &Expression, ranges: &Ranges<'_>, unstated: &Ranges<'_>) -> Vec<String> {
    let found = outcomes(expression, ranges);
    let is_fixed = found.iter().any(|outcome| *outcome != Outcome::Open);
    let alone = if is_fixed { outcomes(expression, unstated) } else { Vec::new() };
    let one = |(at, (outcome, alone)): (usize, (&Outcome, &Outcome))| {
        let which = match found.len() {
            1 => "its comparison".to_owned(),
            of => format!("comparison {} of {of}", at + 1),
        };
        match (outcome, alone) {
            (Outcome::Open, _) => None,
            (_, Outcome::Open) => Some(far(&which, outcome)),
            _ => Some(impossible(&which, outcome)),
        }
    };
    found.iter().zip(&alone).enumerate().filter_map(one).collect()
}

/// Expectation of a check in place of a comparison with one outcome for all numbers that a run can have.
fn impossible(which: &str, outcome: &Outcome) -> String {
    let comes = if *outcome == Outcome::Always { "holds" } else { "fails" };
    format!(
        "comparisons that a run can fail and a run can meet: {which} {comes} for every time above 0, count from 0 and share up to 1"
    )
}

/// Expectation of a check in place of a comparison with one outcome for all numbers near the stated ones.
fn far(which: &str, outcome: &Outcome) -> String {
    let (comes, other) = if *outcome == Outcome::Always { ("holds", "fails") } else { ("fails", "holds") };
    format!(
        "a comparison that {other} for a number {FAR} times as large or as small as the stated one, such as a bound of half or \
         twice the stated number: {which} {comes} for all numbers within a factor of {FAR} of what claims state"
    )
}

/// The ranges of metrics.
struct Ranges<'a> {
    lineage: Lineage<'a>,
    /// Numbers that claims state of results.
    stated: HashMap<&'a str, f64>,
    known: RefCell<HashMap<String, NumberRange>>,
}

impl<'a> Ranges<'a> {
    fn new(laboratory: &'a Laboratory) -> Self {
        let results = laboratory.claims().iter().filter(|claim| claim.role == Role::Result);
        let stated = results.filter_map(|claim| Some((claim.id.as_str(), claim.number()?)));
        Self { stated: stated.collect(), ..Self::unstated(laboratory) }
    }

    /// The ranges of numbers that runs can have, without the numbers that claims state.
    fn unstated(laboratory: &'a Laboratory) -> Self {
        Self { lineage: Lineage::new(laboratory), stated: HashMap::new(), known: RefCell::default() }
    }
}

impl Lookup for Ranges<'_> {
    fn range(&self, name: &str) -> NumberRange {
        if let Some(known) = self.known.borrow().get(name) {
            return *known;
        }
        // A metric that follows from itself is a mistake of its own: it is every number.
        self.known.borrow_mut().insert(name.to_owned(), NumberRange::ALL);
        let range = match self.lineage.derived(name) {
            Some(derived) => derived.value.range(self),
            None => self.lineage.yielded(name).map_or(NumberRange::ALL, |it| yielded(it, name)),
        };
        let stated = self.stated.get(name).filter(|stated| **stated > 0.0);
        let range = stated.map_or(range, |stated| {
            range.within(NumberRange { low: stated / FAR, high: stated * FAR, is_above: false })
        });
        self.known.borrow_mut().insert(name.to_owned(), range);
        range
    }

    fn derived(&self, name: &str) -> Option<&Expression> {
        self.lineage.derived(name).map(|derived| &derived.value)
    }
}

/// The range of a number of a run, by its way through the answer; every number for a model, a survey, and a figure, whose
/// meaning only the program knows.
fn yielded(Yield { source, mapping }: Yield<'_>, name: &str) -> NumberRange {
    let captured = mapping.metric.as_ref().and_then(|metric| metric.capture(name));
    let Some(way) = captured.map(|captured| mapping.figure.fill(captured)) else { return NumberRange::ALL };
    let range = match source.origin {
        Origin::Model { .. } | Origin::Survey { .. } => NumberRange::ALL,
        Origin::Run(_) if way.starts_with(FIGURES) => NumberRange::ALL,
        Origin::Run(_) if POSITIVE.iter().any(|end| way.ends_with(end)) => NumberRange::POSITIVE,
        Origin::Run(_) if SHARES.iter().any(|part| way.contains(part)) => NumberRange::SHARE,
        Origin::Run(_) => NumberRange::COUNT,
    };
    range.times(mapping.factor)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::{Laboratory, claim, study};

    const CLAIMS: &str = "[[claim]]\nid = \"a.speedup\"\nwhere = \"t\"\nrole = \"result\"\nkind = \"value\"\n\
        statement = \"s\"\nvalue = 5.0\nconfidence = \"exact\"\n";

    const STUDY: &str = r#"
summary = "s"
[[run]]
program = "toy"
machine = "toy"
metrics = [
    { answer = "time_ns", metric = "time", factor = 1e-9 },
    { answer = "counters.polls", metric = "polls" },
    { answer = "utilization.0.mean", metric = "busy" },
    { answer = "dispatching.busy", metric = "queue" },
    { answer = "baseline.speedup", metric = "a.speedup" },
    { figure = "balance", metric = "balance" },
]

[[derived]]
metric = "polls-a-second"
value = "polls / time"
because = "a rate"

[[check]]
claim = "a.check"
"#;

    fn said(holds: &str) -> Vec<String> {
        let text = format!("{STUDY}holds = \"{holds}\"\nbecause = \"b\"\n");
        let (claims, study) =
            (claim::read("c.toml", CLAIMS).unwrap(), study::read("toy.toml", &text).unwrap());
        let laboratory = Laboratory::new(claims, vec![study], BTreeMap::new(), Vec::new());
        laboratory.map_or_else(|mistakes| mistakes.iter().map(ToString::to_string).collect(), |_| Vec::new())
    }

    #[test]
    fn a_check_that_cannot_fail_is_refused_with_its_line() {
        let [said] = said("time > 0").try_into().unwrap();
        assert_eq!(
            said,
            "toy.toml:20:1: check.holds = \"time > 0\": expected comparisons that a run can fail and a run can meet: its \
             comparison holds for every time above 0, count from 0 and share up to 1"
        );
    }

    #[test]
    fn a_check_that_only_a_far_number_fails_is_refused_for_this_reason() {
        let [said] = said("busy > 0.5 and a.speedup > 1").try_into().unwrap();
        assert!(
            said.ends_with(
                "expected a comparison that fails for a number 4 times as large or as small as the stated one, such as a bound \
                 of half or twice the stated number: comparison 2 of 2 holds for all numbers within a factor of 4 of what \
                 claims state"
            ),
            "{said}"
        );
    }

    #[test]
    fn checks_are_refused_if_one_part_of_them_cannot_fail() {
        for holds in [
            "polls >= 0",
            "polls-a-second >= 0 and busy < 0.5",
            "busy <= 1",
            "queue <= 1",
            "time < 2 * time",
            "polls-a-second * time == polls",
            "0 < time < 2",
            // The paper has 5.
            "a.speedup < 32 and busy > 0.5",
            "a.speedup > 1",
            // What cannot hold either says nothing.
            "busy > 1",
            "1 < 2",
        ] {
            assert_eq!(said(holds).len(), 1, "{holds}");
        }
    }

    #[test]
    fn every_comparison_that_no_run_can_fail_is_told() {
        let told = said("time > 0 and polls > 1 and a.speedup > 1 > busy");
        let of = |at: usize| format!("comparison {at} of 4 holds for");
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[0].contains(&of(1)) && told[1].contains(&of(3)), "{told:?}");
    }

    #[test]
    fn checks_that_a_run_can_fail_are_taken() {
        for holds in
            ["polls > 0", "time < 2", "0.5 < busy", "a.speedup < 12", "balance > 0", "polls-a-second > 1"]
        {
            assert_eq!(said(holds), [""; 0], "{holds}");
        }
    }
}
