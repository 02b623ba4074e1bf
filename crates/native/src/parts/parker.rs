//! Parkers: where a processor sleeps until it is woken.
//!
//! # Why no wake-up is lost
//!
//! A supplier of work stores it (in a ring slot, an inbox, a queue), then passes the light fence of [`Fences`], then tests whether the
//! sleeper is parked. A sleeper says that it is parked, passes the heavy fence, then looks for work once more. One of the two fences comes
//! first, so either the supplier sees the sleeper parked and wakes it, or the sleeper sees the work.
//!
//! A *nap* ends by itself. So it passes no fence: a missed wake-up costs the rest of the nap. Naps are for conditions that become true
//! without a wake-up (room in a ring, a credit).
//!
//! # Engaged processors
//!
//! A supplier of work wakes no processor if one of several is awake, because that one will look: unless it has announced that it is
//! *engaged*, and may run long handlers. It announces that, passes a full fence, and then looks for work for which another processor has
//! to be woken. The supplier too passes a full fence before it relies on an awake processor while another sleeps. One of the two fences
//! comes first, so either the supplier sees that no processor will look, or the engaged one sees the work, and a sleeper to wake.
//!
//! Several processors may wake one sleeper: whichever clears `parked` does so.
//!
//! # Idle processors
//!
//! A processor also says here whether it *idles*: it has no thread to run, and looks for messages or sleeps (`attendance`).
//!
//! The three are plain words, which memory that several processes share can hold as well. This module must never know the work; it uses
//! only the atomics of `sync`, the memory of `words` and `sleep`, so that the models run it as it is.

use std::time::Duration;

use crate::fences::Fences;
use crate::sleep;
use crate::sync::{AtomicU32, Ordering, fence, mutated};
use crate::words::{ParkerWords, parker_words};

/// The parker of a processor. Each word is 1 or 0, unless stated.
pub(crate) struct Parker(ParkerWords);

/// Place of the word that states whether the owner sleeps, or is about to: [`AWAKE`], [`ASLEEP`] or [`OVER`]. The owner sleeps on it.
const PARKED: usize = 0;

/// The owner is awake, or rests.
const AWAKE: u32 = 0;

/// The owner sleeps or naps, or is about to.
const ASLEEP: u32 = 1;

/// The owner has been woken for good: it is not to rest again.
const OVER: u32 = 2;

/// Place of the word that states whether the awake owner may run long handlers.
const ENGAGED: usize = 1;

/// Place of the word that states whether the owner idles.
const IDLING: usize = 2;

impl Default for Parker {
    fn default() -> Self {
        Self::of(parker_words())
    }
}

impl Parker {
    /// The parker with these words.
    pub(crate) fn of(words: ParkerWords) -> Self {
        Self(words)
    }

    /// The words, for a test that writes to them.
    #[cfg(test)]
    pub(crate) fn words(&self) -> &ParkerWords {
        &self.0
    }

    #[inline]
    fn parked(&self) -> &AtomicU32 {
        &self.0[PARKED]
    }

    /// Whether the owner idles, as far as it has said.
    #[inline]
    pub(crate) fn is_idling(&self) -> bool {
        self.0[IDLING].load(Ordering::Relaxed) != 0
    }

    /// Announces whether the owner idles.
    pub(crate) fn idle(&self, idles: bool) {
        self.0[IDLING].store(idles.into(), Ordering::Relaxed);
    }

    /// Whether the owner sleeps here, or is about to. A caller that has supplied work has passed the light fence.
    #[inline]
    pub(crate) fn is_parked(&self) -> bool {
        self.parked().load(Ordering::Relaxed) == ASLEEP
    }

    /// Announces whether the owner may run long handlers, and so may not look for other work.
    #[inline]
    pub(crate) fn engage(&self, engaged: bool) {
        self.0[ENGAGED].store(engaged.into(), Ordering::Relaxed);
    }

    /// Announces that the owner may run long handlers from now on. Returns true if one of `others` sleeps: it then has to be woken for
    /// earlier work, which its supplier may have left to this owner.
    pub(crate) fn engage_beside<'a>(&self, mut others: impl Iterator<Item = &'a Self>) -> bool {
        self.engage(true);
        if !mutated!("engaged-without-fence") {
            fence(Ordering::SeqCst);
        }
        others.any(Self::is_parked)
    }

    /// Whether the owner will not look for work soon, unless woken.
    #[inline]
    pub(crate) fn is_away(&self) -> bool {
        self.is_parked() || self.is_engaged()
    }

    /// Whether the owner may run long handlers.
    #[inline]
    pub(crate) fn is_engaged(&self) -> bool {
        self.0[ENGAGED].load(Ordering::Relaxed) != 0
    }

    /// Whether none of these owners will look for work soon, unless woken. A caller that has supplied work has passed the light
    /// fence.
    pub(crate) fn are_away(all: &[Self]) -> bool {
        if all.iter().all(Self::is_away) {
            return true;
        }
        if !all.iter().any(Self::is_parked) {
            return false;
        }
        if !mutated!("given-without-fence") {
            fence(Ordering::SeqCst);
        }
        all.iter().all(Self::is_away)
    }

    /// Wakes the sleeper. Returns false if there is none. A caller that has supplied work has passed the light fence.
    #[inline]
    pub(crate) fn wake(&self) -> bool {
        self.is_parked() && self.wake_sleeper()
    }

    /// Wakes the owner if it sleeps, naps or rests, for good.
    pub(crate) fn wake_from_anything(&self) {
        self.parked().store(OVER, Ordering::Release);
        sleep::wake(self.parked());
    }

    #[cold]
    fn wake_sleeper(&self) -> bool {
        let slept =
            self.parked().compare_exchange(ASLEEP, AWAKE, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        if slept {
            sleep::wake(self.parked());
        }
        slept
    }

    /// Sleeps until woken, unless `there_is_work`. Returns whether it slept.
    pub(crate) fn park_unless(&self, fences: &Fences, there_is_work: impl FnOnce() -> bool) -> bool {
        self.parked().store(ASLEEP, Ordering::Relaxed);
        fences.heavy();
        let sleeps = !there_is_work();
        if !sleeps {
            self.parked().store(AWAKE, Ordering::Relaxed);
        }
        while self.parked().load(Ordering::Acquire) == ASLEEP {
            sleep::wait(self.parked(), ASLEEP, None);
        }
        sleeps
    }

    /// Sleeps until woken, but at most for `longest`, unless `there_is_work`.
    pub(crate) fn nap_unless(&self, longest: Duration, there_is_work: impl FnOnce() -> bool) {
        self.parked().store(ASLEEP, Ordering::Relaxed);
        if !there_is_work() {
            sleep::wait(self.parked(), ASLEEP, Some(longest));
        }
        // Exchanged, not stored: an exchange is atomic, but the model checker takes a plain store for one that may come between a wake-up's
        // read and write, and then finds a lost wake-up that no host loses.
        self.parked().swap(AWAKE, Ordering::Relaxed);
    }

    /// Rests for `length`, or until woken for good. No other wake-up ends a rest.
    pub(crate) fn rest(&self, length: Duration) {
        sleep::wait(self.parked(), AWAKE, Some(length));
    }
}
