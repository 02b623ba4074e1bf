//! A claim held against its metric. This module must never know how the metric came about.

use crate::basis::Basis;
use crate::claim::{Claim, Role, Stated};
use crate::expression::Value;
use crate::tolerance::{self, Tolerance};

/// Result of a claim.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verdict {
    /// The metric meets the claim within the tolerance for it.
    Holds,
    /// The metric does not.
    Differs,
    /// The values of an input that the claim's source leaves open decide whether the metric does, or whether it lies below or
    /// above the stated number.
    Undecidable,
    /// There is no metric.
    NotMeasured,
    /// There is a metric, and the stated value is kept apart.
    HeldOut,
    /// There is a metric, and no known value to compare it with.
    Unknown,
    /// The claim is illegible, and nothing could measure it: it leaves the count.
    Unreadable,
    /// The claim is an input of the study: it is configured, and nothing measured it.
    Input,
}

impl Verdict {
    /// Name for people and for scripts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Differs => "differs",
            Self::Undecidable => "undecidable",
            Self::NotMeasured => "not measured",
            Self::HeldOut => "held out",
            Self::Unknown => "unknown",
            Self::Unreadable => "unreadable",
            Self::Input => "input",
        }
    }
}

/// Result of a claim at a further value of an input that its source leaves open.
#[derive(Clone, Debug, PartialEq)]
pub struct Elsewhere<'a> {
    /// The open input, in words.
    pub open: &'a str,
    /// The value of the input.
    pub at: &'a str,
    /// The measured number; else whether an order or shape was found.
    pub measured: Option<Value>,
    /// The verdict there.
    pub verdict: Verdict,
}

/// A claim and its result.
#[derive(Clone, Debug)]
pub struct Finding<'a> {
    /// The claim.
    pub claim: &'a Claim,
    /// The number that was measured; else whether an order or shape was found.
    pub measured: Option<Value>,
    /// Greatest distance of the metric from the stated number, in the unit of the claim; `None` if the claim states no
    /// number, or no rule is for it.
    pub tolerance: Option<f64>,
    /// Measured minus stated value, as a share of the stated one; in the unit of the claim if 0 is stated.
    pub error: Option<f64>,
    /// The verdict.
    pub verdict: Verdict,
    /// Whether it may set a parameter of a model, or did: that it holds is then no surprise.
    pub fixes: bool,
    /// Worth of the model if the claim holds; `None` for an input and a bound.
    pub basis: Option<Basis>,
    /// The input files without which it cannot be measured, and which are not there.
    pub needs: Vec<String>,
    /// Results at further values of inputs that the claim's source leaves open.
    pub band: Vec<Elsewhere<'a>>,
}

impl<'a> Finding<'a> {
    /// The finding with the results at further values of open inputs. A claim is undecidable if it holds at some values and
    /// differs at others, or if the values of one input move the number from below the stated one to above it.
    pub(crate) fn across(self, band: Vec<Elsewhere<'a>>) -> Self {
        let verdicts = || [self.verdict].into_iter().chain(band.iter().map(|it| it.verdict));
        let has = |verdict: Verdict| verdicts().any(|it| it == verdict);
        let is_split = has(Verdict::Holds) || band.iter().any(|it| self.is_passed(it.open, &band));
        let is_undecidable = has(Verdict::Differs) && is_split;
        let verdict = if is_undecidable { Verdict::Undecidable } else { self.verdict };
        Self { verdict, band, ..self }
    }

    /// The finding, still undecidable if a record has it so and the band lacks parts.
    pub(crate) fn recorded(self, is_undecidable: bool) -> Self {
        let lacks = self.band.iter().any(|it| it.verdict == Verdict::NotMeasured);
        let verdict = if is_undecidable && lacks { Verdict::Undecidable } else { self.verdict };
        Self { verdict, ..self }
    }

    /// Whether the stated number lies between the numbers that were measured at the values of an open input.
    fn is_passed(&self, open: &str, band: &[Elsewhere<'_>]) -> bool {
        let there = band.iter().filter(|it| it.open == open).map(|it| it.measured);
        let numbers: Vec<_> = [self.measured].into_iter().chain(there).filter_map(number).collect();
        self.claim.number().is_some_and(|stated| {
            numbers.iter().any(|it| *it <= stated) && numbers.iter().any(|it| *it >= stated)
        })
    }
}

/// Compares a claim with its check and its metric. A check decides even if there is a number too: the number is then
/// shown, and the check decides. An input that was measured all the same, such as a part of a sum, is compared with its
/// configured value.
pub(crate) fn hold<'a>(
    claim: &'a Claim,
    (check, number): (Option<bool>, Option<f64>),
    tolerances: &[Tolerance],
) -> Finding<'a> {
    let measured = number.map(Value::Number).or(check.map(Value::Flag));
    if claim.role == Role::Input && measured.is_none() {
        return Finding {
            claim,
            measured,
            tolerance: None,
            error: None,
            verdict: Verdict::Input,
            fixes: claim.fit,
            basis: None,
            needs: Vec::new(),
            band: Vec::new(),
        };
    }
    let error = number.zip(claim.number()).map(|(measured, stated)| match stated {
        0.0 => measured,
        _ => (measured - stated) / stated.abs(),
    });
    let verdict = match (check, number, &claim.value) {
        (Some(holds), ..) => of(holds),
        (None, None, _) => Verdict::NotMeasured,
        (None, Some(measured), Some(Stated::Number(..))) => {
            // Without a rule nothing but the very number will do.
            of(tolerance::allows(tolerances, claim, measured).unwrap_or(error == Some(0.0)))
        }
        (None, Some(_), _) if claim.held_out => Verdict::HeldOut,
        (None, Some(_), _) => Verdict::Unknown,
    };
    let tolerance = tolerance::most(tolerances, claim);
    let (needs, band) = (Vec::new(), Vec::new());
    Finding { claim, measured, tolerance, error, verdict, fixes: claim.fit, basis: None, needs, band }
}

