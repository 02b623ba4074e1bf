//! A duration as people state it: in cycles of a clock, or absolutely.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use crate::{Cycles, Frequency, ParseError, Quantity, Time};

/// A duration that still needs to be told the clock: `"16 cycles"` or `"1.7 us"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Span {
    /// Cycles of the node's clock.
    Cycles(Cycles),
    /// A time that does not depend on the clock.
    Time(Time),
}

impl Span {
    /// The time it takes under `clock`.
    pub fn resolve(self, clock: Frequency) -> Time {
        match self {
            Self::Cycles(cycles) => clock.time_of(cycles),
            Self::Time(time) => time,
        }
    }
}

impl Quantity for Span {
    const EXPECTED: &'static str = "a time such as \"1.7 us\" or \"16 cycles\"";
}

impl FromStr for Span {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let span =
            if Cycles::claims(text) { text.parse().map(Self::Cycles) } else { text.parse().map(Self::Time) };
        span.map_err(|error| error.expecting(Self::EXPECTED))
    }
}

impl Display for Span {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cycles(cycles) => cycles.fmt(f),
            Self::Time(time) => time.fmt(f),
        }
    }
}
