//! An event: a monotone counter that threads of one node wait for.
//!
//! # Why no wake-up is lost
//!
//! A waiter, under the list's lock, enlists itself, then sets `any` and reads `count` again; a signaller adds to
//! `count` and then reads `any`. All four are sequentially consistent, so at least one of them sees the other:
//! either the waiter sees the new count and does not block, or the signaller sees `any` and takes the lock to
//! look for it. A waiter that was enlisted and also saw the count withdraws under the lock; if the signaller got
//! there first, the resume it sent is for this very wait and ends it at once.
//!
//! The addition is also a release and the waiter's read an acquire: what happened before the signal happens
//! before the wait returns.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::Waiter;

/// A named counter that only grows. Handlers and threads [signal](crate::Actions::signal) it; threads
/// [wait](crate::Thread::wait) until it has reached a value.
#[derive(Debug)]
pub struct Event {
    name: &'static str,
    count: AtomicU64,
    any: AtomicBool,
    waiting: Mutex<Vec<(u64, Waiter)>>,
}

impl Event {
    /// A counter at zero. The name appears where a deadlock is reported.
    pub fn new(name: &'static str) -> Self {
        Self { name, count: AtomicU64::new(0), any: AtomicBool::new(false), waiting: Mutex::new(Vec::new()) }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What it counts now. What was signalled up to here happened before.
    #[inline]
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Acquire)
    }

    /// Adds to the count and gives every waiter that this satisfies to `resume`, in the order they came.
    pub(crate) fn add(&self, amount: u64, resume: impl FnMut(Waiter)) {
        let count = self.count.fetch_add(amount, Ordering::SeqCst).wrapping_add(amount);
        if self.any.load(Ordering::SeqCst) {
            self.release(count, resume);
        }
    }

    #[cold]
    fn release(&self, count: u64, mut resume: impl FnMut(Waiter)) {
        let mut waiting = self.lock();
        // One waiter is the common case, and needs no list.
        if let [(at_least, waiter)] = waiting[..] {
            if at_least <= count {
                waiting.clear();
                self.any.store(false, Ordering::SeqCst);
                drop(waiting);
                resume(waiter);
            }
            return;
        }
        let due: Vec<Waiter> =
            waiting.extract_if(.., |(at_least, _)| *at_least <= count).map(|(_, waiter)| waiter).collect();
        self.any.store(!waiting.is_empty(), Ordering::SeqCst);
        drop(waiting);
        due.into_iter().for_each(resume);
    }

    /// Enlists a waiter. Returns false, and does not enlist it, if the count is already there.
    pub(crate) fn enlist(&self, at_least: u64, waiter: Waiter) -> bool {
        let mut waiting = self.lock();
        waiting.push((at_least, waiter));
        self.any.store(true, Ordering::SeqCst);
        let reached = self.count.load(Ordering::SeqCst) >= at_least;
        if reached {
            waiting.pop();
            self.any.store(!waiting.is_empty(), Ordering::SeqCst);
        }
        !reached
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(u64, Waiter)>> {
        // A panic elsewhere cannot leave the list half-changed: no caller's code runs under the lock.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
