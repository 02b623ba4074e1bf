//! The items of a holder, one after the other, and the protocol by which another thread takes the rest of its
//! holding.
//!
//! Items last a few nanoseconds each, and a taker comes rarely, behind an item that is long. So the holder begins and
//! ends an item by plain stores and a plain load, and the taker pays for the order of both ([`Fences`]).
//!
//! # States
//!
//! `step` is written by the holder: odd while an item runs, and that item's number. `bid` is written by takers. For
//! the item `i` it goes through these values, and it only grows:
//!
//! | `bid` | |
//! |---|---|
//! | below `2i` | no taker has asked |
//! | `2i` | a taker has asked, and has not been answered |
//! | `2i + 1` | taken: the taker has the holder's keys, except the item's |
//! | above | refused: the item ended first |
//!
//! A taker writes `2i`, passes the heavy fence and reads `step`. Only if that is `i` it goes on from `2i` to
//! `2i + 1`. A holder that ends an item writes `step`, passes the light fence and reads `bid`. If a taker has asked, the
//! holder goes on from `2i` to `2i + 2`. Each of the two changes is a compare-exchange, so one of them fails, and its
//! thread knows.
//!
//! # Exclusion
//!
//! One of the two fences comes first. If it is the heavy one, the holder reads `2i` or more behind the light one, and
//! the compare-exchanges decide. If it is the light one, the taker reads a `step` beyond `i` behind the heavy one,
//! and leaves `2i` in place: the next item's number is larger, so this value says nothing about it. As `step` and
//! `bid` only grow, the first look at either may be old. A taker for an item that is long over finds `step` beyond it
//! behind the fence, and a late compare-exchange fails whatever has happened meanwhile. Of several takers for one
//! item, the first to write `2i` may go on, and all others are refused.
//!
//! An item whose handler panics ends like any other. The holder may change from one time to the next, as from one
//! seizure of a queue to another; the synchronization between the two holders orders their steps. Neither number
//! wraps around: at an item per nanosecond that takes 146 years.
//!
//! # Orderings
//!
//! The holder begins an item with release. A taker has read that step before the heavy fence, which acquires it: so
//! behind the fence it sees the holder's earlier writes, all earlier items included. All else is relaxed: the fences
//! order it, and the data that a taker leaves to the holder is synchronized elsewhere.
//!
//! This module must never know the meaning of an item, nor the nature of the holding.

use super::padded::Padded;
use crate::sync::{AtomicU64, Fences, Ordering, mutated};

/// Items that a holder of keys runs one after the other, and the protocol by which another thread, a taker, takes all keys of the
/// holder except the running item's key. At most one taker succeeds for each item. The holder pays no locked instruction for an
/// item where the [`Fences`] are asymmetric. All threads use the same pair of fences.
///
/// ```
/// # #[cfg(feature = "low-level")] {
/// use tradewind_pdq::{Fences, Steps};
///
/// let (steps, fences) = (Steps::default(), Fences::asymmetric());
/// let first = steps.begin();
/// assert!(steps.end(first, fences), "nobody has taken anything");
///
/// let second = steps.begin();
/// assert_eq!(steps.running(), Some(second));
/// assert!(steps.take(second, fences) && !steps.take(second, fences), "once");
/// assert!(!steps.end(second, fences));
/// # }
/// ```
#[derive(Debug, Default)]
pub struct Steps {
    /// Number of the running item, if odd; the next even number after it ended. Other threads read it now and then while the
    /// holder stores to it.
    step: AtomicU64,
    /// Number that tells whether a taker has asked for an item, and the answer: see the table at the head of the module. The holder
    /// reads it with every item, so it has a cache line to itself, which hardly ever changes.
    bid: Padded<AtomicU64>,
}

impl Steps {
    /// Returns the last value of `step`. Only the holder calls this: it alone stores values, and the hand-over from an earlier
    /// holder orders that holder's values before.
    #[inline]
    pub(super) fn last(&self) -> u64 {
        self.step.load(Ordering::Relaxed)
    }

    /// Whether the holder of the keys runs an item now. Only the holder may call this.
    #[inline]
    pub fn is_at_item(&self) -> bool {
        runs(self.last())
    }

    /// Number of the running item; `None` if no item runs, or if another thread has taken the holder's other keys.
    #[inline]
    pub fn running(&self) -> Option<u64> {
        let step = self.step.load(Ordering::Relaxed);
        let is_taken = || self.bid.load(Ordering::Relaxed) == taken(step);
        (runs(step) && !is_taken()).then_some(step)
    }

    /// Begins the holder's next item and returns the item's number.
    #[inline]
    pub fn begin(&self) -> u64 {
        let item = self.last() + 1;
        let order = if mutated!("item-unseen") { Ordering::Relaxed } else { Ordering::Release };
        self.step.store(item, order);
        item
    }

    /// Ends the holder's item with number `item`. Returns false if another thread has taken the holder's other keys meanwhile.
    #[inline]
    pub fn end(&self, item: u64, fences: Fences) -> bool {
        self.step.store(item + 1, Ordering::Relaxed);
        fences.light();
        if mutated!("breaking-in-unseen") {
            return true;
        }
        self.bid.load(Ordering::Relaxed) < asked(item) || self.refuse(item)
    }

    /// Refuses the taker that has asked for the holder's other keys while `item` ran. Returns false if the refusal comes too late:
    /// the taker has the keys already.
    #[cold]
    fn refuse(&self, item: u64) -> bool {
        if mutated!("asked-is-refused") {
            return self.bid.load(Ordering::Relaxed) != taken(item);
        }
        let (old, new) = (asked(item), asked(item + 1));
        self.bid.compare_exchange(old, new, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Takes all keys of the holder except the key of `item`, which runs. Returns false if `item` does not run, or if another taker
    /// has asked before during this item.
    #[cold]
    pub fn take(&self, item: u64, fences: Fences) -> bool {
        let (order, last) = (Ordering::Relaxed, self.bid.load(Ordering::Relaxed));
        let is_item_running = || runs(item) && self.step.load(order) == item;
        if !is_item_running() || last >= asked(item) {
            return false;
        }
        if self.bid.compare_exchange(last, asked(item), order, order).is_err() {
            return false;
        }
        fences.heavy();
        let runs_still = mutated!("end-unseen") || is_item_running();
        runs_still && self.bid.compare_exchange(asked(item), taken(item), order, order).is_ok()
    }
}

/// Whether an item runs at this value of `step`.
fn runs(step: u64) -> bool {
    step % 2 == 1
}

fn asked(item: u64) -> u64 {
    2 * item
}

fn taken(item: u64) -> u64 {
    asked(item) + 1
}
