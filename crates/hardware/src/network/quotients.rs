//! Quotients and remainders by numbers that mostly are powers of two, as sides of networks are. A division takes the host as long as
//! some dozens of other instructions.
//!
//! This module must never know a topology.

/// `number / by`.
#[inline(always)]
pub(super) fn quotient(number: u32, by: u32) -> u32 {
    if by.is_power_of_two() { number >> by.trailing_zeros() } else { number / by }
}

/// `number % by`.
#[inline(always)]
pub(super) fn remainder(number: u32, by: u32) -> u32 {
    if by.is_power_of_two() { number & (by - 1) } else { number % by }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_and_other_numbers_divide_alike() {
        for by in (1..40).chain([1 << 31, u32::MAX]) {
            for number in (0..200).chain([u32::MAX - 1, u32::MAX]) {
                assert_eq!((quotient(number, by), remainder(number, by)), (number / by, number % by));
            }
        }
    }
}
