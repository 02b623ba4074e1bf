//! Clock frequencies, and the one place where cycles become time.

use std::fmt::{self, Display, Formatter};
use std::num::NonZeroU64;
use std::str::FromStr;

use crate::scale::Scale;
use crate::time::FEMTOSECONDS_PER_SECOND;
use crate::{Cycles, ParseError, Quantity, Time};

const HERTZ: Scale = Scale {
    expected: <Frequency as Quantity>::EXPECTED,
    step: "1 Hz",
    units: &[("GHz", 1_000_000_000), ("MHz", 1_000_000), ("kHz", 1_000), ("Hz", 1)],
};

/// A clock frequency in whole hertz, never zero.
///
/// A period is not kept: that of 66 MHz is no whole number of femtoseconds. Edge `n` lies at ⌊n × 10¹⁵ / hertz⌋ fs, computed from
/// `n`, so a clock does not drift however long it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Frequency(NonZeroU64);

impl Frequency {
    /// Makes a frequency of `hertz` hertz; `None` for zero.
    pub const fn new(hertz: u64) -> Option<Self> {
        match NonZeroU64::new(hertz) {
            Some(hertz) => Some(Self(hertz)),
            None => None,
        }
    }

    /// Makes a frequency of `megahertz` megahertz, for constants.
    ///
    /// # Panics
    ///
    /// For zero, and beyond 18 × 10¹² MHz: meant for constants.
    pub const fn from_megahertz(megahertz: u64) -> Self {
        match megahertz.checked_mul(1_000_000) {
            Some(hertz) => Self::new(hertz).expect("a clock ticks"),
            None => panic!("a frequency fits 64 bits of hertz"),
        }
    }

    /// The frequency in hertz, exactly.
    pub const fn as_hertz(self) -> u64 {
        self.0.get()
    }

    /// The time of `n` cycles of this clock, which is also the instant of clock edge `n`: ⌊n × 10¹⁵ / hertz⌋ fs. Saturates at
    /// [`Time::MAX`].
    pub fn cycles_to_time(self, n: u64) -> Time {
        Time::saturating(u128::from(n) * FEMTOSECONDS_PER_SECOND / u128::from(self.as_hertz()))
    }

    /// The time of `cycles` cycles of this clock, rounded down to a femtosecond; saturates at [`Time::MAX`].
    pub fn time_of(self, cycles: Cycles) -> Time {
        let thousandths = u128::from(cycles.as_thousandths());
        Time::saturating(thousandths * (FEMTOSECONDS_PER_SECOND / 1_000) / u128::from(self.as_hertz()))
    }

    /// The number of the first edge of this clock at or after `instant`; edge 0 is at [`Time::ZERO`].
    pub fn edge_from(self, instant: Time) -> u64 {
        let ticks = u128::from(instant.as_femtoseconds()) * u128::from(self.as_hertz());
        u64::try_from(ticks.div_ceil(FEMTOSECONDS_PER_SECOND)).unwrap_or(u64::MAX)
    }

    /// The instant of the first edge of this clock at or after `instant`.
    pub fn next_edge(self, instant: Time) -> Time {
        self.cycles_to_time(self.edge_from(instant))
    }
}

impl Quantity for Frequency {
    const EXPECTED: &'static str = "a frequency such as \"400 MHz\"";
}

impl FromStr for Frequency {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let hertz = HERTZ.parse_above_zero(text)?;
        Ok(Self::new(hertz).expect("the scale refuses zero"))
    }
}

impl Display for Frequency {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        HERTZ.print(self.as_hertz(), f)
    }
}
