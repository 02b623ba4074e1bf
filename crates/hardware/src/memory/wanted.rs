//! The set of lines that a client of the bus has wanted while another one had them, or that a device has wanted.
//!
//! This module must never know which client wants a line, nor when.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Lines by their numbers. Neighbours share a word, a bit for each line, so that the set of a program's lines is small.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    words: HashMap<u64, u64, BuildHasherDefault<Spread>>,
    /// The number of the word of the line that was added last, and that word. The lines of a block follow one another.
    last: (u64, u64),
}

impl Wanted {
    /// Adds a line.
    #[inline]
    pub(crate) fn insert(&mut self, line: u64) {
        let (word, bit) = place(line);
        if self.last.0 != word || self.last.1 & bit == 0 {
            self.insert_apart(word, bit);
        }
    }

    #[inline(never)]
    fn insert_apart(&mut self, word: u64, bit: u64) {
        let lines = self.words.entry(word).or_default();
        *lines |= bit;
        self.last = (word, *lines);
    }

    /// Whether a line is among them.
    #[inline]
    pub(crate) fn contains(&self, line: u64) -> bool {
        let (word, bit) = place(line);
        if self.last.0 == word {
            return self.last.1 & bit != 0;
        }
        self.words.get(&word).is_some_and(|lines| lines & bit != 0)
    }
}

/// The word of a line and its bit in that word.
fn place(line: u64) -> (u64, u64) {
    let bits = u64::from(u64::BITS);
    (line / bits, 1 << (line % bits))
}

/// A hash of a line's number by one multiplication. Numbers of neighbours differ in their last bits, so it need not be more.
#[derive(Clone, Debug, Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(self.0 ^ u64::from(byte)));
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.0 = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_that_were_added() {
        let mut wanted = Wanted::default();
        (0..1000).for_each(|line| wanted.insert(3 * line));
        assert!((0..3000).all(|line| wanted.contains(line) == (line % 3 == 0)));
    }

    #[test]
    fn bytes_spread_too() {
        let hash = |bytes: &[u8]| {
            let mut spread = Spread::default();
            spread.write(bytes);
            spread.finish()
        };
        assert_ne!(hash(&[1, 2]), hash(&[2, 1]));
    }
}
