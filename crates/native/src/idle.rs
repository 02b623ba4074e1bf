//! Spinning, parking, waking.
//!
//! # Why no wake-up is lost
//!
//! Who gives work stores it (a ring slot, an inbox, a queue), then passes a sequentially consistent fence, then looks
//! whether the berth is taken. Who parks takes the berth, passes such a fence, then looks for work once more. Of two
//! such fences one comes first, so either the giver sees the berth taken and wakes, or the sleeper sees the work.

use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::sync::{Mutex, PoisonError};
use std::thread::Thread;

use crate::processor::Processor;

/// Looks for work this often before parking where every processor has a core of its own: some 20 µs.
const SPINS: u32 = 2_000;

/// And this often, giving the core away each time, where processors share cores.
const YIELDS: u32 = 8;

/// Where a processor sleeps.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct Berth {
    taken: AtomicBool,
    thread: Mutex<Option<Thread>>,
}

impl Berth {
    /// Says which OS thread sleeps here. Before anything runs.
    pub(crate) fn belongs_to_current_thread(&self) {
        *self.thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(std::thread::current());
    }

    /// Whether somebody sleeps here, or is about to.
    pub(crate) fn is_taken(&self) -> bool {
        self.taken.load(Ordering::Relaxed)
    }

    /// Wakes the sleeper, if there is one. False if there is none.
    pub(crate) fn wake(&self) -> bool {
        let slept = self.is_taken() && self.taken.swap(false, Ordering::AcqRel);
        if slept && let Some(thread) = &*self.thread.lock().unwrap_or_else(PoisonError::into_inner) {
            thread.unpark();
        }
        slept
    }

    /// Sleeps until woken, unless `there_is_work`.
    fn sleep_unless(&self, there_is_work: impl Fn() -> bool) {
        self.taken.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        if there_is_work() {
            self.taken.store(false, Ordering::Relaxed);
            return;
        }
        while self.taken.load(Ordering::Acquire) {
            std::thread::park();
        }
    }
}

impl Processor {
    /// Nothing to do here: waits until there is, or the run has ended.
    pub(crate) fn idle(&self) {
        let since = self.world.now_ns();
        self.gauge().idle_since_ns.store(since + 1, Ordering::Relaxed);
        self.gauge().idle.store(true, Ordering::SeqCst);
        self.wait_for_work();
        self.gauge().idle.store(false, Ordering::SeqCst);
        self.gauge().idle_since_ns.store(0, Ordering::Relaxed);
        crate::gauge::bump(&self.gauge().idle_ns, self.world.now_ns() - since);
    }

    fn wait_for_work(&self) {
        for _ in 0..self.patience() {
            if self.sees_work() {
                return;
            }
            if self.world.oversubscribed { std::thread::yield_now() } else { std::hint::spin_loop() }
        }
        // The last to fall asleep finds that nothing will ever happen, if that is so.
        self.world.detect_ending();
        self.world.berths[self.index].sleep_unless(|| self.sees_work());
    }

    fn patience(&self) -> u32 {
        match (self.is_woken(), self.world.oversubscribed) {
            (true, _) => 0,
            (false, true) => YIELDS,
            (false, false) => SPINS,
        }
    }
}
