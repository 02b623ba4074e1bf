//! When a world has ended, or never will.
//!
//! # Exactness
//!
//! Every processor counts what it gives others to do (`sent`: messages, wake-ups across processors, grants) before
//! anybody can see it, and what it has done of that (`handled`) after it has done it. It says `idle` when it has no ready
//! thread, sees no work and is about to sleep, and takes that back before it touches any.
//!
//! Two waves look at all processors: the first reads `idle` and `handled`, the second `idle` and `sent`. If both find
//! everybody idle and the sums agree, nothing was going on at the end of the first wave (Mattern, "Algorithms for
//! distributed termination detection", 1987, the four-counter method): `handled` only grows and was read first, `sent`
//! only grows and was read last, so equality means that at the moment between the waves everything sent had been
//! handled. Then nobody has work, and only work makes work. (A processor takes back what it has counted for a send that found
//! no room. It is not idle then, and what is counted meanwhile is too much, never too little.)
//!
//! `handled` is stored with release and read with acquire. A processor that handled something after it had been found
//! idle, and whose first wave counts that already, is therefore seen awake by the second.
//!
//! At that moment the world has ended if every thread has returned; else those that have not all wait for something
//! that nobody is left to do: a deadlock. The last processor to become idle always comes here after having said so, and
//! then sees everybody idle, so neither can go unnoticed.
//!
//! This module must never know what is sent. It names no atomic but those of `sync`, so that the models run it as it is.

use crate::sync::{AtomicBool, AtomicU64, Ordering, mutated};

/// What one processor has given others to do, what of such things it has done, and whether it is idle. Only the processor writes
/// it, so an increment is a load and a store.
#[derive(Default)]
pub(crate) struct Account {
    sent: AtomicU64,
    handled: AtomicU64,
    idle: AtomicBool,
}

impl Account {
    /// Counts a message, a wake-up or a grant, before anybody can see it.
    #[inline(always)]
    pub(crate) fn count_sent(&self) {
        self.sent.store(self.sent.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// Takes back what was counted for a message that found no room.
    pub(crate) fn take_back(&self) {
        self.sent.store(self.sent.load(Ordering::Relaxed) - 1, Ordering::Relaxed);
    }

    /// Counts what has been done here. Released, so that whoever reads the count also sees that this processor was not idle.
    #[inline]
    pub(crate) fn count_handled(&self, amount: u64) {
        self.handled.store(self.handled.load(Ordering::Relaxed) + amount, Ordering::Release);
    }

    /// What has been done here so far, as far as it is known.
    pub(crate) fn handled(&self) -> u64 {
        self.handled.load(Ordering::Relaxed)
    }

    /// Says that this processor has nothing to do and sees nothing. It looks for the end next.
    pub(crate) fn rest(&self) {
        let order = if mutated!("rest-relaxed") { Ordering::Relaxed } else { Ordering::SeqCst };
        self.idle.store(true, order);
    }

    /// Takes that back, before this processor touches any work.
    pub(crate) fn go_on(&self) {
        if !mutated!("rest-not-taken-back") {
            self.idle.store(false, Ordering::SeqCst);
        }
    }

    fn is_idle(&self) -> bool {
        self.idle.load(Ordering::SeqCst)
    }
}

/// Whether nothing is going on and nothing is in flight.
pub(crate) fn is_quiescent<'a>(accounts: impl Iterator<Item = &'a Account> + Clone) -> bool {
    let handled = || wave(accounts.clone(), |account| account.handled.load(Ordering::SeqCst));
    let sent = || wave(accounts.clone(), |account| account.sent.load(Ordering::SeqCst));
    if mutated!("sent-first") {
        let sent = sent();
        return sent.is_some() && sent == handled();
    }
    let handled = handled();
    handled.is_some() && handled == sent()
}

/// The sum over all processors, or `None` if one is not idle.
fn wave<'a>(mut accounts: impl Iterator<Item = &'a Account>, read: impl Fn(&Account) -> u64) -> Option<u64> {
    accounts.try_fold(0, |sum, account| account.is_idle().then(|| sum + read(account)))
}
