//! Rates at which bytes move: absolute, or relative to a clock.

use std::fmt::{self, Display, Formatter};
use std::num::NonZeroU64;
use std::str::FromStr;

use crate::scale::Scale;
use crate::time::FEMTOSECONDS_PER_SECOND;
use crate::{Bytes, Frequency, ParseError, Quantity, Time};

const BYTES_PER_SECOND: Scale = Scale {
    expected: <Bandwidth as Quantity>::EXPECTED,
    step: "1 B/s",
    units: &[("GB/s", 1_000_000_000), ("MB/s", 1_000_000), ("kB/s", 1_000), ("B/s", 1)],
};

const MILLIBYTES_PER_CYCLE: Scale = Scale {
    expected: <BytesPerCycle as Quantity>::EXPECTED,
    step: "0.001 B/cycle",
    units: &[("B/cycle", 1_000)],
};

/// A transfer rate in whole bytes per second, never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bandwidth(NonZeroU64);

impl Bandwidth {
    /// Makes a rate in bytes per second; `None` for zero.
    pub const fn new(bytes_per_second: u64) -> Option<Self> {
        match NonZeroU64::new(bytes_per_second) {
            Some(rate) => Some(Self(rate)),
            None => None,
        }
    }

    /// The rate in bytes per second, exactly.
    pub const fn as_bytes_per_second(self) -> u64 {
        self.0.get()
    }

    /// The time in which `size` bytes pass, rounded up to a femtosecond: no transfer is faster than stated. Saturates at
    /// [`Time::MAX`].
    #[inline]
    pub fn transfer_time(self, size: Bytes) -> Time {
        // A message of up to 18 kB needs no 128-bit division, which is slow.
        if let Some(scaled) = size.get().checked_mul(FEMTOSECONDS_PER_SECOND as u64) {
            return Time::from_femtoseconds(scaled.div_ceil(self.as_bytes_per_second()));
        }
        let femtoseconds = (u128::from(size.get()) * FEMTOSECONDS_PER_SECOND)
            .div_ceil(u128::from(self.as_bytes_per_second()));
        Time::saturating(femtoseconds)
    }
}

impl Quantity for Bandwidth {
    const EXPECTED: &'static str = "a bandwidth such as \"175 MB/s\"";
}

impl FromStr for Bandwidth {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let rate = BYTES_PER_SECOND.parse_above_zero(text)?;
        Ok(Self::new(rate).expect("the scale refuses zero"))
    }
}

impl Display for Bandwidth {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        BYTES_PER_SECOND.print(self.as_bytes_per_second(), f)
    }
}

/// A transfer rate in thousandths of a byte per clock cycle, never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BytesPerCycle(NonZeroU64);

impl BytesPerCycle {
    /// The rate in bytes per second if the clock runs at `clock`, rounded up to a whole byte; saturates.
    pub fn at(self, clock: Frequency) -> Bandwidth {
        let rate = (u128::from(self.0.get()) * u128::from(clock.as_hertz())).div_ceil(1_000);
        let rate = u64::try_from(rate).unwrap_or(u64::MAX);
        Bandwidth::new(rate).expect("rounded up from a product of non-zero numbers")
    }
}

impl Quantity for BytesPerCycle {
    const EXPECTED: &'static str = "a bandwidth such as \"2 B/cycle\"";
}

impl FromStr for BytesPerCycle {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let rate = MILLIBYTES_PER_CYCLE.parse_above_zero(text)?;
        Ok(Self(NonZeroU64::new(rate).expect("the scale refuses zero")))
    }
}

impl Display for BytesPerCycle {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        MILLIBYTES_PER_CYCLE.print(self.0.get(), f)
    }
}

/// A bandwidth as a machine file may state it: absolutely, or relative to the node's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rate {
    /// An absolute rate, such as `"175 MB/s"`.
    PerSecond(Bandwidth),
    /// A rate relative to the node's clock, such as `"2 B/cycle"`.
    PerCycle(BytesPerCycle),
}

impl Rate {
    /// The rate in bytes per second, if the node's clock runs at `clock`.
    pub fn resolve(self, clock: Frequency) -> Bandwidth {
        match self {
            Self::PerSecond(bandwidth) => bandwidth,
            Self::PerCycle(rate) => rate.at(clock),
        }
    }
}

impl Quantity for Rate {
    const EXPECTED: &'static str = "a bandwidth such as \"175 MB/s\" or \"2 B/cycle\"";
}

impl FromStr for Rate {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let rate = if MILLIBYTES_PER_CYCLE.claims(text) {
            text.parse().map(Self::PerCycle)
        } else {
            text.parse().map(Self::PerSecond)
        };
        rate.map_err(|error| error.expecting(Self::EXPECTED))
    }
}

impl Display for Rate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::PerSecond(bandwidth) => bandwidth.fmt(f),
            Self::PerCycle(rate) => rate.fmt(f),
        }
    }
}
