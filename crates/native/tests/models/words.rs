//! Stands in for the library's `words`: the same names, of atomics as `loom` sees them.

use std::ops::Deref;
use std::sync::Arc;

use crate::sync::{AtomicU32, AtomicU64};

/// Words that two nodes access. A clone shows the same words.
#[derive(Clone)]
pub(crate) struct SharedWords(Arc<[AtomicU64]>);

impl Deref for SharedWords {
    type Target = [AtomicU64];

    fn deref(&self) -> &[AtomicU64] {
        &self.0
    }
}

/// The words of a parker.
pub(crate) type ParkerWords = Arc<[AtomicU32; 3]>;

/// Makes the words of a parker, zero at first.
pub(crate) fn parker_words() -> ParkerWords {
    Arc::default()
}

/// Words of a cache line.
pub(crate) const LINE_WORDS: usize = 8;

/// Cache lines of words that two nodes access.
pub(crate) type CacheLines = Arc<[[AtomicU64; LINE_WORDS]]>;

/// Makes the words of a channel, zero at first: `counts` words, and `lines` cache lines.
pub(crate) fn channel_words(counts: usize, lines: usize) -> (SharedWords, CacheLines) {
    let counts = SharedWords((0..counts).map(|_| AtomicU64::default()).collect());
    (counts, (0..lines).map(|_| Default::default()).collect())
}
