//! Mistakes in the free inputs of a comparison, and the bounds of these. This module must never know a comparison.

use std::fmt;

use tempest::entry::{Input, Kind, UnknownName};
use units::Values;
use units::values::number;

/// The most free inputs of a comparison.
pub const MOST_INPUTS: usize = 3;

/// The most cases of a comparison: each row runs once in each, natively as often as in a comparison without free inputs.
pub const MOST_CASES: usize = 16;

/// A mistake in the free inputs of a comparison.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum FreeMistake {
    /// The program has no such input.
    Unknown(UnknownName),
    /// An input is asked for twice.
    Twice,
    /// The program states no values for the input, and neither does the request.
    NoRange {
        /// The input.
        input: Input,
    },
    /// Two values of an input are the same number.
    Same([String; 2]),
    /// The input has a value beside its free ones.
    Given,
    /// The program heeds the input by none of the mechanisms of the comparison.
    Ignored {
        /// The mechanisms by which the program heeds the input.
        heeded: String,
    },
    /// There are more than [`MOST_INPUTS`] free inputs.
    ManyInputs(usize),
    /// There are more than [`MOST_CASES`] cases.
    ManyCases(usize),
}

impl fmt::Display for FreeMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(unknown) => unknown.fmt(f),
            Self::Twice => f.write_str("given twice; expected once"),
            Self::NoRange { input } => {
                let Input { key, kind, .. } = input;
                write!(f, "no range is known, the input is {kind}: ")?;
                match example(input) {
                    Some(example) => write!(f, "expected --free {key}={example}"),
                    None => f.write_str("expected an input of two values or more"),
                }
            }
            Self::Same([one, other]) => {
                write!(f, "{one} and {other} are the same number: expected each value once")
            }
            Self::Given => f.write_str("--input gives it a value: expected --free or --input, not both"),
            Self::Ignored { heeded } => {
                write!(f, "no mechanism of this comparison heeds the input: expected --mechanism {heeded}")
            }
            Self::ManyInputs(count) => write!(f, "{count} inputs are free: expected {MOST_INPUTS} at most"),
            Self::ManyCases(count) => write!(
                f,
                "each row would run in {count} cases: expected {MOST_CASES} at most; give fewer values or inputs"
            ),
        }
    }
}

/// Values of an input, as a person types them: near its default, or else all that it may have. `None` if that is a single value.
fn example(input: &Input) -> Option<String> {
    let (least, greatest) = match input.kind {
        Kind::Integer(least, greatest) => (least.into(), greatest.into()),
        Kind::Real(least, greatest) => (least, greatest),
        Kind::Text | Kind::File => return Some(format!("{},OTHER", input.default)),
    };
    let is_integer = matches!(input.kind, Kind::Integer(..));
    let usual = number(input.default).unwrap_or(least);
    let near = [[usual / 2.0, usual * 2.0], [0.0, 1.0], [least, greatest]];
    let within = |end: f64| if is_integer { end.floor() } else { end }.clamp(least, greatest);
    let ranges = near.iter().map(|[low, high]| format!("{}..{}", within(*low), within(*high)));
    ranges.into_iter().find(|range| range.parse::<Values>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_without_a_range_is_refused_with_one_to_type() {
        let said = |input: Input| FreeMistake::NoRange { input }.to_string();
        assert_eq!(
            said(Input::integer("fish", 1..=100, "64", "fish")),
            "no range is known, the input is an integer from 1 to 100: expected --free fish=32..100"
        );
        assert!(said(Input::real("skew", 0.0..=1.0, "0.5", "skew")).ends_with("--free skew=0.25..1"));
        assert!(said(Input::text("order", "row", "order")).ends_with("--free order=row,OTHER"));
        assert!(said(Input::integer("draw", 0..=9, "0", "")).ends_with("--free draw=0..1"));
        assert!(said(Input::real("skew", 0.0..=1.0, "0", "")).ends_with("--free skew=0..1"));
        assert!(said(Input::real("shift", -9.0..=9.0, "-4", "")).ends_with("--free shift=0..1"));
        assert!(said(Input::real("loss", -9.0..=-1.0, "-4", "")).ends_with("--free loss=-9..-1"));
        assert!(said(Input::real("long", 2.0..=f64::INFINITY, "3", "")).ends_with("--free long=2..6"));
        assert!(
            said(Input::integer("one", 1..=1, "1", "")).ends_with("expected an input of two values or more")
        );
    }
}
