//! The problem of radix: the inputs, the keys that are drawn for them, and their order.
//!
//! This module must never know how keys travel.

use std::sync::Arc;

use rand::RngExt;
use tempest::Frames;
use tempest::entry::{FRAMES, InputError, Inputs};

use crate::kit::stream;

/// The inputs of radix.
#[derive(Clone, Copy, Debug, Inputs)]
#[inputs(check)]
pub(super) struct Asked {
    /// keys of 4 bytes; the study of the dispatch queue has 4194304
    #[input(default = 16384, range = 1..=1 << 26)]
    pub(super) keys: u32,
    /// values of a digit, a power of two; a pass sorts by one digit
    #[input(default = 1024, range = 2..=1 << 16)]
    pub(super) radix: u32,
    /// bits of a key
    #[input(default = 19, range = 1..=31)]
    pub(super) bits: u32,
    #[input(like = FRAMES)]
    pub(super) frames: Frames,
}

impl Asked {
    fn check(&self) -> Result<(), InputError> {
        let Self { radix, .. } = *self;
        if radix.is_power_of_two() {
            return Ok(());
        }
        let above = radix.next_power_of_two();
        let expected =
            format!("expected a power of two, as a digit is some bits of a key: {} or {above}", above / 2);
        Err(format!("input `radix={radix}`: {expected}").into())
    }

    /// The digits of a key, the lowest first.
    pub(super) fn digits(&self) -> impl Iterator<Item = Digit> {
        let Self { radix, bits, .. } = *self;
        let each = radix.trailing_zeros();
        (0..bits.div_ceil(each)).map(move |pass| Digit { shift: pass * each, mask: radix - 1 })
    }
}

/// A digit of keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Digit {
    shift: u32,
    mask: u32,
}

impl Digit {
    /// The digit of a key.
    #[inline]
    pub(super) fn of(self, key: u32) -> usize {
        ((key >> self.shift) & self.mask) as usize
    }
}

/// Keys, and the same keys in order.
pub(super) struct Problem {
    pub(super) keys: Vec<u32>,
    pub(super) expected: Vec<u32>,
}

impl Problem {
    /// Draws so many keys of so many bits, and has the standard library sort them.
    pub(super) fn draw(asked: &Asked, seed: u64) -> Arc<Self> {
        let keys = keys(asked.keys as usize, asked.bits, seed);
        let mut expected = keys.clone();
        expected.sort_unstable();
        Arc::new(Self { keys, expected })
    }
}

/// Draws keys. Each is the mean of four uniform numbers, as in the integer sort of the NAS parallel benchmarks (D. H. Bailey et al.,
/// International Journal of Supercomputer Applications 5, 1991): low digits are all equally frequent, and middle values of the
/// highest digit more frequent than others.
fn keys(count: usize, bits: u32, seed: u64) -> Vec<u32> {
    let mut random = stream(seed, 0);
    let mut key = || (0..4).map(|_| u64::from(random.random_range(0..1_u32 << bits))).sum::<u64>() / 4;
    (0..count).map(|_| key() as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_a_key_are_all_its_bits() {
        let asked = Asked { keys: 1, radix: 1024, bits: 19, frames: Frames::All };
        let digits: Vec<_> = asked.digits().map(|digit| digit.of(0x7_1234)).collect();
        assert_eq!(digits, [0x234, 0x71234 >> 10]);
        assert_eq!(Asked { radix: 1 << 16, bits: 31, ..asked }.digits().count(), 2);
    }

    #[test]
    fn low_digits_are_equally_frequent_and_middle_values_of_the_highest_more_so() {
        let mut counts = [[0_u32; 4]; 2];
        for key in keys(1 << 16, 19, 1) {
            assert!(key < 1 << 19);
            counts[0][(key & 3) as usize] += 1;
            counts[1][(key >> 17) as usize] += 1;
        }
        assert!(counts[0].iter().all(|count| (16_000..16_800).contains(count)), "{counts:?}");
        assert!(counts[1][0] * 5 < counts[1][1] && counts[1][3] * 5 < counts[1][2], "{counts:?}");
    }
}
