//! The right to receive: one processor of a node at a time takes messages out of its lanes, so that each message has its place
//! behind those before it.
//!
//! It is a lock that is only ever tried, with one addition. A holder that runs a handler in place *offers* the right for as long
//! as that takes. Meanwhile nobody needs it, so another processor that has seen the handler take long may take it over. The
//! holder finds out when its handler has ended, and receives no further. So a long handler keeps nobody from receiving, and a
//! brief one keeps the right where the lines of the lanes are.
//!
//! # States
//!
//! | `taken` | `step` | the right is |
//! |---|---|---|
//! | false | even | free |
//! | true | even | held by a processor that receives |
//! | true | odd | held by a processor that runs a handler, and offered |
//!
//! `taken` goes from false to true by who takes the right, and back by who has it last. `step` only grows. The holder alone makes
//! it odd. An odd step is left once: by the holder, which has its right back then, or by who takes it over, which is the
//! holder from then on. So a holder whose step has gone on without it has lost the right.
//!
//! # Orderings
//!
//! Whatever the right protects is passed on with it. Giving it back releases and taking it acquires, by `taken`. Offering it
//! releases and taking it over acquires, by `step`. The holder that regains it needs neither: nobody else has had it.
//!
//! This module must never know messages or handlers. It names no atomic but those of `sync`, so that the models run it as it is.

use std::cell::Cell;

use crate::ring::Alone;
use crate::sync::{AtomicBool, AtomicU64, Ordering, mutated};

/// A handler that takes no longer, in nanoseconds, is waited for: to pass the right on moves the lines of the lanes to another
/// cache, and back.
pub(crate) const PATIENCE_NS: u64 = 5_000;

/// A handler that takes no longer is waited for where processors share cores: its processor may have lost its core for a while.
pub(crate) const SHARED_PATIENCE_NS: u64 = 100_000;

/// The right to receive of one node.
#[derive(Default)]
pub(crate) struct Right {
    /// Looked at by whoever would receive. Changes once in a batch.
    taken: Alone<AtomicBool>,
    /// Changes with every handler that is run in place.
    step: Alone<AtomicU64>,
}

/// The right, held. Dropping it gives it back, unless it has been lost.
pub(crate) struct Turn<'a> {
    right: &'a Right,
    /// The step that the holder left `step` at.
    step: Cell<u64>,
    lost: Cell<bool>,
}

/// A handler of another processor, while it may be taking too long.
#[derive(Default)]
pub(crate) struct Watch {
    handler: Cell<u64>,
    since_ns: Cell<u64>,
}

impl Watch {
    /// Whether the handler of that number has been watched for longer than `patience_ns`. Asked again and again, with the time.
    pub(crate) fn is_late(&self, handler: u64, now_ns: u64, patience_ns: u64) -> bool {
        if self.handler.replace(handler) != handler {
            self.since_ns.set(now_ns);
        }
        now_ns - self.since_ns.get() >= patience_ns
    }
}

impl Right {
    /// The right, if nobody has it.
    #[inline]
    pub(crate) fn try_take(&self) -> Option<Turn<'_>> {
        let is_free = !self.taken.0.load(Ordering::Relaxed);
        let taken = is_free
            && self.taken.0.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok();
        taken.then(|| Turn::at(self, self.step.0.load(Ordering::Relaxed)))
    }

    /// The step at which the holder offers the right, if it does. Another handler is another step.
    pub(crate) fn offered(&self) -> Option<u64> {
        Some(self.step.0.load(Ordering::Relaxed)).filter(|step| is_offered(*step))
    }

    /// The right, if its holder still offers it at that step.
    pub(crate) fn take_over(&self, offered: u64) -> Option<Turn<'_>> {
        let order = if mutated!("taken-over-unseen") { Ordering::Relaxed } else { Ordering::Acquire };
        self.step.0.compare_exchange(offered, offered + 1, order, Ordering::Relaxed).ok()?;
        Some(Turn::at(self, offered + 1))
    }

    /// The right, from a holder that has left it to the caller by other means: it [loses](Turn::lose) it.
    pub(crate) fn inherit(&self) -> Turn<'_> {
        Turn::at(self, self.step.0.load(Ordering::Relaxed))
    }
}

impl<'a> Turn<'a> {
    fn at(right: &'a Right, step: u64) -> Self {
        Self { right, step: Cell::new(step), lost: Cell::new(false) }
    }

    /// The right has been left to another processor, which [inherits](Right::inherit) it.
    pub(crate) fn lose(&self) {
        self.lost.set(true);
    }

    /// Whether the right has not been taken over.
    #[inline]
    pub(crate) fn is_kept(&self) -> bool {
        !self.lost.get()
    }

    /// Does something that needs no right: whoever finds that it takes long may take the right over. What the right protects is
    /// in order meanwhile.
    #[inline]
    pub(crate) fn offer<R>(&self, during: impl FnOnce() -> R) -> R {
        // It regains the right also when that unwinds.
        let _regained = Offer::of(self);
        during()
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if self.is_kept() {
            let order = if mutated!("given-back-unseen") { Ordering::Relaxed } else { Ordering::Release };
            self.right.taken.0.store(false, order);
        }
    }
}

/// The right, offered: until it is dropped.
struct Offer<'a, 'b>(&'a Turn<'b>);

impl<'a, 'b> Offer<'a, 'b> {
    #[inline]
    fn of(turn: &'a Turn<'b>) -> Self {
        debug_assert!(turn.is_kept() && !is_offered(turn.step.get()), "a turn is offered once at a time");
        turn.step.set(turn.step.get() + 1);
        let order = if mutated!("offered-unseen") { Ordering::Relaxed } else { Ordering::Release };
        turn.right.step.0.store(turn.step.get(), order);
        Self(turn)
    }
}

impl Drop for Offer<'_, '_> {
    #[inline]
    fn drop(&mut self) {
        let (turn, step) = (self.0, self.0.step.get());
        if mutated!("regained-unasked") {
            return turn.right.step.0.store(step + 1, Ordering::Relaxed);
        }
        let regained =
            turn.right.step.0.compare_exchange(step, step + 1, Ordering::Relaxed, Ordering::Relaxed);
        turn.step.set(step + 1);
        turn.lost.set(regained.is_err());
    }
}

fn is_offered(step: u64) -> bool {
    step % 2 == 1
}
