//! Words of memory that two nodes access: the models have others in this module's place.
//!
//! This module must never know the meaning of a word.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64};

use segment::{Form, Mapping, Pages, Width};

/// Words that two nodes access. A clone shows the same words.
pub(crate) type SharedWords = segment::Words<AtomicU64>;

/// The words of a parker. A clone shows the same words.
pub(crate) type ParkerWords = segment::Words<AtomicU32>;

/// Size of a parker's words in bytes: a pair of cache lines, so that processors do not disturb each other.
const PARKER_BYTES: usize = 128;

/// Makes the words of a parker, zero at first.
pub(crate) fn parker_words() -> ParkerWords {
    parkers_in(&Arc::new(Mapping::new(parker_forms(1), Pages::Usual)), 1).remove(0)
}

/// The forms of the memory of `parkers` parkers: a stretch for each.
pub(crate) fn parker_forms(parkers: usize) -> impl Iterator<Item = (Form, usize)> {
    std::iter::repeat_n((Form::elements(Width::Four), PARKER_BYTES), parkers)
}

/// The words of the parkers in memory of [these forms](parker_forms).
pub(crate) fn parkers_in(memory: &Arc<Mapping>, parkers: usize) -> Vec<ParkerWords> {
    let words = |number| memory.words(number).expect("the mapping is of words of 4 bytes");
    (0..parkers).map(words).collect()
}

/// Words of a cache line.
pub(crate) const LINE_WORDS: usize = 8;

/// Cache lines of words that two nodes access. A clone shows the same words.
pub(crate) type CacheLines = segment::Groups<AtomicU64, LINE_WORDS>;

/// Makes the words of a channel, zero at first: `counts` words, and `lines` cache lines behind them.
///
/// # Panics
/// If the system has no memory for them.
pub(crate) fn channel_words(counts: usize, lines: usize) -> (SharedWords, CacheLines) {
    channel_in(&Arc::new(Mapping::new(channel_forms(counts, lines), Pages::Usual)))
}

/// The forms of the memory of a channel: `counts` words, and `lines` cache lines behind them.
pub(crate) fn channel_forms(counts: usize, lines: usize) -> [(Form, usize); 2] {
    [counts, lines * LINE_WORDS].map(|len| (Form::elements(Width::Eight), len * size_of::<u64>()))
}

/// The words of the channel in memory of [these forms](channel_forms).
pub(crate) fn channel_in(memory: &Arc<Mapping>) -> (SharedWords, CacheLines) {
    let words = |stretch| memory.words(stretch).expect("a stretch has words of 8 bytes");
    (words(0), words(1).groups())
}
