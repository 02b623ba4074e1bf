//! The sort of the keys of one thread, digit by digit, the lowest first.
//!
//! The thread computes and does not poll. This module must never know other threads' keys.

use tempest::{Operations, Thread};

use super::keys::Digit;
use super::work::{COUNT_KEY, MOVE_KEY, SUM};

/// The bits of a digit: as many as let the counts of all its values stay in a small cache, and three passes sort 31 bits.
pub(super) const DIGIT_BITS: u32 = 11;

/// The values of a digit.
pub(super) const VALUES: usize = 1 << DIGIT_BITS;

/// Sorts keys of `bits` bits, and charges for it.
pub(crate) fn sort(thread: &Thread<'_>, keys: &mut Vec<u32>, bits: u32) {
    for digit in Digit::all(bits, DIGIT_BITS) {
        thread.charge(pass_work(keys.len()));
        *keys = by_digit(keys, digit);
    }
}

/// The work of a pass over `keys` keys: the count of each and the move of each, and the sum of the counts.
const fn pass_work(keys: usize) -> Operations {
    COUNT_KEY.and(MOVE_KEY).times(keys as u32).and(SUM.times(VALUES as u32))
}

/// The keys in the order of a digit. Keys of equal digits keep their order.
pub(super) fn by_digit(keys: &[u32], digit: Digit) -> Vec<u32> {
    let mut places = [0; VALUES];
    keys.iter().for_each(|key| places[digit.of(*key)] += 1);
    let mut smaller = 0;
    for place in &mut places {
        smaller += std::mem::replace(place, smaller);
    }
    let mut sorted = vec![0; keys.len()];
    for &key in keys {
        let place = &mut places[digit.of(key)];
        sorted[*place] = key;
        *place += 1;
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::super::Keys;
    use super::*;

    #[test]
    fn all_digits_sort() {
        for bits in [1, 11, 12, 31] {
            let problem = Keys::draw(3000, bits, 7);
            let sorted =
                Digit::all(bits, DIGIT_BITS).fold(problem.keys.clone(), |keys, digit| by_digit(&keys, digit));
            assert_eq!(sorted, problem.expected, "{bits} bits");
        }
    }
}
