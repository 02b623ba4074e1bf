//! The backlog of a node: messages in its outboxes, and acknowledgements that it has not sent.
//!
//! # No acknowledgement is forgotten
//!
//! A processor that has handled messages of threads acknowledges them at once, as long as the outboxes hold no more than their reserve
//! (`lane`). If they hold more it *owes* the acknowledgement, and goes on; the processor that finds the outboxes down to the reserve
//! pays, whichever it is.
//!
//! | processor | action | order |
//! |---|---|---|
//! | that has handled a message | counts it as handled (`lane`) | relaxed |
//! | the same | sets `owed`, then looks at the outboxes itself | sequentially consistent |
//! | that has moved messages out of the outboxes | subtracts their words from `outboxed` | acquire and release |
//! | the same | passes a fence, then reads `outboxed` and `owed` | sequentially consistent |
//! | that finds the outboxes down to the reserve and `owed` set | clears `owed` | acquire and release |
//! | the same | publishes the number of handled messages (`lane`) | – |
//!
//! Of the processor that owes and the processor that empties the outboxes, at least one sees the other's store: it pays. The processor
//! that clears `owed` sees everything that the debtor counted before. And while an acknowledgement is owed, or a message waits in an
//! outbox, a node has a *backlog*, and none of its servers sleeps.
//!
//! This module must never know lanes; it uses only the atomics of `sync`, so that the models run it as it is.

use crate::sync::{AtomicBool, AtomicUsize, Ordering, fence, mutated};

/// The backlog of a node.
pub(crate) struct Backlog {
    /// Words in the outboxes of the lanes out of the node.
    outboxed: AtomicUsize,
    /// Maximum number of words in the outboxes at which the node still acknowledges handled messages.
    reserve: usize,
    /// Whether a processor could not acknowledge, because the outboxes held more than their reserve.
    owed: AtomicBool,
}

impl Backlog {
    /// An empty backlog. The node acknowledges while its outboxes hold at most `reserve` words.
    pub(crate) fn new(reserve: usize) -> Self {
        Self { outboxed: AtomicUsize::new(0), reserve, owed: AtomicBool::new(false) }
    }

    /// Approximate number of words in the outboxes.
    #[inline]
    pub(crate) fn words(&self) -> usize {
        self.outboxed.load(Ordering::Relaxed)
    }

    /// Adds words that have been put into an outbox.
    pub(crate) fn add(&self, words: usize) {
        self.outboxed.fetch_add(words, Ordering::AcqRel);
    }

    /// Subtracts words that have left an outbox. Their messages have their place in a ring by then.
    pub(crate) fn remove(&self, words: usize) {
        let order = if mutated!("left-relaxed") { Ordering::Relaxed } else { Ordering::AcqRel };
        self.outboxed.fetch_sub(words, order);
    }

    /// Whether the outboxes are empty: all earlier messages are in the rings, or received.
    #[inline]
    pub(crate) fn is_sent(&self) -> bool {
        self.outboxed.load(Ordering::Acquire) == 0
    }

    /// Whether the outboxes hold so little that the node acknowledges handled messages.
    #[inline]
    pub(crate) fn may_acknowledge(&self) -> bool {
        self.outboxed.load(Ordering::Acquire) <= self.reserve
    }

    /// Leaves acknowledgements to the processor that empties the outboxes down to their reserve. The caller then tries to empty them, and
    /// asks whether it [`settles`](Self::settles).
    pub(crate) fn owe(&self) {
        let order = if mutated!("owed-relaxed") { Ordering::Relaxed } else { Ordering::SeqCst };
        self.owed.store(true, order);
    }

    /// Whether the caller, after it has moved on all messages that it could, has to publish the acknowledgements now.
    pub(crate) fn settles(&self) -> bool {
        if !mutated!("settled-without-fence") {
            fence(Ordering::SeqCst);
        }
        self.may_acknowledge() && self.owed.load(Ordering::SeqCst) && self.owed.swap(false, Ordering::AcqRel)
    }

    /// Whether there is a backlog.
    #[inline]
    pub(crate) fn is_left(&self) -> bool {
        !self.is_sent() || self.owed.load(Ordering::Acquire)
    }
}
