//! A lock for critical sections that are short as a rule: one locked instruction to take, a store to give
//! back.
//!
//! Two states, free and taken. Taking is a `swap` with acquire, giving back a store with release, so sections are
//! ordered one after the other and each sees the writes of those before. A thread that finds the latch taken spins,
//! then yields the processor, because the holder may have been preempted, or may be sorting a long backlog. This
//! module must never know the protected content. A section must not run foreign code, except the comparing and
//! hashing of keys.

use std::ops::{Deref, DerefMut};

use crate::sync::{AtomicBool, Ordering, UnsafeCell, mutated, spin_loop, yield_now};

/// A value that one thread at a time may reach.
#[derive(Debug)]
pub(super) struct Latch<T> {
    taken: AtomicBool,
    content: UnsafeCell<T>,
}

// SAFETY: the content is reached only through a guard, of which there is one at a time (see the head of the module);
// so threads use the `T` one after another, which `T: Send` allows.
unsafe impl<T: Send> Sync for Latch<T> {}

/// Exclusive access to the latch's content. Dropping it frees the latch.
#[derive(Debug)]
pub(super) struct Guard<'l, T> {
    latch: &'l Latch<T>,
    content: *mut T,
}

/// Number of spin turns for which a thread waits before it yields the processor.
const TURNS: u32 = 64;

impl<T> Latch<T> {
    pub(super) fn new(content: T) -> Self {
        Self { taken: AtomicBool::new(false), content: UnsafeCell::new(content) }
    }

    #[inline]
    pub(super) fn lock(&self) -> Guard<'_, T> {
        if self.taken.swap(true, Ordering::Acquire) {
            self.wait();
        }
        Guard { latch: self, content: self.content.get() }
    }

    /// Takes the latch if it is free.
    #[inline]
    pub(super) fn try_lock(&self) -> Option<Guard<'_, T>> {
        // Looking first spares the holder the loss of its cache line.
        if self.taken.load(Ordering::Relaxed) || self.taken.swap(true, Ordering::Acquire) {
            return None;
        }
        Some(Guard { latch: self, content: self.content.get() })
    }

    #[cold]
    fn wait(&self) {
        let mut turn = 0;
        loop {
            if turn < TURNS {
                turn += 1;
                spin_loop();
            } else {
                yield_now();
            }
            if !self.taken.load(Ordering::Relaxed) && !self.taken.swap(true, Ordering::Acquire) {
                return;
            }
        }
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the guard is the only one; shared use of it is shared use of the content.
        unsafe { &*self.content }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the guard is the only one and is borrowed exclusively.
        unsafe { &mut *self.content }
    }
}

impl<T> Drop for Guard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        let order = if mutated!("latch-relaxed") { Ordering::Relaxed } else { Ordering::Release };
        self.latch.taken.store(false, order);
    }
}
