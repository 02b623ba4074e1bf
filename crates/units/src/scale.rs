//! Scales: the units of a quantity, each a multiple of the smallest step. This module reads and prints a number of steps. It knows
//! no particular quantity.

use std::fmt::{self, Formatter};

use crate::decimal::{Decimal, Inexact};
use crate::error::{ParseError, Problem};

/// Spelling of a quantity.
pub(crate) struct Scale {
    /// The expected quantity, with an example.
    pub(crate) expected: &'static str,
    /// The smallest step, for the message that refuses a finer one.
    pub(crate) step: &'static str,
    /// Each unit as spelled, with the number of steps in it; largest first. [`print`](Scale::print) needs powers
    /// of ten.
    pub(crate) units: &'static [(&'static str, u64)],
}

impl Scale {
    /// The number of steps in a text such as `"2.5 us"`. Blanks between number and unit are optional.
    pub(crate) fn parse(&self, text: &str) -> Result<u64, ParseError> {
        let refuse = |problem| ParseError::new(self.expected, problem);
        let (number, unit) = split(text);
        let number = Decimal::parse(number).ok_or_else(|| refuse(Problem::Form))?;
        let scale = self.steps_in(unit).ok_or_else(|| refuse(self.wrong_unit(unit)))?;
        number.and_then(|number| number.times(scale)).map_err(|inexact| {
            refuse(match inexact {
                Inexact::TooLarge => Problem::TooLarge,
                Inexact::TooFine => Problem::TooFine { step: self.step },
            })
        })
    }

    /// The number of steps in a text such as `"2.5 us"`, for a quantity that cannot be zero.
    pub(crate) fn parse_above_zero(&self, text: &str) -> Result<u64, ParseError> {
        match self.parse(text)? {
            0 => Err(ParseError::new(self.expected, Problem::Zero)),
            steps => Ok(steps),
        }
    }

    /// Whether `text` ends in a unit of this scale, spelled right or nearly.
    pub(crate) fn claims(&self, text: &str) -> bool {
        let (_, unit) = split(text);
        self.steps_in(unit).is_some() || self.meant_by(unit).is_some()
    }

    /// Prints `steps` exactly, in the largest unit it fills; `{:.2}` rounds to two decimals instead.
    pub(crate) fn print(&self, steps: impl Into<u128>, f: &mut Formatter<'_>) -> fmt::Result {
        let steps = steps.into();
        let smallest = self.units.iter().map(|&(_, scale)| scale).min().expect("a scale has units");
        let fits = |&&(_, scale): &&(&str, u64)| steps >= scale.into() || scale == smallest;
        let &(name, scale) = self.units.iter().find(fits).expect("the smallest unit always fits");
        match f.precision() {
            Some(decimals) => write_rounded(f, steps, scale, decimals)?,
            None => write_exact(f, steps, scale)?,
        }
        write!(f, " {name}")
    }

    fn steps_in(&self, unit: &str) -> Option<u64> {
        self.units.iter().find(|(name, _)| *name == unit).map(|&(_, steps)| steps)
    }

    fn meant_by(&self, unit: &str) -> Option<&'static str> {
        let plain = unit.replace(['µ', 'μ'], "u");
        self.units.iter().map(|&(name, _)| name).find(|name| name.eq_ignore_ascii_case(&plain))
    }

    fn wrong_unit(&self, unit: &str) -> Problem {
        if unit.is_empty() {
            return Problem::NoUnit;
        }
        let known = self.units.iter().map(|&(name, _)| name).collect::<Vec<_>>().join(", ");
        Problem::Unit { found: unit.to_owned(), meant: self.meant_by(unit), known }
    }
}

/// The number and the unit of a text, both without blanks around them.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}

fn write_exact(f: &mut Formatter<'_>, steps: u128, scale: u64) -> fmt::Result {
    let (whole, rest) = (steps / u128::from(scale), steps % u128::from(scale));
    if rest == 0 {
        return write!(f, "{whole}");
    }
    let decimals = scale.ilog10() as usize;
    let fraction = format!("{rest:0decimals$}");
    write!(f, "{whole}.{}", fraction.trim_end_matches('0'))
}

/// Half a last digit rounds up.
fn write_rounded(f: &mut Formatter<'_>, steps: u128, scale: u64, decimals: usize) -> fmt::Result {
    // Sixteen decimals are more than any scale has; the rest are zeros that u128 need not carry.
    let kept = decimals.min(16);
    let power = 10u128.pow(kept as u32);
    let rounded = (steps * power * 2 + u128::from(scale)) / (u128::from(scale) * 2);
    write!(f, "{}", rounded / power)?;
    if decimals > 0 {
        write!(f, ".{:0kept$}{:0<padding$}", rounded % power, "", padding = decimals - kept)?;
    }
    Ok(())
}
