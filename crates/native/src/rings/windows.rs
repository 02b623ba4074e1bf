//! Credit windows: the number of messages of each kind that threads may have in flight to a node.
//!
//! # One window per kind
//!
//! The room that a message may come to take depends on its kind: its handler may send any number of messages, and none of them may be
//! refused. The number is not known before a handler of the kind has run. So a kind begins with a window of at most [`FIRST_WINDOW`]. A
//! sender that has run out of credit *widens* the window to twice its size, if all messages that it had sent when it last ran out have been
//! handled: by then the handlers have shown their fan-out. A handler whose messages find no room in the rings *narrows* the window of its
//! kind. The messages of the kind that may arrive together at a node then leave at most a [share](Windows::new) in the outboxes there, if
//! none leaves more than the worst so far; but one message of each node may always be in flight.
//!
//! # Bound
//!
//! Let a kind's handlers leave at most F words each in the outboxes. After the window has been narrowed accordingly, messages of that
//! kind that arrive at a node together leave at most a share there, or F for each sending node. If kinds are mixed, a message of one kind
//! goes out only while fewer messages of *all* kinds are in flight than its own window allows. So the messages with a large F are the
//! first, and the sum over all kinds is below a share times the logarithm of the largest window. The exceptions are the first messages of
//! a kind, and the first whose handlers send more than any before: as many arrive as the window allowed then.
//!
//! All of this is advice to senders and safe at any value, so nothing is ordered by it. This module must never know rings or outboxes; it
//! uses only the atomics of `sync`, so that the models run it as it is.

use std::sync::Arc;

use tempest::world::MessageId;

use crate::rings::tuning::FIRST_WINDOW;
use crate::sync::{AtomicU64, Ordering};

/// The window of a kind of messages, and its worst fan-out.
struct Kind {
    window: AtomicU64,
    /// Maximum number of words that a handler of the kind has left in outboxes.
    worst: AtomicU64,
}

/// The windows of all kinds, shared by all nodes of a world.
#[derive(Clone)]
pub(crate) struct Windows {
    kinds: Arc<[Kind]>,
    /// Maximum window.
    most: u64,
    /// Words that one node's messages of one kind may come to take in the outboxes of another.
    share: u64,
}

impl Windows {
    /// Windows for `kinds` kinds, none wider than `most`, or than `first` until a handler of the kind has run. The messages from one node
    /// may make another leave at most `share` words in its outboxes.
    pub(crate) fn new(kinds: usize, first: u64, most: u64, share: u64) -> Self {
        let first = first.clamp(1, FIRST_WINDOW.min(most));
        let kind = || Kind { window: AtomicU64::new(first), worst: AtomicU64::new(0) };
        Self { kinds: (0..kinds).map(|_| kind()).collect(), most, share }
    }

    /// The window of a kind.
    #[inline]
    pub(crate) fn of(&self, id: MessageId) -> u64 {
        self.kind(id).window.load(Ordering::Relaxed)
    }

    /// Widens a window of `width` that a sender has found too small, although handlers of the kind have run.
    pub(crate) fn widen(&self, id: MessageId, width: u64) {
        let kind = self.kind(id);
        let wider = (2 * width).min(self.widest(kind.worst.load(Ordering::Relaxed)));
        if wider > width {
            // If it has changed meanwhile, another processor has widened or narrowed it.
            let _changed = kind.window.compare_exchange(width, wider, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// Narrows the window of a kind after a handler has left `words` words in outboxes.
    pub(crate) fn narrow(&self, id: MessageId, words: u64) {
        let kind = self.kind(id);
        if kind.worst.fetch_max(words, Ordering::Relaxed) < words {
            kind.window.fetch_min(self.widest(words), Ordering::Relaxed);
        }
    }

    /// Maximum window of a kind whose handlers leave at most `words` words each in outboxes.
    fn widest(&self, words: u64) -> u64 {
        (self.share / words.max(1)).clamp(1, self.most)
    }

    #[inline]
    fn kind(&self, id: MessageId) -> &Kind {
        &self.kinds[usize::from(id.0)]
    }
}
