//! The sum of the times of many parts, which may be longer than any one run. Knows no parts: the caller chooses them.

use std::cmp::Ordering;
use std::fmt::{self, Display, Formatter};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Sub, SubAssign};

use crate::Time;
use crate::time::FEMTOSECONDS;

/// The sum of the times of many parts, such as all processors of a machine, in femtoseconds: more than the sum of [`Time::MAX`] over
/// 2^63 parts, so that it never saturates.
///
/// A difference that would be negative is a mistake of the program and panics; use
/// [`saturating_sub`](TotalTime::saturating_sub) where it may happen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TotalTime(u128);

impl TotalTime {
    /// A sum of zero femtoseconds.
    pub const ZERO: Self = Self(0);

    /// Makes a sum of `n` nanoseconds.
    pub fn from_nanoseconds(n: u64) -> Self {
        Self(u128::from(n) * 1_000_000)
    }

    /// Makes a sum of `n` femtoseconds.
    pub const fn from_femtoseconds(n: u128) -> Self {
        Self(n)
    }

    /// The sum of times in femtoseconds, exactly.
    pub const fn as_femtoseconds(self) -> u128 {
        self.0
    }

    /// The sum of times in nanoseconds, to the precision of `f64`.
    pub fn as_nanoseconds(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// The sum of times in seconds, to the precision of `f64`.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / 1e15
    }

    /// Whether the sum of times is zero.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// The sum minus `other`, or zero if it would be negative.
    pub fn saturating_sub(self, other: impl Into<Self>) -> Self {
        Self(self.0.saturating_sub(other.into().0))
    }

    /// The mean time of each of `parts` parts, rounded down to a femtosecond; `None` if `parts` is 0. Saturates at [`Time::MAX`].
    pub fn mean(self, parts: u64) -> Option<Time> {
        self.0.checked_div(parts.into()).map(Time::saturating)
    }
}

impl From<Time> for TotalTime {
    fn from(time: Time) -> Self {
        Self(time.as_femtoseconds().into())
    }
}

impl Display for TotalTime {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        FEMTOSECONDS.print(self.0, f)
    }
}

impl PartialEq<Time> for TotalTime {
    fn eq(&self, time: &Time) -> bool {
        *self == Self::from(*time)
    }
}

impl PartialOrd<Time> for TotalTime {
    fn partial_cmp(&self, time: &Time) -> Option<Ordering> {
        self.partial_cmp(&Self::from(*time))
    }
}

impl<T: Into<Self>> Add<T> for TotalTime {
    type Output = Self;

    fn add(self, more: T) -> Self {
        Self(self.0 + more.into().0)
    }
}

impl<T: Into<Self>> AddAssign<T> for TotalTime {
    fn add_assign(&mut self, more: T) {
        *self = *self + more;
    }
}

impl Sub for TotalTime {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.checked_sub(other.0).expect("a difference of times is never negative"))
    }
}

impl SubAssign for TotalTime {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Mul<u64> for TotalTime {
    type Output = Self;

    fn mul(self, times: u64) -> Self {
        Self(self.0 * u128::from(times))
    }
}

impl<T: Into<Self>> Sum<T> for TotalTime {
    fn sum<I: Iterator<Item = T>>(times: I) -> Self {
        times.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_passes_the_end_of_modelled_time() {
        let all: TotalTime = [Time::MAX; 5].into_iter().sum();
        assert_eq!(all.as_femtoseconds(), 5 * u128::from(u64::MAX));
        assert_eq!(format!("{all:.1}"), "92233.7 s");
        assert!((all.as_seconds() / Time::MAX.as_seconds() - 5.0).abs() < 1e-12);
        assert_eq!((all.mean(5), all.mean(0)), (Some(Time::MAX), None));
        assert_eq!(all.saturating_sub(all + Time::MAX), Time::ZERO);
        assert_eq!(all - TotalTime::from(Time::MAX), TotalTime::from(Time::MAX) * 4);
    }
}