/// The number that was measured, if it is one.
fn number(measured: Option<Value>) -> Option<f64> {
    match measured? {
        Value::Number(number) => Some(number),
        Value::Flag(_) => None,
    }
}

fn of(holds: bool) -> Verdict {
    if holds { Verdict::Holds } else { Verdict::Differs }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(role: &str, value: &str) -> Claim {
        let text = format!(
            "[[claim]]\nid = \"a.b\"\nwhere = \"t\"\nrole = \"{role}\"\nkind = \"value\"\nstatement = \"s\"\n{value}\n\
             confidence = \"exact\"\n"
        );
        crate::claim::read("c.toml", &text).unwrap().remove(0)
    }

    #[test]
    fn every_verdict_has_its_reason() {
        let rules = "[[tolerance]]\nrelative = 0.1\nbecause = \"a test\"\n";
        let rules = tolerance::read("t.toml", rules).unwrap();
        let verdict = |claim: &Claim, check, number| hold(claim, (check, number), &rules).verdict;
        let stated = claim("result", "value = 10.0");
        assert_eq!(verdict(&stated, None, Some(11.0)), Verdict::Holds);
        assert_eq!(verdict(&stated, None, Some(8.9)), Verdict::Differs);
        assert_eq!(verdict(&stated, None, None), Verdict::NotMeasured);
        assert_eq!(verdict(&stated, Some(true), Some(99.0)), Verdict::Holds);
        let unknown = claim("result", "held_out = true");
        assert_eq!(verdict(&unknown, None, Some(1.0)), Verdict::HeldOut);
        assert_eq!(verdict(&unknown, None, None), Verdict::NotMeasured);
        assert_eq!(verdict(&claim("result", ""), None, Some(1.0)), Verdict::Unknown);
        assert_eq!(verdict(&unknown, Some(false), None), Verdict::Differs);
        let input = claim("input", "value = 1");
        assert_eq!(verdict(&input, None, None), Verdict::Input);
        assert_eq!(verdict(&input, None, Some(1.0)), Verdict::Holds);
        assert_eq!(verdict(&input, None, Some(2.0)), Verdict::Differs);
        let finding = hold(&stated, (None, Some(11.0)), &rules);
        assert!((finding.error.unwrap() - 0.1).abs() < 1e-12);
    }

    #[test]
    fn a_claim_whose_answer_changes_inside_its_band_is_undecidable() {
        let rules = "[[tolerance]]\nrelative = 0.1\nbecause = \"a test\"\n";
        let rules = tolerance::read("t.toml", rules).unwrap();
        let stated = claim("result", "value = 10.0");
        let across = |numbers: &[Option<f64>]| {
            let hold = |number: &Option<f64>| hold(&stated, (None, *number), &rules);
            let band = numbers[1..].iter().map(|number| {
                let Finding { measured, verdict, .. } = hold(number);
                Elsewhere { open: "steps", at: "10", measured, verdict }
            });
            hold(&numbers[0]).across(band.collect()).verdict
        };
        assert_eq!(across(&[Some(10.0), Some(10.5)]), Verdict::Holds);
        assert_eq!(across(&[Some(20.0), Some(30.0)]), Verdict::Differs);
        assert_eq!(across(&[Some(10.0), Some(30.0)]), Verdict::Undecidable);
        assert_eq!(across(&[Some(30.0), Some(10.0)]), Verdict::Undecidable);
        // The stated number lies between the two, neither of which is near it.
        assert_eq!(across(&[Some(5.0), Some(30.0)]), Verdict::Undecidable);
        assert_eq!(across(&[Some(30.0), None, Some(5.0)]), Verdict::Undecidable);
        assert_eq!(across(&[Some(5.0), Some(8.0)]), Verdict::Differs);
        // A value of the input that was not run decides nothing.
        assert_eq!(across(&[Some(10.0), None]), Verdict::Holds);
        assert_eq!(across(&[None, None]), Verdict::NotMeasured);
        assert_eq!(across(&[Some(5.0), None]), Verdict::Differs);
    }
}
