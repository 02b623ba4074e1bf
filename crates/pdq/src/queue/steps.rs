//! The items of a holder, one after the other, and who takes what it holds beside the one that runs.
//!
//! There is an item every few nanoseconds, and somebody who would take rarely, behind one that is long. So the holder begins and
//! ends an item by plain stores and a plain load, and whoever takes pays for the order of both ([`Fences`]).
//!
//! # States
//!
//! `step` is the holder's: odd while an item runs, and that item's number. `bid` belongs to those who would take. For the item `i`
//! it goes through these, and it only grows:
//!
//! | `bid` | |
//! |---|---|
//! | below `2i` | nobody has asked |
//! | `2i` | somebody has asked, and has not been answered |
//! | `2i + 1` | taken: that one has what the holder had, but for the item |
//! | above | refused: the item ended first |
//!
//! Whoever would take writes `2i`, passes the heavy fence and reads `step`. Only if that is `i` it goes on from `2i` to
//! `2i + 1`. The holder that ends an item writes `step`, passes the light fence and reads `bid`. If somebody has asked, it goes on
//! from `2i` to `2i + 2`. Each of the two changes is a compare-exchange, so one of them fails, and says so.
//!
//! # Why not both have it
//!
//! One of the two fences comes first. If it is the heavy one, the holder reads `2i` or more behind the light one, and the
//! compare-exchanges decide. If it is the light one, whoever would take reads a `step` beyond `i` behind the heavy one, and leaves
//! `2i` where it is: the next item's number is larger, so that says nothing about it. As `step` and `bid` only grow, the first look
//! at either may be old: whoever would take an item that is long over finds `step` beyond it behind the fence, and a
//! compare-exchange that comes late fails whatever has happened meanwhile. Of several that would take the rest beside one item the
//! first to write `2i` may, and all others are told no.
//!
//! An item whose handler panics ends like any other. The holder may be another thread from one time to the next, as from one seizure of a
//! queue to another; what they pass through to get there orders their steps. Neither number comes round: at an item in a nanosecond that
//! takes 146 years.
//!
//! # Orderings
//!
//! The holder begins an item with release. Whoever takes has read that step before the heavy fence, which acquires it: so behind
//! the fence it sees what the holder wrote before, all earlier items included. All else is relaxed: the fences order it, and what
//! whoever takes leaves to the holder is passed on elsewhere.
//!
//! This module must never know what an item is, nor what is taken.

use super::padded::Padded;
use crate::sync::{AtomicU64, Fences, Ordering, mutated};

/// The items of a holder, one after the other, and who takes what it holds beside the one that runs: at most one does for each
/// item. The holder pays no locked instruction for an item where the [`Fences`] are asymmetric. All of them are given the same
/// pair.
///
/// ```
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
/// ```
#[derive(Debug, Default)]
pub struct Steps {
    /// Others look at it now and then while the holder stores to it.
    step: AtomicU64,
    /// The holder reads it with every item. So it has a line to itself, which hardly ever changes.
    bid: Padded<AtomicU64>,
}

impl Steps {
    /// The last step. For the holder: it alone stores one, and what passes on what it holds orders those of the holders before.
    #[inline]
    pub(super) fn last(&self) -> u64 {
        self.step.load(Ordering::Relaxed)
    }

    /// Whether an item runs. For the holder, which begins none before that has ended.
    #[inline]
    pub fn is_at_item(&self) -> bool {
        runs(self.last())
    }

    /// The item that runs, if nobody has taken what is held beside it.
    #[inline]
    pub fn running(&self) -> Option<u64> {
        let step = self.step.load(Ordering::Relaxed);
        let is_taken = || self.bid.load(Ordering::Relaxed) == taken(step);
        (runs(step) && !is_taken()).then_some(step)
    }

    /// The holder begins an item, whose number is the one after the last step.
    #[inline]
    pub fn begin(&self) -> u64 {
        let item = self.last() + 1;
        let order = if mutated!("item-unseen") { Ordering::Relaxed } else { Ordering::Release };
        self.step.store(item, order);
        item
    }

    /// The holder ends that item. False if everything else has been taken meanwhile.
    #[inline]
    pub fn end(&self, item: u64, fences: Fences) -> bool {
        self.step.store(item + 1, Ordering::Relaxed);
        fences.light();
        if mutated!("breaking-in-unseen") {
            return true;
        }
        self.bid.load(Ordering::Relaxed) < asked(item) || self.refuse(item)
    }

    /// Somebody has asked. Whether that one comes too late.
    #[cold]
    fn refuse(&self, item: u64) -> bool {
        if mutated!("asked-is-refused") {
            return self.bid.load(Ordering::Relaxed) != taken(item);
        }
        let (old, new) = (asked(item), asked(item + 1));
        self.bid.compare_exchange(old, new, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Takes what the holder has beside that item. False if the item does not run, or somebody has asked for it before.
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

/// Whether an item runs at that step.
fn runs(step: u64) -> bool {
    step % 2 == 1
}

fn asked(item: u64) -> u64 {
    2 * item
}

fn taken(item: u64) -> u64 {
    asked(item) + 1
}
