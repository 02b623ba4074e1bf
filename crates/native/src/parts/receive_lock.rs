//! The receive lock: one processor of a node at a time takes messages out of its lanes, so that each message keeps its place in the
//! order.
//!
//! It is a lock that is only ever tried, with one addition. A holder that runs a handler in place *offers* the lock meanwhile. The
//! handler does not need the lock, so another processor that has seen the handler take long may take the lock over. The former holder
//! finds out when its handler has ended, and receives no further. So a long handler keeps no other processor from receiving, and a brief
//! one keeps the lock where the cache lines of the lanes are.
//!
//! # States
//!
//! `holder` is 0 while the lock is free, and otherwise names the processor that has it. A processor that takes the lock changes it from
//! 0 to its number, a processor that takes the lock over from one number to another, and the last holder back to 0.
//!
//! The handlers that a processor runs in place are its [`Steps`]. It begins a handler only while it has the lock. So a processor that
//! takes the step of that handler takes the lock, and no other processor does. Each processor has steps of its own, because a processor
//! that has lost the lock is still in its handler when the next begins another. It finds out at the end of that handler. Until `holder`
//! names the new holder, no third processor takes anything: the step of the former holder is taken, or has ended.
//!
//! A processor may take over from itself: a thread that runs during its offer may serve. It has one handler on record at a time; beside a
//! second one it does not offer the lock, but gives it back.
//!
//! # Orderings
//!
//! Everything that the lock protects passes with it. Giving it back releases and taking it acquires, by `holder`. Taking it over acquires
//! everything before the start of the handler, by its step. The holder that regains it needs neither, because no other processor has had
//! it. Steps decide which of the two has it: the holder offers and regains the lock by plain accesses, once for each handler, and a
//! processor that takes it over, after microseconds of waiting, pays for both.
//!
//! This module must never know messages or handlers. It uses only the atomics of `sync`, so that the models run it as it is.

use std::cell::Cell;

use crate::fences::Fences;
use crate::padding::CachePadded;
use crate::sync::{AtomicUsize, Ordering, Steps, mutated};

/// The receive lock of one node.
pub(crate) struct ReceiveLock {
    /// Read by every processor that would receive. Changes once per batch.
    holder: CachePadded<AtomicUsize>,
    /// By processor of the node: the handlers that it runs in place.
    handlers: Box<[Steps]>,
    fences: Fences,
}

/// The held lock. Dropping it gives the lock back, unless it has been lost.
pub(crate) struct ReceiveGuard<'a> {
    lock: &'a ReceiveLock,
    /// The holder's handlers.
    handlers: &'a Steps,
    lost: Cell<bool>,
}

/// An offer of the lock during a handler.
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

impl ReceiveLock {
    /// The receive lock of a node with `processors` processors.
    pub(crate) fn among(processors: usize, fences: Fences) -> Self {
        Self {
            holder: CachePadded::default(),
            handlers: (0..processors).map(|_| Steps::default()).collect(),
            fences,
        }
    }

    /// Takes the lock for processor `number`, if it is free.
    #[inline]
    pub(crate) fn try_take(&self, number: usize) -> Option<ReceiveGuard<'_>> {
        let is_free = self.holder.0.load(Ordering::Relaxed) == FREE;
        let taken = is_free
            && self
                .holder
                .0
                .compare_exchange(FREE, name(number), Ordering::Acquire, Ordering::Relaxed)
                .is_ok();
        taken.then(|| self.guard_of(number))
    }

    /// The present offer of the lock, if there is one.
    pub(crate) fn offered(&self) -> Option<Offer> {
        let holder = self.holder.0.load(Ordering::Relaxed).checked_sub(name(0))?;
        let handler = self.handlers[holder].running()?;
        Some(Offer { holder, handler })
    }

    /// Takes the lock over for processor `number`, if it is still offered during that handler.
    pub(crate) fn take_over(&self, offer: Offer, number: usize) -> Option<ReceiveGuard<'_>> {
        let taken = self.handlers[offer.holder].take(offer.handler, self.fences);
        taken.then(|| self.inherit(number))
    }

    /// Takes the lock for processor `number` from a holder that [loses](ReceiveGuard::lose) it by other means.
    pub(crate) fn inherit(&self, number: usize) -> ReceiveGuard<'_> {
        self.holder.0.store(name(number), Ordering::Relaxed);
        self.guard_of(number)
    }

    fn guard_of(&self, number: usize) -> ReceiveGuard<'_> {
        ReceiveGuard { lock: self, handlers: &self.handlers[number], lost: Cell::new(false) }
    }
}

impl ReceiveGuard<'_> {
    /// Marks the lock as lost: another processor has [inherited](ReceiveLock::inherit) it.
    pub(crate) fn lose(&self) {
        self.lost.set(true);
    }

    /// Whether the holder still has the lock.
    #[inline]
    pub(crate) fn is_kept(&self) -> bool {
        !self.lost.get()
    }

    /// Runs `during`, which does not need the lock, and offers the lock meanwhile: a processor that finds that it takes long may take the
    /// lock over. Everything that the lock protects is in order meanwhile.
    #[inline]
    pub(crate) fn offer<R>(&self, during: impl FnOnce() -> R) -> R {
        debug_assert!(self.is_kept(), "what is offered is held");
        // Dropped, and so regained, also if `during` unwinds.
        let _regained = Regained::after(self);
        during()
    }

    /// Gives the lock back, finally.
    fn give_back(&self) {
        self.lost.set(true);
        let order = if mutated!("given-back-unseen") { Ordering::Relaxed } else { Ordering::Release };
        self.lock.holder.0.store(FREE, order);
    }
}

impl Drop for ReceiveGuard<'_> {
    fn drop(&mut self) {
        if self.is_kept() {
            self.give_back();
        }
    }
}

/// An offer of the lock during a handler. Dropping it, at the handler's end, records whether the lock has been lost.
struct Regained<'a, 'b> {
    guard: &'a ReceiveGuard<'b>,
    /// The handler's step; `None` if the lock has been given back instead.
    handler: Option<u64>,
}

impl<'a, 'b> Regained<'a, 'b> {
    #[inline]
    fn after(guard: &'a ReceiveGuard<'b>) -> Self {
        let may_begin = mutated!("begun-beside-another") || !guard.handlers.is_at_item();
        if !may_begin {
            guard.give_back();
        }
        Self { guard, handler: may_begin.then(|| guard.handlers.begin()) }
    }
}

impl Drop for Regained<'_, '_> {
    #[inline]
    fn drop(&mut self) {
        let Some(handler) = self.handler else { return };
        self.guard.lost.set(!self.guard.handlers.end(handler, self.guard.lock.fences));
    }
}

/// Value of `holder` while the lock is free.
const FREE: usize = 0;

/// Value of `holder` while processor `number` has the lock.
fn name(number: usize) -> usize {
    number + 1
}
