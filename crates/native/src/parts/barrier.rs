//! A barrier of all threads of a world, at which the last thread to arrive takes a measurement.
//!
//! # No thread passes early, and none waits for ever
//!
//! A thread arrives under the lock. If others are missing, it joins the list and learns the value that `entered` must reach. The last
//! thread measures, adds one to `entered` with release, and takes the list out, under the lock; then it makes the threads of the list
//! ready. A thread of the list reads `entered`, with acquire, before it gives its processor away and whenever it is resumed.
//!
//! - *No early pass*: a thread that reads the value has acquired the last thread's release, and the last thread has seen, by the lock,
//!   everything that the others did before they arrived. So all of that happens before the measurement, and before any thread goes on.
//! - *No endless wait*: a thread is in the list before the value is reached, so it is made ready afterwards.
//! - *One region per list*: a thread arrives at the next region only after this one was entered, when the list was taken.
//!
//! This module must never know the way a thread waits, or the content of a measurement. It uses only the atomics and locks of `sync`, so
//! that the models run it as it is.

use tempest::world::expect_region;

use crate::lock::lock;
use crate::sync::{AtomicU32, Mutex, Ordering, mutated};

/// The regions that all threads have entered, and the threads `W` that wait to enter the next.
pub(crate) struct Barrier<W, M> {
    threads: usize,
    /// Number of regions that all threads have entered.
    entered: AtomicU32,
    inner: Mutex<Inner<W, M>>,
}

struct Inner<W, M> {
    entering: &'static str,
    waiting: Vec<W>,
    /// The measurement at the start of each region.
    measured: Vec<M>,
}

/// The result of a thread's arrival at a region.
pub(crate) enum Entry<W> {
    /// The thread is the last: it makes these threads ready and goes on.
    Last(Vec<W>),
    /// The thread waits until this number of regions has been entered.
    Wait(u32),
}

impl<W, M> Barrier<W, M> {
    /// A barrier of `threads` threads.
    pub(crate) fn new(threads: usize) -> Self {
        let inner = Inner { entering: "", waiting: Vec::new(), measured: Vec::new() };
        Self { threads, entered: AtomicU32::new(0), inner: Mutex::new(inner) }
    }

    /// Number of regions that all threads have entered.
    pub(crate) fn entered(&self) -> u32 {
        let order = if mutated!("entry-not-acquired") { Ordering::Relaxed } else { Ordering::Acquire };
        self.entered.load(order)
    }

    /// Describes how many threads have arrived at the next region, for an error message.
    pub(crate) fn arrivals(&self) -> String {
        format!("{} of {} threads have come", lock(&self.inner).waiting.len(), self.threads)
    }

    /// Registers a thread at the next region. The last thread calls `measure`.
    ///
    /// # Panics
    /// If threads enter different regions, or more regions than a run may have.
    pub(crate) fn enter(&self, thread: W, name: &'static str, measure: impl FnOnce() -> M) -> Entry<W> {
        let mut inner = lock(&self.inner);
        if inner.waiting.is_empty() {
            inner.entering = name;
        }
        let entering = inner.entering;
        assert!(entering == name, "phase `{name}` is entered while other threads enter phase `{entering}`");
        if inner.waiting.len() + 1 < self.threads {
            inner.waiting.push(thread);
            return Entry::Wait(self.entered() + 1);
        }
        expect_region(inner.measured.len(), name);
        inner.measured.push(measure());
        let order = if mutated!("entry-relaxed") { Ordering::Relaxed } else { Ordering::AcqRel };
        self.entered.fetch_add(1, order);
        Entry::Last(std::mem::take(&mut inner.waiting))
    }

    /// Calls `f` with the measurements at the start of each region.
    pub(crate) fn with_measured<R>(&self, f: impl FnOnce(&[M]) -> R) -> R {
        f(&lock(&self.inner).measured)
    }
}
