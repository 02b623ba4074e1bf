//! Sizes in bytes. Both families of prefixes, never confused: `KiB` is 1 024, `kB` is 1 000.

use std::fmt::{self, Display, Formatter};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul};
use std::str::FromStr;

use crate::scale::Scale;
use crate::{ParseError, Quantity};

const SIZES: Scale = Scale {
    expected: <Bytes as Quantity>::EXPECTED,
    step: "1 B",
    units: &[
        ("GiB", 1 << 30),
        ("MiB", 1 << 20),
        ("KiB", 1 << 10),
        ("GB", 1_000_000_000),
        ("MB", 1_000_000),
        ("kB", 1_000),
        ("B", 1),
    ],
};

/// A size in bytes. Arithmetic saturates.
///
/// Prints in the largest unit of which it is a whole multiple, binary before decimal: `64 KiB`, `1 MB`, `1500 B`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(u64);

impl Bytes {
    /// A size of zero bytes.
    pub const ZERO: Self = Self(0);

    /// Makes a size of `n` bytes.
    pub const fn new(n: u64) -> Self {
        Self(n)
    }

    /// The size as a number of bytes.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl Add for Bytes {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul<u64> for Bytes {
    type Output = Self;

    fn mul(self, times: u64) -> Self {
        Self(self.0.saturating_mul(times))
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(sizes: I) -> Self {
        sizes.fold(Self::ZERO, Add::add)
    }
}

impl Quantity for Bytes {
    const EXPECTED: &'static str = "a size such as \"64 KiB\" or \"16 B\"";
}

impl FromStr for Bytes {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        SIZES.parse(text).map(Self)
    }
}

impl Display for Bytes {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let fits = |&&(_, scale): &&(&str, u64)| self.0 >= scale && self.0.is_multiple_of(scale);
        let &(name, scale) = SIZES.units.iter().find(fits).unwrap_or(&("B", 1));
        write!(f, "{} {name}", self.0 / scale)
    }
}
