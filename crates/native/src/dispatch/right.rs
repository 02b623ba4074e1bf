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
//! `holder` is 0 while the right is free, and else says which processor has it. It goes from 0 to a number by who takes the right,
//! from one number to another by who takes it over, and back to 0 by who has it last.
//!
//! The handlers that a processor runs in place are its [`Steps`]. It begins one only while it has the right: so whoever takes
//! what is held beside that handler takes the right, and nobody else does. Each processor has steps of its own, because one that
//! has lost the right is still at its handler when the next begins another. It finds out at the end of that handler. Until
//! `holder` says who has taken over, nobody else takes anything: what it names is taken, or has ended.
//!
//! A processor may take over from itself: what runs during its offer may be a thread's, and serve. It has one handler on record
//! at a time, and does not offer the right beside a second one, but gives it back.
//!
//! # Orderings
//!
//! Whatever the right protects is passed on with it. Giving it back releases and taking it acquires, by `holder`. Taking it over
//! acquires what was done before the handler began, by its step. The holder that regains it needs neither: nobody else has had
//! it. That of the two one has it is what steps are for: the holder offers and regains the right by plain accesses, once for each
//! handler, and who takes it over, after microseconds of waiting, pays for both.
//!
//! This module must never know messages or handlers. It names no atomic but those of `sync`, so that the models run it as it is.

use std::cell::Cell;

use crate::apart::Alone;
use crate::fences::Fences;
use crate::sync::{AtomicUsize, Ordering, Steps, mutated};

/// A handler that takes no longer, in nanoseconds, is waited for: to pass the right on moves the lines of the lanes to another
/// cache, and back.
pub(crate) const PATIENCE_NS: u64 = 5_000;

/// A handler that takes no longer is waited for where processors share cores: its processor may have lost its core for a while.
pub(crate) const SHARED_PATIENCE_NS: u64 = 100_000;

/// The right to receive of one node.
pub(crate) struct Right {
    /// Looked at by whoever would receive. Changes once in a batch.
    holder: Alone<AtomicUsize>,
    /// Of each processor of the node, the handlers that it runs in place.
    handlers: Box<[Steps]>,
    fences: Fences,
}

/// The right, held. Dropping it gives it back, unless it has been lost.
pub(crate) struct Turn<'a> {
    right: &'a Right,
    /// The holder's handlers.
    handlers: &'a Steps,
    lost: Cell<bool>,
}

/// A handler beside which the right is offered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Offer {
    holder: usize,
    handler: u64,
}

/// A handler of another processor, while it may be taking too long.
pub(crate) struct Watch<H> {
    handler: Cell<Option<H>>,
    since_ns: Cell<u64>,
}

impl<H> Default for Watch<H> {
    fn default() -> Self {
        Self { handler: Cell::new(None), since_ns: Cell::new(0) }
    }
}

impl<H: Copy + PartialEq> Watch<H> {
    /// Whether that handler has been watched for longer than `patience_ns`. Asked again and again, with the time.
    pub(crate) fn is_late(&self, handler: H, now_ns: u64, patience_ns: u64) -> bool {
        if self.handler.replace(Some(handler)) != Some(handler) {
            self.since_ns.set(now_ns);
        }
        now_ns - self.since_ns.get() >= patience_ns
    }
}

impl Right {
    /// For processors of the numbers below `processors`.
    pub(crate) fn among(processors: usize, fences: Fences) -> Self {
        Self {
            holder: Alone::default(),
            handlers: (0..processors).map(|_| Steps::default()).collect(),
            fences,
        }
    }

    /// The right for the processor of that number, if nobody has it.
    #[inline]
    pub(crate) fn try_take(&self, number: usize) -> Option<Turn<'_>> {
        let is_free = self.holder.0.load(Ordering::Relaxed) == FREE;
        let taken = is_free
            && self
                .holder
                .0
                .compare_exchange(FREE, name(number), Ordering::Acquire, Ordering::Relaxed)
                .is_ok();
        taken.then(|| self.turn_of(number))
    }

    /// The handler beside which the right is offered, if it is.
    pub(crate) fn offered(&self) -> Option<Offer> {
        let holder = self.holder.0.load(Ordering::Relaxed).checked_sub(name(0))?;
        let handler = self.handlers[holder].running()?;
        Some(Offer { holder, handler })
    }

    /// The right for the processor of that number, if it is still offered beside that handler.
    pub(crate) fn take_over(&self, offer: Offer, number: usize) -> Option<Turn<'_>> {
        let taken = self.handlers[offer.holder].take(offer.handler, self.fences);
        taken.then(|| self.inherit(number))
    }

    /// The right for the processor of that number, from a holder that has left it to that one by other means: it
    /// [loses](Turn::lose) it.
    pub(crate) fn inherit(&self, number: usize) -> Turn<'_> {
        self.holder.0.store(name(number), Ordering::Relaxed);
        self.turn_of(number)
    }

    fn turn_of(&self, number: usize) -> Turn<'_> {
        Turn { right: self, handlers: &self.handlers[number], lost: Cell::new(false) }
    }
}

impl Turn<'_> {
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
        debug_assert!(self.is_kept(), "what is offered is held");
        // It regains the right also when that unwinds.
        let _regained = Regained::after(self);
        during()
    }

    /// Gives the right back, for good.
    fn give_back(&self) {
        self.lost.set(true);
        let order = if mutated!("given-back-unseen") { Ordering::Relaxed } else { Ordering::Release };
        self.right.holder.0.store(FREE, order);
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if self.is_kept() {
            self.give_back();
        }
    }
}

/// Offers the right beside a handler. Dropping it, at the end of that, says whether it has been lost.
struct Regained<'a, 'b> {
    turn: &'a Turn<'b>,
    /// None where the right has been given back.
    handler: Option<u64>,
}

impl<'a, 'b> Regained<'a, 'b> {
    #[inline]
    fn after(turn: &'a Turn<'b>) -> Self {
        let may_begin = mutated!("begun-beside-another") || !turn.handlers.is_at_item();
        if !may_begin {
            turn.give_back();
        }
        Self { turn, handler: may_begin.then(|| turn.handlers.begin()) }
    }
}

impl Drop for Regained<'_, '_> {
    #[inline]
    fn drop(&mut self) {
        let Some(handler) = self.handler else { return };
        self.turn.lost.set(!self.turn.handlers.end(handler, self.turn.right.fences));
    }
}

/// What `holder` is while nobody has the right.
const FREE: usize = 0;

/// What `holder` is while the processor of that number has it.
fn name(number: usize) -> usize {
    number + 1
}
