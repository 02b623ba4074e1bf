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
    let mapping = Arc::new(Mapping::new([(Form::elements(Width::Four), PARKER_BYTES)], Pages::Usual));
    mapping.words(0).expect("the mapping is of words of 4 bytes")
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
    let stretch = |len| (Form::elements(Width::Eight), len * size_of::<u64>());
    let stretches = [counts, lines * LINE_WORDS].map(stretch);
    let mapping = Arc::new(Mapping::new(stretches, Pages::Usual));
    let words = |stretch| mapping.words(stretch).expect("a stretch has words of 8 bytes");
    (words(0), words(1).groups())
}
