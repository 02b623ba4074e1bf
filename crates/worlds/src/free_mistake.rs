//! Mistakes in the free inputs of a comparison, and the bounds of these. This module must never know a comparison.

use std::fmt;

use tempest::entry::{Input, Kind, UnknownName};

/// The most free inputs of a comparison.
pub const MOST_INPUTS: usize = 3;

/// The most cases of a comparison: each row runs once in each, natively as often as in a comparison without free inputs.
pub const MOST_CASES: usize = 16;

/// Text between the ends of a range.
pub(crate) const TO: &str = "..";

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
    /// The ends of a range are no numbers of which the second is the greater.
    Ends {
        /// The range.
        range: String,
    },
    /// An input that is no number has a range.
    NoNumber,
    /// The input has a value outside of its free values.
    Outside {
        /// The value.
        value: String,
        /// The free values.
        free: String,
    },
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
                let example = example(input);
                write!(f, "no range is known, the input is {kind}: expected --free {key}={example}")
            }
            Self::Ends { range } => write!(f, "`{range}` is no range: expected two numbers, the lower first"),
            Self::NoNumber => f.write_str("the input is no number: expected its values, as A,B"),
            Self::Outside { value, free } => {
                write!(
                    f,
                    "--input gives it the value {value}: expected a value of {free}, or no --input for it"
                )
            }
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

/// Values of an input, as a person types them.
fn example(input: &Input) -> String {
    let ends = |value: f64, least: f64, greatest: f64| {
        ((value / 2.0).clamp(least, greatest), (value * 2.0).clamp(least, greatest))
    };
    let number = input.default.parse::<f64>().ok();
    match (input.kind, number) {
        (Kind::Integer(least, greatest), Some(value)) => {
            let (low, high) = ends(value.max(1.0), least.into(), greatest.into());
            format!("{}{TO}{}", low.floor(), high)
        }
        (Kind::Real(least, greatest), Some(value)) => {
            let (low, high) = ends(value, least, greatest);
            format!("{low}{TO}{high}")
        }
        (Kind::Integer(least, greatest), None) => format!("{least}{TO}{greatest}"),
        (Kind::Real(least, greatest), None) => format!("{least}{TO}{greatest}"),
        (Kind::Text | Kind::File, _) => format!("{},OTHER", input.default),
    }
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
    }
}
