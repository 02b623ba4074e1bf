//! The right to receive: one processor of a node at a time takes messages out of its lanes, so that each message keeps its place in the
//! order.
//!
//! It is a lock that is only ever tried, with one addition. A holder that runs a handler in place *offers* the right meanwhile. The
//! handler does not need the right, so another processor that has seen the handler take long may take the right over. The former holder
//! finds out when its handler has ended, and receives no further. So a long handler keeps no other processor from receiving, and a brief
//! one keeps the right where the cache lines of the lanes are.
//!
//! # States
//!
//! `holder` is 0 while the right is free, and otherwise names the processor that has it. A processor that takes the right changes it from
//! 0 to its number, a processor that takes the right over from one number to another, and the last holder back to 0.
//!
//! The handlers that a processor runs in place are its [`Steps`]. It begins a handler only while it has the right. So a processor that
//! takes the step of that handler takes the right, and no other processor does. Each processor has steps of its own, because a processor
//! that has lost the right is still in its handler when the next begins another. It finds out at the end of that handler. Until `holder`
//! names the new holder, no third processor takes anything: the step of the former holder is taken, or has ended.
//!
//! A processor may take over from itself: a thread that runs during its offer may serve. It has one handler on record at a time; beside a
//! second one it does not offer the right, but gives it back.
//!
//! # Orderings
//!
//! Everything that the right protects passes with it. Giving it back releases and taking it acquires, by `holder`. Taking it over acquires
//! everything before the start of the handler, by its step. The holder that regains it needs neither, because no other processor has had
//! it. Steps decide which of the two has it: the holder offers and regains the right by plain accesses, once for each handler, and a
//! processor that takes it over, after microseconds of waiting, pays for both.
//!
//! This module must never know messages or handlers. It uses only the atomics of `sync`, so that the models run it as it is.

use std::cell::Cell;

use crate::apart::Alone;
use crate::fences::Fences;
use crate::sync::{AtomicUsize, Ordering, Steps, mutated};

/// Time of a handler, in nanoseconds, up to which other processors wait for it: passing the right on moves the cache lines of the lanes
/// to another cache, and back.
pub(crate) const PATIENCE_NS: u64 = 5_000;

/// Time of a handler up to which others wait for it if processors share cores: its processor may have lost its core for a while.
pub(crate) const SHARED_PATIENCE_NS: u64 = 100_000;

/// The right to receive of one node.
pub(crate) struct Right {
    /// Read by every processor that would receive. Changes once per batch.
    holder: Alone<AtomicUsize>,
    /// By processor of the node: the handlers that it runs in place.
    handlers: Box<[Steps]>,
    fences: Fences,
}

/// A held right. Dropping it gives the right back, unless it has been lost.
pub(crate) struct Turn<'a> {
    right: &'a Right,
    /// The holder's handlers.
    handlers: &'a Steps,
    lost: Cell<bool>,
}

/// An offer of the right during a handler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Offer {
    holder: usize,
    handler: u64,
}

/// Timing of another processor's handler that may be taking too long.
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
    /// Whether this handler has been watched for longer than `patience_ns`. To be called repeatedly, with the time.
    pub(crate) fn is_late(&self, handler: H, now_ns: u64, patience_ns: u64) -> bool {
        if self.handler.replace(Some(handler)) != Some(handler) {
            self.since_ns.set(now_ns);
        }
        now_ns - self.since_ns.get() >= patience_ns
    }
}

impl Right {
    /// The right of a node with `processors` processors.
    pub(crate) fn among(processors: usize, fences: Fences) -> Self {
        Self {
            holder: Alone::default(),
            handlers: (0..processors).map(|_| Steps::default()).collect(),
            fences,
        }
    }

    /// Takes the right for processor `number`, if it is free.
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

    /// The present offer of the right, if there is one.
    pub(crate) fn offered(&self) -> Option<Offer> {
        let holder = self.holder.0.load(Ordering::Relaxed).checked_sub(name(0))?;
        let handler = self.handlers[holder].running()?;
        Some(Offer { holder, handler })
    }

    /// Takes the right over for processor `number`, if it is still offered during that handler.
    pub(crate) fn take_over(&self, offer: Offer, number: usize) -> Option<Turn<'_>> {
        let taken = self.handlers[offer.holder].take(offer.handler, self.fences);
        taken.then(|| self.inherit(number))
    }

    /// Takes the right for processor `number` from a holder that [loses](Turn::lose) it by other means.
    pub(crate) fn inherit(&self, number: usize) -> Turn<'_> {
        self.holder.0.store(name(number), Ordering::Relaxed);
        self.turn_of(number)
    }

    fn turn_of(&self, number: usize) -> Turn<'_> {
        Turn { right: self, handlers: &self.handlers[number], lost: Cell::new(false) }
    }
}

impl Turn<'_> {
    /// Marks the right as lost: another processor has [inherited](Right::inherit) it.
    pub(crate) fn lose(&self) {
        self.lost.set(true);
    }

    /// Whether the holder still has the right.
    #[inline]
    pub(crate) fn is_kept(&self) -> bool {
        !self.lost.get()
    }

    /// Runs `during`, which needs no right, and offers the right meanwhile: a processor that finds that it takes long may take the right
    /// over. Everything that the right protects is in order meanwhile.
    #[inline]
    pub(crate) fn offer<R>(&self, during: impl FnOnce() -> R) -> R {
        debug_assert!(self.is_kept(), "what is offered is held");
        // Dropped, and so regained, also if `during` unwinds.
        let _regained = Regained::after(self);
        during()
    }

    /// Gives the right back, finally.
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

/// An offer of the right during a handler. Dropping it, at the handler's end, records whether the right has been lost.
struct Regained<'a, 'b> {
    turn: &'a Turn<'b>,
    /// The handler's step; `None` if the right has been given back instead.
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

/// Value of `holder` while the right is free.
const FREE: usize = 0;

/// Value of `holder` while processor `number` has the right.
fn name(number: usize) -> usize {
    number + 1
}
