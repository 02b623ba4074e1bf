//! What of a node has still to be moved on: how much waits in its outboxes, and whether senders have been told of what it has
//! handled.
//!
//! # Nobody is told too late
//!
//! A processor that has handled messages of threads tells the senders at once, as long as the outboxes hold no more than their
//! reserve (`lane`). If they hold more it *owes* that, and goes on; the processor that finds the outboxes down to the reserve
//! pays, whichever it is.
//!
//! | who | does | order |
//! |---|---|---|
//! | a processor that has handled something | counts it as handled (`lane`) | relaxed |
//! | the same | sets `owed`, then looks at the outboxes itself | sequentially consistent |
//! | a processor that has moved messages out of the outboxes | takes what they held off `outboxed` | acquire and release |
//! | the same | passes a fence, then looks at `outboxed` and `owed` | sequentially consistent |
//! | whoever finds the outboxes down to the reserve and `owed` set | clears `owed` | acquire and release |
//! | the same | publishes what is counted as handled (`lane`) | – |
//!
//! Of the processor that owes and the one that empties the outboxes, one sees what the other has done: it pays. What the
//! debtor had counted before is seen by who clears `owed`. And while something is owed, or waits in an outbox, a node has a
//! *backlog*, with which none of its servers sleeps.
//!
//! This module must never know lanes; it names no atomic but those of `sync`, so that the models run it as it is.

use crate::sync::{AtomicBool, AtomicUsize, Ordering, fence, mutated};

/// What of a node has still to be moved on.
pub(crate) struct Backlog {
    /// Words in the outboxes of the lanes out of the node.
    outboxed: AtomicUsize,
    /// As many of them as do not keep the node from acknowledging what it has handled.
    reserve: usize,
    /// A processor could not tell what it had handled, because the outboxes held more than their reserve.
    owed: AtomicBool,
}

impl Backlog {
    /// Nothing waits. Outboxes of so many words do not keep the node from acknowledging.
    pub(crate) fn new(reserve: usize) -> Self {
        Self { outboxed: AtomicUsize::new(0), reserve, owed: AtomicBool::new(false) }
    }

    /// Words in the outboxes, about.
    #[inline]
    pub(crate) fn words(&self) -> usize {
        self.outboxed.load(Ordering::Relaxed)
    }

    /// So many words are in an outbox now.
    pub(crate) fn add(&self, words: usize) {
        self.outboxed.fetch_add(words, Ordering::AcqRel);
    }

    /// So many words have left an outbox. What they were has its place in a ring by then.
    pub(crate) fn remove(&self, words: usize) {
        let order = if mutated!("left-relaxed") { Ordering::Relaxed } else { Ordering::AcqRel };
        self.outboxed.fetch_sub(words, order);
    }

    /// Whether nothing waits in the outboxes: all that was sent before is in the rings, or further.
    #[inline]
    pub(crate) fn is_sent(&self) -> bool {
        self.outboxed.load(Ordering::Acquire) == 0
    }

    /// Whether so little waits in the outboxes that the node acknowledges what it has handled.
    #[inline]
    pub(crate) fn may_acknowledge(&self) -> bool {
        self.outboxed.load(Ordering::Acquire) <= self.reserve
    }

    /// Leaves the acknowledgements to the processor that empties the outboxes down to their reserve. The caller tries to, and
    /// then asks whether it [`settles`](Self::settles).
    pub(crate) fn owe(&self) {
        let order = if mutated!("owed-relaxed") { Ordering::Relaxed } else { Ordering::SeqCst };
        self.owed.store(true, order);
    }

    /// Whether the caller, who has moved on what it could, is to publish the acknowledgements now.
    pub(crate) fn settles(&self) -> bool {
        if !mutated!("settled-without-fence") {
            fence(Ordering::SeqCst);
        }
        self.may_acknowledge() && self.owed.load(Ordering::SeqCst) && self.owed.swap(false, Ordering::AcqRel)
    }

    /// Whether outboxes or acknowledgements have to be moved on.
    #[inline]
    pub(crate) fn is_left(&self) -> bool {
        !self.is_sent() || self.owed.load(Ordering::Acquire)
    }
}
