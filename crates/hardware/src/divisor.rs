//! Numbers by which others are divided again and again, and which mostly are powers of two: the sizes of lines and blocks, the numbers of
//! sets and banks, the sides of networks. A division takes the host as long as some dozens of other instructions, a shift one.
//!
//! This module must never know the meaning of the numbers.

/// A number, above zero, by which others are divided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Divisor {
    by: u64,
    /// The exponent of the number, if it is a power of two.
    bits: Option<u32>,
}

impl Divisor {
    /// The number `by`, which is above zero, as a divisor.
    #[inline]
    pub fn new(by: u64) -> Self {
        Self { by, bits: by.is_power_of_two().then(|| by.trailing_zeros()) }
    }

    /// The divisor itself.
    #[inline]
    pub fn get(self) -> u64 {
        self.by
    }

    /// `number` divided by the divisor, rounded down.
    #[inline]
    pub fn quotient(self, number: u64) -> u64 {
        match self.bits {
            Some(bits) => number >> bits,
            None => self.divide(number).0,
        }
    }

    /// The rest of `number` divided by the divisor.
    #[inline]
    pub fn remainder(self, number: u64) -> u64 {
        match self.bits {
            Some(_) => number & (self.by - 1),
            None => self.divide(number).1,
        }
    }

    /// The quotient and the rest of a division.
    #[cold]
    #[inline(never)]
    fn divide(self, number: u64) -> (u64, u64) {
        (number / self.by, number % self.by)
    }

    /// The divisor, without the shortcut for powers of two.
    #[cfg(test)]
    pub(crate) fn dividing(self) -> Self {
        Self { bits: None, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_and_other_numbers_divide_alike() {
        for by in (1..40).chain([1 << 31, u64::from(u32::MAX), 1 << 63, u64::MAX]) {
            for number in (0..200).chain([u64::from(u32::MAX), u64::MAX - 1, u64::MAX]) {
                for divisor in [Divisor::new(by), Divisor::new(by).dividing()] {
                    let found = (divisor.quotient(number), divisor.remainder(number), divisor.get());
                    assert_eq!(found, (number / by, number % by, by));
                }
            }
        }
    }
}
