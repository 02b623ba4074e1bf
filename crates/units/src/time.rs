//! Time in whole femtoseconds: fine enough for every clock in a machine file, long enough for five hours.
//! Knows no clock: an instant and a duration are the same type, and where zero lies is the user's choice.

use std::fmt::{self, Display, Formatter};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Sub, SubAssign};
use std::str::FromStr;

use crate::scale::Scale;
use crate::{ParseError, Quantity};

pub(crate) const FEMTOSECONDS: Scale = Scale {
    expected: <Time as Quantity>::EXPECTED,
    step: "1 fs",
    units: &[
        ("s", 1_000_000_000_000_000),
        ("ms", 1_000_000_000_000),
        ("us", 1_000_000_000),
        ("ns", 1_000_000),
        ("ps", 1_000),
        ("fs", 1),
    ],
};

/// Femtoseconds per second, to divide by hertz or bytes per second; wide, because the products are.
pub(crate) const FEMTOSECONDS_PER_SECOND: u128 = 1_000_000_000_000_000;

/// A duration, or an instant since some agreed zero, in femtoseconds: 0 to 18 446 s (5 h 7 min).
///
/// Sums and products saturate at [`Time::MAX`], so that "never" plus anything is still never. A difference that
/// would be negative is a mistake of the program and panics; use [`checked_sub`](Time::checked_sub) or
/// [`saturating_sub`](Time::saturating_sub) where it may happen.
///
/// Prints exactly in a readable unit (`2.5 us`); `{:.1}` rounds to one decimal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

impl Time {
    /// A duration of zero, or the instant from which instants count.
    pub const ZERO: Self = Self(0);
    /// The latest instant, 18 446 s after [`Time::ZERO`]; stands for "never".
    pub const MAX: Self = Self(u64::MAX);

    /// Makes a time of `n` femtoseconds.
    pub const fn from_femtoseconds(n: u64) -> Self {
        Self(n)
    }

    /// Converts a wide intermediate result; saturates.
    pub(crate) fn saturating(femtoseconds: u128) -> Self {
        u64::try_from(femtoseconds).map_or(Self::MAX, Self)
    }

    /// Makes a time of `n` picoseconds; saturates at [`Time::MAX`].
    pub const fn from_picoseconds(n: u64) -> Self {
        Self(n.saturating_mul(1_000))
    }

    /// Makes a time of `n` nanoseconds; saturates at [`Time::MAX`].
    pub const fn from_nanoseconds(n: u64) -> Self {
        Self(n.saturating_mul(1_000_000))
    }

    /// Makes a time of `n` microseconds; saturates at [`Time::MAX`].
    pub const fn from_microseconds(n: u64) -> Self {
        Self(n.saturating_mul(1_000_000_000))
    }

    /// The time in femtoseconds, exactly.
    pub const fn as_femtoseconds(self) -> u64 {
        self.0
    }

    /// The time in nanoseconds, to the precision of `f64`.
    pub fn as_nanoseconds(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// The time in microseconds, to the precision of `f64`.
    pub fn as_microseconds(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The time in seconds, to the precision of `f64`.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / 1e15
    }

    /// Whether the time is zero.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// The sum of the two times, or `None` beyond [`Time::MAX`].
    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    /// The time minus `other`, or `None` if it would be negative.
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }

    /// The instant that lies `lead` before this one, or zero if there is none; "never" stays "never".
    #[inline]
    #[must_use]
    pub fn before(self, lead: Self) -> Self {
        if self == Self::MAX { self } else { self.saturating_sub(lead) }
    }

    /// The time minus `other`, or zero if it would be negative.
    pub fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Add for Time {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Time {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Time {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self.checked_sub(other).expect("a difference of times is never negative")
    }
}

impl SubAssign for Time {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Mul<u64> for Time {
    type Output = Self;

    fn mul(self, times: u64) -> Self {
        Self(self.0.saturating_mul(times))
    }
}

impl Sum for Time {
    fn sum<I: Iterator<Item = Self>>(times: I) -> Self {
        times.fold(Self::ZERO, Add::add)
    }
}

impl Quantity for Time {
    const EXPECTED: &'static str = "a time such as \"1.7 us\"";
}

impl FromStr for Time {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        FEMTOSECONDS.parse(text).map(Self)
    }
}

impl Display for Time {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        FEMTOSECONDS.print(self.0, f)
    }
}
