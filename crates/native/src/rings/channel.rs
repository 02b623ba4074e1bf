//! The words of a lane that both of its nodes access: the lines of its ring, and two counts that return to the sender.
//!
//! They are plain words, zero at first, so memory that two processes share can hold them as well. Everything else of a lane belongs to
//! an end of it, and the other end never reads it.
//!
//! This module must never know the content of a line. It uses only the atomics of `sync` and the memory of
//! `words`, so that the models run it as it is.

use crate::sync::{AtomicU64, Ordering};
use crate::words::{CacheLines, LINE_WORDS, SharedWords, channel_words};

/// Distance in words of counts that share no pair of cache lines.
const APART: usize = 16;

/// Place of the number of lines that the consumer has finished, among the counts.
const TAKEN: usize = 0;

/// Place of the number of handled messages of threads that the receiver has acknowledged.
const ACKNOWLEDGED: usize = APART;

/// Number of words of counts.
pub(crate) const COUNTS: usize = 2 * APART;

/// The words of a lane that both of its nodes access. A clone shows the same words.
#[derive(Clone)]
pub(crate) struct Channel {
    lines: CacheLines,
    counts: SharedWords,
}

impl Channel {
    /// Makes the words of a lane with `lines` lines, a power of two.
    pub(crate) fn new(lines: usize) -> Self {
        Self::of(channel_words(COUNTS, lines))
    }

    /// The lane with these [`COUNTS`] words of counts and these lines, a power of two.
    pub(crate) fn of((counts, lines): (SharedWords, CacheLines)) -> Self {
        Self { lines, counts }
    }

    /// Number of lines.
    #[inline]
    pub(crate) fn lines(&self) -> usize {
        self.lines.len()
    }

    /// The words of line `number`, counted through all laps.
    #[inline]
    pub(crate) fn line(&self, number: u64) -> &[AtomicU64; LINE_WORDS] {
        &self.lines[number as usize & (self.lines.len() - 1)]
    }

    /// The counts, for a test that writes to them.
    #[cfg(test)]
    pub(crate) fn counts(&self) -> [&AtomicU64; 2] {
        [&self.counts[TAKEN], &self.counts[ACKNOWLEDGED]]
    }

    /// Number of lines that the consumer has finished. Its reads of them come before.
    #[inline]
    pub(crate) fn taken(&self) -> u64 {
        self.counts[TAKEN].load(Ordering::Acquire)
    }

    /// Publishes the number of finished lines to the producer.
    #[inline]
    pub(crate) fn publish_taken(&self, taken: u64) {
        self.counts[TAKEN].store(taken, Ordering::Release);
    }

    /// The number of handled messages of threads that the receiver has acknowledged.
    #[inline]
    pub(crate) fn acknowledged(&self) -> &AtomicU64 {
        &self.counts[ACKNOWLEDGED]
    }
}
