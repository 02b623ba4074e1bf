//! Where a processor sleeps, and how it is woken.
//!
//! # Why no wake-up is lost
//!
//! Who gives work stores it (a ring slot, an inbox, a queue), then passes the light barrier of [`Fences`], then looks whether
//! the berth is taken. Who sleeps takes the berth, passes the heavy barrier, then looks for work once more. Of the two
//! barriers one comes first, so either the giver sees the berth taken and wakes, or the sleeper sees the work.
//!
//! A *nap* ends by itself. So it passes no barrier: a wake-up that it misses costs what is left of the nap. It is for what
//! becomes possible without anybody giving it (room in a ring, a credit), which wakes nobody.
//!
//! # Who is long at something
//!
//! Whoever gives work wakes nobody where one of several is awake, because that one will look: unless it has said that it is
//! *engaged*, and may be long. It says so, passes a full fence, and then looks for work that somebody else is to be woken for.
//! Who gives work passes a full fence too before it relies on one that is awake, where another sleeps. Of the two fences one
//! comes first, so either the giver sees that nobody will look, or the engaged one sees the work, and whom to wake.
//!
//! Several may wake one sleeper: whoever clears `taken` does. A wake-up for a nap that is over already is kept by the OS
//! thread, which then finds at its next sleep that the berth is still taken, and sleeps on.
//!
//! This module must never know what work is; it names no atomic and no thread but those of `sync`, so that the models run it as
//! it is.

use std::sync::OnceLock;
use std::time::Duration;

use crate::fences::Fences;
use crate::sync::thread::{self, Thread};
use crate::sync::{AtomicBool, Ordering, fence, mutated};

/// How long the first nap of several in a row is.
pub(crate) const NAP: Duration = Duration::from_micros(50);

/// Where a processor sleeps.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct Berth {
    taken: AtomicBool,
    /// Whoever sleeps here at other times may be long at what it does.
    engaged: AtomicBool,
    thread: OnceLock<Thread>,
}

impl Berth {
    /// Says which OS thread sleeps here. Before anything runs.
    pub(crate) fn belongs_to_current_thread(&self) {
        self.thread.get_or_init(thread::current);
    }

    /// Whether somebody sleeps here, or is about to. Who has given work passes the light barrier before.
    #[inline]
    pub(crate) fn is_taken(&self) -> bool {
        self.taken.load(Ordering::Relaxed)
    }

    /// Says whether its owner may be long at what it does, and so look for nothing else.
    #[inline]
    pub(crate) fn engage(&self, engaged: bool) {
        self.engaged.store(engaged, Ordering::Relaxed);
    }

    /// Says that its owner may be long at what it does from now on. True if one of `others` sleeps: it is to be woken for work that
    /// was given before, which whoever gave it may have left to this owner.
    pub(crate) fn engage_beside<'a>(&self, mut others: impl Iterator<Item = &'a Self>) -> bool {
        self.engage(true);
        if !mutated!("engaged-without-fence") {
            fence(Ordering::SeqCst);
        }
        others.any(Self::is_taken)
    }

    /// Whether its owner is not going to look for work soon, unless woken.
    #[inline]
    pub(crate) fn is_away(&self) -> bool {
        self.is_taken() || self.is_engaged()
    }

    /// Whether its owner may be long at what it does.
    #[inline]
    pub(crate) fn is_engaged(&self) -> bool {
        self.engaged.load(Ordering::Relaxed)
    }

    /// Whether the owner of none of these is going to look for work soon, unless woken. Who has given work passes the light barrier
    /// before.
    pub(crate) fn are_away(all: &[Self]) -> bool {
        if all.iter().all(Self::is_away) {
            return true;
        }
        if !all.iter().any(Self::is_taken) {
            return false;
        }
        if !mutated!("given-without-fence") {
            fence(Ordering::SeqCst);
        }
        all.iter().all(Self::is_away)
    }

    /// Wakes the sleeper, if there is one. False if there is none. Who has given work passes the light barrier before.
    #[inline]
    pub(crate) fn wake(&self) -> bool {
        self.is_taken() && self.wake_sleeper()
    }

    /// Wakes whoever sleeps or naps, with or without the berth.
    pub(crate) fn wake_from_anything(&self) {
        self.taken.store(false, Ordering::Release);
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }

    #[cold]
    fn wake_sleeper(&self) -> bool {
        let slept = self.taken.compare_exchange(true, false, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        if slept && let Some(thread) = self.thread.get() {
            thread.unpark();
        }
        slept
    }

    /// Sleeps until woken, unless `there_is_work`; says whether it slept.
    pub(crate) fn sleep_unless(&self, fences: &Fences, there_is_work: impl FnOnce() -> bool) -> bool {
        self.taken.store(true, Ordering::Relaxed);
        fences.heavy();
        let sleeps = !there_is_work();
        if !sleeps {
            self.taken.store(false, Ordering::Relaxed);
        }
        while self.taken.load(Ordering::Acquire) {
            thread::park();
        }
        sleeps
    }

    /// Sleeps until woken, but no longer than that, unless `there_is_work`.
    pub(crate) fn nap_unless(&self, longest: Duration, there_is_work: impl FnOnce() -> bool) {
        self.taken.store(true, Ordering::Relaxed);
        if !there_is_work() {
            thread::park_timeout(longest);
        }
        // Exchanged, not stored: nothing comes between what an exchange reads and what it writes, but the model checker takes a plain
        // store for such a thing, and then finds a wake-up lost that no host loses.
        self.taken.swap(false, Ordering::Relaxed);
    }
}
