//! Errors of a text that is not a quantity, with the expected form. Knows no particular quantity.

use std::error::Error;
use std::fmt::{self, Display, Formatter};

/// Error: a text is not the expected quantity. It has the expected form, and the problem of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    expected: &'static str,
    problem: Problem,
}

/// Problem of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// The text is not a plain decimal number followed by a unit.
    Form,
    /// The number has no unit.
    NoUnit,
    /// A unit that does not exist here; with the one probably meant.
    Unit { found: String, meant: Option<&'static str>, known: String },
    /// More than the quantity's integer can hold.
    TooLarge,
    /// A fraction of the smallest step that can be told apart.
    TooFine { step: &'static str },
    /// Zero where zero makes no sense.
    Zero,
}

impl ParseError {
    pub(crate) fn new(expected: &'static str, problem: Problem) -> Self {
        Self { expected, problem }
    }

    /// Turns this error into that of a place that would also have accepted other quantities.
    pub(crate) fn expecting(self, expected: &'static str) -> Self {
        Self { expected, ..self }
    }

    /// The accepted form, with an example and, where it helps, a hint:
    /// `a frequency such as "400 MHz"; did you mean "MHz"?`
    pub fn expected(&self) -> String {
        format!("{}{}", self.expected, self.problem)
    }
}

impl Display for ParseError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}{}", self.expected, self.problem)
    }
}

impl Error for ParseError {}

impl Display for Problem {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form => Ok(()),
            Self::NoUnit => f.write_str("; the unit is missing"),
            Self::Unit { meant: Some(meant), .. } => write!(f, "; did you mean \"{meant}\"?"),
            Self::Unit { found, meant: None, known } => write!(f, "; \"{found}\" is none of {known}"),
            Self::TooLarge => f.write_str("; this one is too large"),
            Self::TooFine { step } => write!(f, "; the smallest step is {step}"),
            Self::Zero => f.write_str(" above zero"),
        }
    }
}
