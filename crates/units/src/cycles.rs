//! Counts of clock cycles. Knows no clock: only a [`Frequency`](crate::Frequency) turns cycles into time.

use std::fmt::{self, Display, Formatter};
use std::iter::Sum;
use std::ops::{Add, Mul};
use std::str::FromStr;

use crate::scale::Scale;
use crate::{ParseError, Quantity};

const MILLICYCLES: Scale = Scale {
    expected: <Cycles as Quantity>::EXPECTED,
    step: "0.001 cycles",
    units: &[("cycles", 1_000), ("cycle", 1_000)],
};

/// A number of clock cycles, in thousandths: a processor that issues two instructions a cycle has costs of `0.5 cycles`.
///
/// Exact decimals rather than `f64`, so that a sum does not depend on its order. Up to 1.8 × 10¹⁶ cycles;
/// arithmetic saturates there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cycles(u64);

impl Cycles {
    /// A count of zero cycles.
    pub const ZERO: Self = Self(0);

    /// Makes a count of `n` whole cycles; saturates at 1.8 × 10¹⁶ cycles.
    pub const fn new(n: u64) -> Self {
        Self(n.saturating_mul(1_000))
    }

    /// Makes a count of `n` thousandths of a cycle.
    pub const fn from_thousandths(n: u64) -> Self {
        Self(n)
    }

    /// The count of cycles in thousandths of a cycle, exactly.
    pub const fn as_thousandths(self) -> u64 {
        self.0
    }

    /// The count of cycles, to the precision of `f64`.
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / 1e3
    }

    /// Whether a text speaks of cycles at all, however badly.
    pub(crate) fn claims(text: &str) -> bool {
        MILLICYCLES.claims(text)
    }
}

impl Add for Cycles {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Mul<u64> for Cycles {
    type Output = Self;

    fn mul(self, times: u64) -> Self {
        Self(self.0.saturating_mul(times))
    }
}

impl Sum for Cycles {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::ZERO, Add::add)
    }
}

impl Quantity for Cycles {
    const EXPECTED: &'static str = "a number of cycles such as \"16 cycles\"";
}

impl FromStr for Cycles {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        MILLICYCLES.parse(text).map(Self)
    }
}

impl Display for Cycles {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if *self == Self::new(1) && f.precision().is_none() {
            return f.write_str("1 cycle");
        }
        MILLICYCLES.print(self.0, f)
    }
}
