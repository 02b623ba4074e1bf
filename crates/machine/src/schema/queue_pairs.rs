//! The queue pairs of a node: section `[queue_pairs]`. Pure data.

use units::Time;

use crate::reading::{Section, or_default, section};

section! {
    /// The queues through which the processors of a node post messages to the NI, of which each node has a number of its own.
    QueuePairs(section) {
        /// The number of queue pairs of a node; at least 1. No number of processors changes it.
        count: usize,
        /// The way in which messages of one stream, equal in destination and key, stay in order. A pair keeps them in order unless
        /// stated.
        order: PairOrder = PairOrder::read,
        /// The least time between the beginnings of two messages of one pair: the reciprocal of the pair's rate. A file states at least
        /// `interface.gap`; zero unless stated.
        gap: Time = or_default,
        /// The time in which the cache line of a pair's lock moves to a processor that posts to the pair after another. A processor
        /// holds the lock while it posts. `None`: pairs have no locks.
        lock: Option<Time>,
    }
}

/// The way in which messages of one stream stay in order where a node has several queue pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PairOrder {
    /// All messages of a stream go through one pair. Any processor posts to any pair. A message without a key goes through the pair of
    /// its processor.
    #[default]
    Pair,
    /// Each processor posts to one pair. A message waits there until the older messages of its stream have left the other pairs.
    Wait,
}

impl PairOrder {
    fn read(section: &Section<'_>, key: &'static str) -> Option<Self> {
        let words = ["pair", "wait"];
        let waits = section.optional(key, |section| section.is_word(key, words[1], words))?;
        Some(if waits == Some(true) { Self::Wait } else { Self::Pair })
    }
}
