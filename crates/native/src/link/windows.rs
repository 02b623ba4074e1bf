//! Credit windows: how many messages of threads may be on their way to a node, by their kind.
//!
//! # Why by kind
//!
//! What a message starts decides how much room it may come to take: its handler may send any number of messages, and none of
//! them may wait. The number is not known before a handler of the kind has run. So a kind begins with a window of at most [`FIRST`].
//! A sender that has run out of credit *widens* the window to twice as much, provided that all it had sent when it ran out the
//! last time has been handled: by then handlers have shown what they send. A handler whose messages find no room in the rings
//! *narrows* the window of its kind: as many messages of it as may come together at a node leave no more in the outboxes
//! there than a [share](Windows::new), if none leaves more than the worst so far; but one message of each node may always come.
//!
//! # Bound
//!
//! Let a kind's handlers leave at most F words each in the outboxes. If the window is narrowed for that, messages of that kind
//! that come to a node together leave at most a share there, or F for each node that sends. Where kinds are mixed, a message of
//! one kind goes out only while fewer messages of *all* kinds are on their way than its own window holds. So the messages
//! with a large F are the first few, and the sum over all kinds is below a share times the logarithm of the largest window.
//! The first messages of a kind, and the first of handlers that send more than any before, are the exception: as many come
//! as the window held then.
//!
//! All of this is advice to senders, of which any value is safe, so that nothing is ordered by it. This module must never know
//! rings or outboxes; it names no atomic but those of `sync`, so that the models run it as it is.

use std::sync::Arc;

use tempest::world::MessageId;

use crate::sync::{AtomicU64, Ordering};

/// The widest window of a kind of which no handler has run yet.
const FIRST: u64 = 32;

/// What is known of a kind of messages.
struct Kind {
    window: AtomicU64,
    /// The most words that one of its handlers has left in outboxes.
    worst: AtomicU64,
}

/// The windows of all kinds, which all nodes of a world share.
#[derive(Clone)]
pub(crate) struct Windows {
    kinds: Arc<[Kind]>,
    /// The widest window.
    most: u64,
    /// Words that one node's messages of one kind may come to take in the outboxes of another.
    share: u64,
}

impl Windows {
    /// Windows for so many kinds, none wider than `most`, or than `first` as long as no handler of the kind has run. Of the
    /// outboxes of a node, `share` words are for what the messages from one other start.
    pub(crate) fn new(kinds: usize, first: u64, most: u64, share: u64) -> Self {
        let first = first.clamp(1, FIRST.min(most));
        let kind = || Kind { window: AtomicU64::new(first), worst: AtomicU64::new(0) };
        Self { kinds: (0..kinds).map(|_| kind()).collect(), most, share }
    }

    /// The window of a kind.
    #[inline]
    pub(crate) fn of(&self, id: MessageId) -> u64 {
        self.kind(id).window.load(Ordering::Relaxed)
    }

    /// A sender finds a window of `width` too small, although handlers of the kind have run.
    pub(crate) fn widen(&self, id: MessageId, width: u64) {
        let kind = self.kind(id);
        let wider = (2 * width).min(self.widest(kind.worst.load(Ordering::Relaxed)));
        if wider > width {
            // If it has changed meanwhile, somebody else has widened or narrowed it.
            let _changed = kind.window.compare_exchange(width, wider, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// A handler of the kind has left so many words in outboxes.
    pub(crate) fn narrow(&self, id: MessageId, words: u64) {
        let kind = self.kind(id);
        if kind.worst.fetch_max(words, Ordering::Relaxed) < words {
            kind.window.fetch_min(self.widest(words), Ordering::Relaxed);
        }
    }

    /// The widest window of a kind whose handlers leave at most so many words in outboxes.
    fn widest(&self, words: u64) -> u64 {
        (self.share / words.max(1)).clamp(1, self.most)
    }

    #[inline]
    fn kind(&self, id: MessageId) -> &Kind {
        &self.kinds[usize::from(id.0)]
    }
}
