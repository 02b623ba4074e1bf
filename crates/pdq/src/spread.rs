//! Hash functions that spread keys over partitions, lanes and buckets.
//!
//! Two hashers, which see the words that a key's `Hash` feeds them. Neither decides equality: a look-up by hash
//! compares the whole key. This module must never know the use of the hashes.

use std::hash::{BuildHasherDefault, Hash, Hasher};

/// 2⁶⁴ / φ, the multiplier of Fibonacci hashing.
const FIBONACCI: u64 = 0x9E37_79B9_7F4A_7C15;

/// Hashes a key. Knuth's multiplicative hashing spreads the difference between two keys into the upper bits.
///
/// The hash of a key of one word `w` is `w / φ` as a fraction of 2⁶⁴.
#[inline]
pub(crate) fn spread<K: Hash>(key: &K) -> u64 {
    let mut hasher = Fibonacci::default();
    key.hash(&mut hasher);
    hasher.finish()
}

/// Hasher of hash tables of keys: mixes well into lower and upper bits.
pub(crate) type Buckets = BuildHasherDefault<Wide>;

/// A hasher that takes a key word by word, where a word has eight bytes. Values of other widths are fed as words.
trait Words {
    fn word(&mut self, word: u64);

    /// Feeds words of eight bytes, the last filled up with zeros. (A value of variable length also feeds its length
    /// or its end.)
    fn bytes(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
    }
}

#[derive(Debug, Default)]
struct Fibonacci(u64);

impl Words for Fibonacci {
    #[inline]
    fn word(&mut self, word: u64) {
        // The halves change places, because a product's upper bits are its good ones.
        self.0 = (self.0.rotate_left(32) ^ word).wrapping_mul(FIBONACCI);
    }
}

/// Hasher that mixes by one wide multiplication: keys are often addresses, whose lower bits are all alike.
#[derive(Debug, Default)]
pub(crate) struct Wide(u64);

impl Words for Wide {
    #[inline]
    fn word(&mut self, word: u64) {
        let wide = u128::from(self.0 ^ word ^ 0x243F_6A88_85A3_08D3) * u128::from(FIBONACCI);
        self.0 = (wide >> 64) as u64 ^ wide as u64;
    }
}

macro_rules! hash_by_words {
    ($($hasher:ty),*) => { $(
        impl Hasher for $hasher {
            fn write(&mut self, bytes: &[u8]) {
                self.bytes(bytes);
            }

            #[inline]
            fn write_u8(&mut self, word: u8) {
                self.word(word.into());
            }

            #[inline]
            fn write_u16(&mut self, word: u16) {
                self.word(word.into());
            }

            #[inline]
            fn write_u32(&mut self, word: u32) {
                self.word(word.into());
            }

            #[inline]
            fn write_u64(&mut self, word: u64) {
                self.word(word);
            }

            #[inline]
            fn write_u128(&mut self, words: u128) {
                self.word(words as u64);
                self.word((words >> 64) as u64);
            }

            #[inline]
            fn write_usize(&mut self, word: usize) {
                self.word(word as u64);
            }

            #[inline]
            fn finish(&self) -> u64 {
                self.0
            }
        }
    )* };
}

hash_by_words!(Fibonacci, Wide);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_spread_by_one_multiplication() {
        for key in [0, 1, 2, 0x1000, u64::MAX] {
            assert_eq!(spread(&key), key.wrapping_mul(FIBONACCI));
        }
        assert_eq!(spread(&7_u32), spread(&7_u64), "narrow words are spread like wide ones");
    }
}
