//! Copies of many words into and out of memory that other processors may read and write meanwhile.
//!
//! Such memory is a slice of atomics of 1, 2, 4 or 8 bytes ([`AtomicWord`]): a `&[u64]` of it must not exist, and a
//! plain `memcpy` that races with a write is undefined. A copy here means a loop of relaxed loads and stores, a word at
//! a time: each word arrives whole, no two are ordered, and callers that need an order make it with synchronization
//! before and after ([how](https://doc.rust-lang.org/std/sync/atomic/enum.Ordering.html)). Compilers do not vectorize
//! such a loop. On x86-64 long copies are therefore one instruction that *is* the loop (see `string.rs`, the only place
//! that is unsafe); elsewhere, and for short copies, the loop itself runs.
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
//! This room must never know that tradewind exists: not the meaning of words, nor the threads that may touch them.

#![deny(unsafe_code)]

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod string;
mod word;

use std::sync::atomic::Ordering;

pub use word::AtomicWord;

/// Stores each of `from` at its place in `to`.
///
/// # Panics
/// If the two have different lengths, as for all functions here.
#[inline]
pub fn store<A: AtomicWord>(to: &[A], from: &[A::Value]) {
    expect_equal(to.len(), from.len());
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if from.len() >= string::LONG {
        return string::store(to, from);
    }
    to.iter().zip(from).for_each(|(to, from)| to.store(*from, Ordering::Relaxed));
}

/// Loads each of `from` into its place in `to`.
#[inline]
pub fn load<A: AtomicWord>(from: &[A], to: &mut [A::Value]) {
    expect_equal(to.len(), from.len());
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if from.len() >= string::LONG {
        return string::load(from, to);
    }
    from.iter().zip(to).for_each(|(from, to)| *to = from.load(Ordering::Relaxed));
}

/// Loads each word of `from` and stores it at the same place in `to`, in order of places: where the two overlap, a word
/// stored before may be loaded.
#[inline]
pub fn copy<A: AtomicWord>(from: &[A], to: &[A]) {
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
    use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64};

    use super::*;

    /// Lengths: none, one, and both sides of the length from which a copy is one instruction.
    const LENGTHS: [usize; 7] = [0, 1, 7, 127, 128, 129, 5000];

    fn shared<A: AtomicWord + From<A::Value>>(words: impl IntoIterator<Item = A::Value>) -> Vec<A> {
        words.into_iter().map(A::from).collect()
    }

    fn held<A: AtomicWord>(words: &[A]) -> Vec<A::Value> {
        words.iter().map(|word| word.load(Ordering::Relaxed)).collect()
    }

    /// Copies in all three ways, between a word in front and one behind that nothing may reach.
    fn each_word_has_its_place<A>(number: impl Fn(usize) -> A::Value)
    where
        A: AtomicWord<Value: std::fmt::Debug> + From<A::Value>,
    {
        for len in LENGTHS {
            let words: Vec<A::Value> = (1..=len).map(&number).collect();
            let framed = [vec![number(0)], words.clone(), vec![number(0)]].concat();
            let (source, sink) = (shared::<A>(words.clone()), || shared::<A>(vec![number(0); len + 2]));
            let (stored, copied) = (sink(), sink());
            store(&stored[1..=len], &words);
            copy(&source, &copied[1..=len]);
            let mut loaded = vec![number(0); len + 2];
            load(&source, &mut loaded[1..=len]);
            let bytes = size_of::<A>();
            assert_eq!(
                [held(&stored), held(&copied), loaded],
                [(); 3].map(|()| framed.clone()),
                "{len} of {bytes}"
            );
        }
    }

    #[test]
    fn copies_of_every_length_put_each_word_in_its_place_and_no_other() {
        each_word_has_its_place::<AtomicU8>(|number| number as u8);
        each_word_has_its_place::<AtomicU16>(|number| number as u16);
        each_word_has_its_place::<AtomicU32>(|number| number as u32);
        each_word_has_its_place::<AtomicU64>(|number| number as u64);
    }

    /// Copied to the next place, the first word goes everywhere, one after the other.
    #[test]
    fn a_copy_that_overlaps_loads_what_it_has_stored() {
        for len in LENGTHS {
            let (long, short) =
                (shared::<AtomicU64>(7..8 + len as u64), shared::<AtomicU32>(7..8 + len as u32));
            copy(&long[..len], &long[1..]);
            copy(&short[..len], &short[1..]);
            assert_eq!((held(&long), held(&short)), (vec![7; len + 1], vec![7; len + 1]), "{len}");
        }
    }

    /// A thread stores blocks of equal words, another loads: blocks may be mixed, words never.
    #[test]
    fn words_arrive_whole() {
        let shared = shared::<AtomicU64>([0].repeat(1024));
        let rounds = if cfg!(miri) { 3 } else { 2000 };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                (0..rounds).for_each(|round| store(&shared, &[0_u64.wrapping_sub(round % 2); 1024]));
            });
            let mut seen = [0; 1024];
            for _ in 0..rounds {
                load(&shared, &mut seen);
                assert!(seen.iter().all(|word| [0, u64::MAX].contains(word)), "a torn word");
            }
        });
    }

    #[test]
    fn a_word_of_any_size_is_changed_in_one_step() {
        let word = AtomicU16::new(u16::MAX);
        assert_eq!(AtomicWord::fetch_add(&word, 3, Ordering::Relaxed), u16::MAX);
        let change =
            |from, to| AtomicWord::compare_exchange(&word, from, to, Ordering::AcqRel, Ordering::Acquire);
        assert_eq!((change(2, 9), change(5, 6)), (Ok(2), Err(9)));
    }

    #[test]
    #[should_panic(expected = "a copy of 2 words to 3")]
    fn both_sides_have_as_many_words() {
        load(&shared::<AtomicU64>(0..2), &mut [0; 3]);
    }
}
