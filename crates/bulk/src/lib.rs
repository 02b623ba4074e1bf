//! Copies of many words into and out of memory that other processors may read and write meanwhile.
//!
//! Such memory is a slice of [`AtomicU64`]: nobody may have a `&[u64]` of it, and a plain `memcpy` that races with a write is
//! undefined. What a copy means here is a loop of relaxed loads and stores, a word at a time: each word arrives whole, no
//! two have an order, and who wants one makes it with what comes before and after
//! ([how](https://doc.rust-lang.org/std/sync/atomic/enum.Ordering.html)). Compilers make no vector instructions of such a
//! loop. On x86-64 long copies are therefore one instruction that *is* the loop (see `string.rs`, the only place
//! that is unsafe); elsewhere, and for short ones, the loop is what runs.
//!
//! ```
//! use std::sync::atomic::AtomicU64;
//!
//! let shared: Vec<AtomicU64> = (0..4).map(AtomicU64::new).collect();
//! tradewind_bulk::store(&shared[1..3], &[10, 20]);
//! let mut words = [0; 4];
//! tradewind_bulk::load(&shared, &mut words);
//! assert_eq!(words, [0, 10, 20, 3]);
//! ```
//!
//! This room must never know that tradewind exists: not what words are for, nor who may touch them.

#![deny(unsafe_code)]

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod string;

use std::sync::atomic::{AtomicU64, Ordering};

/// Stores each of `from` at its place in `to`.
///
/// # Panics
/// If there are not as many of both, as all here.
#[inline]
pub fn store(to: &[AtomicU64], from: &[u64]) {
    expect_equal(to.len(), from.len());
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if from.len() >= string::LONG {
        return string::store(to, from);
    }
    to.iter().zip(from).for_each(|(to, from)| to.store(*from, Ordering::Relaxed));
}

/// Loads each of `from` into its place in `to`.
#[inline]
pub fn load(from: &[AtomicU64], to: &mut [u64]) {
    expect_equal(to.len(), from.len());
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if from.len() >= string::LONG {
        return string::load(from, to);
    }
    from.iter().zip(to).for_each(|(from, to)| *to = from.load(Ordering::Relaxed));
}

/// Loads each of `from` and stores it at its place in `to`, in order of their places: where the two overlap, what has been
/// stored may be loaded.
#[inline]
pub fn copy(from: &[AtomicU64], to: &[AtomicU64]) {
    expect_equal(to.len(), from.len());
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if from.len() >= string::LONG {
        return string::copy(from, to);
    }
    from.iter().zip(to).for_each(|(from, to)| to.store(from.load(Ordering::Relaxed), Ordering::Relaxed));
}

#[inline]
fn expect_equal(to: usize, from: usize) {
    assert!(to == from, "a copy of {from} words to {to}");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// None, one, and both sides of where a copy becomes one instruction.
    const LENGTHS: [usize; 7] = [0, 1, 7, 127, 128, 129, 5000];

    fn shared(words: impl Iterator<Item = u64>) -> Vec<AtomicU64> {
        words.map(AtomicU64::new).collect()
    }

    fn held(words: &[AtomicU64]) -> Vec<u64> {
        words.iter().map(|word| word.load(Ordering::Relaxed)).collect()
    }

    /// Words 1 to `len`, between a 0 in front and a 0 behind.
    fn framed(len: u64) -> Vec<u64> {
        [0].into_iter().chain(1..=len).chain([0]).collect()
    }

    #[test]
    fn copies_of_every_length_put_each_word_in_its_place_and_no_other() {
        for len in LENGTHS {
            let words: Vec<u64> = (1..=len as u64).collect();
            let (source, sink) = (shared(1..=len as u64), || shared([0].repeat(len + 2).into_iter()));
            let (stored, copied) = (sink(), sink());
            store(&stored[1..=len], &words);
            copy(&source, &copied[1..=len]);
            let mut loaded = vec![0; len + 2];
            load(&source, &mut loaded[1..=len]);
            assert_eq!([held(&stored), held(&copied), loaded], [(); 3].map(|()| framed(len as u64)), "{len}");
        }
    }

    /// Copied to the next place, the first word goes everywhere, one after the other.
    #[test]
    fn a_copy_that_overlaps_loads_what_it_has_stored() {
        for len in LENGTHS {
            let words = shared(7..8 + len as u64);
            copy(&words[..len], &words[1..]);
            assert_eq!(held(&words), vec![7; len + 1], "{len}");
        }
    }

    /// One thread stores blocks of equal words, another loads: blocks may be mixed, words never.
    #[test]
    fn words_arrive_whole() {
        let shared = shared([0].repeat(1024).into_iter());
        std::thread::scope(|scope| {
            scope
                .spawn(|| (0..2000).for_each(|round| store(&shared, &[0_u64.wrapping_sub(round % 2); 1024])));
            let mut seen = [0; 1024];
            for _ in 0..2000 {
                load(&shared, &mut seen);
                assert!(seen.iter().all(|word| [0, u64::MAX].contains(word)), "a torn word");
            }
        });
    }

    #[test]
    #[should_panic(expected = "a copy of 2 words to 3")]
    fn both_sides_have_as_many_words() {
        load(&shared(0..2), &mut [0; 3]);
    }
}
