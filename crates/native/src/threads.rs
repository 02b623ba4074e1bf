//! Waits and wake-ups of program threads.
//!
//! A thread is a fiber of one processor and waits in loops that look at their condition again, so a wake-up too many is
//! harmless. One too few cannot be: a wake-up first makes the condition true, then puts the thread into the ready
//! queue of its processor (directly, or through the inbox and, if need be, out of its sleep).

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pdq::Held;
use tempest::Waiter;

/// What the processors of a node know of one of its threads.
#[derive(Default)]
pub(crate) struct ThreadSlot {
    /// Which wait the next one is: a waiter with another number is out of date.
    generation: AtomicU32,
    /// A key the thread asked for and was given.
    granted: Mutex<Option<Held>>,
}

impl ThreadSlot {
    /// Which wait the next one is.
    pub(crate) fn generation(&self) -> u32 {
        self.generation.load(Ordering::Acquire)
    }

    /// Ends the wait that `waiter` names. False if it has been ended before.
    pub(crate) fn end_wait(&self, waiter: Waiter) -> bool {
        let next = waiter.generation.wrapping_add(1);
        self.generation.compare_exchange(waiter.generation, next, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Leaves a key for the thread.
    pub(crate) fn grant(&self, held: Held) {
        *self.granted() = Some(held);
    }

    /// Takes the key, if it is there.
    pub(crate) fn take_grant(&self) -> Option<Held> {
        self.granted().take()
    }

    fn granted(&self) -> MutexGuard<'_, Option<Held>> {
        self.granted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Threads of one processor that others have woken.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct Inbox {
    count: AtomicU32,
    threads: Mutex<Vec<u32>>,
}

impl Inbox {
    /// Adds a thread. The caller wakes the processor.
    pub(crate) fn push(&self, thread: u32) {
        self.lock().push(thread);
        self.count.fetch_add(1, Ordering::Release);
    }

    /// Whether it seems empty; exact once the pushers' fences have passed.
    pub(crate) fn is_empty(&self) -> bool {
        self.count.load(Ordering::Acquire) == 0
    }

    /// Moves all threads into `ready`; returns how many.
    pub(crate) fn drain(&self, mut ready: impl FnMut(u32)) -> u32 {
        if self.is_empty() {
            return 0;
        }
        let mut threads = self.lock();
        let count = threads.len() as u32;
        threads.drain(..).for_each(&mut ready);
        self.count.fetch_sub(count, Ordering::Release);
        count
    }

    fn lock(&self) -> MutexGuard<'_, Vec<u32>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
