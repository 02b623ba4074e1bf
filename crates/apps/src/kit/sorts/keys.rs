//! Keys to be sorted, their digits, and the same keys in order.
//!
//! This module must never know how keys travel.

use std::sync::Arc;

use rand::RngExt;

use crate::kit::stream;

/// Keys, and the same keys in order.
pub(crate) struct Keys {
    pub(crate) keys: Vec<u32>,
    pub(crate) expected: Vec<u32>,
}

impl Keys {
    /// Draws `count` keys of `bits` bits, and has the standard library sort them.
    pub(crate) fn draw(count: u32, bits: u32, seed: u64) -> Arc<Self> {
        let keys = keys(count as usize, bits, seed);
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

/// A digit of keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Digit {
    shift: u32,
    mask: u32,
}

impl Digit {
    /// The digits of keys of `bits` bits, the lowest first. A digit has `each` bits.
    pub(crate) fn all(bits: u32, each: u32) -> impl Iterator<Item = Self> {
        (0..bits.div_ceil(each)).map(move |pass| Self { shift: pass * each, mask: (1 << each) - 1 })
    }

    /// The digit of a key.
    #[inline]
    pub(crate) fn of(self, key: u32) -> usize {
        ((key >> self.shift) & self.mask) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_a_key_are_all_its_bits() {
        let digits: Vec<_> = Digit::all(19, 10).map(|digit| digit.of(0x7_1234)).collect();
        assert_eq!(digits, [0x234, 0x71234 >> 10]);
        assert_eq!(Digit::all(31, 16).count(), 2);
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
