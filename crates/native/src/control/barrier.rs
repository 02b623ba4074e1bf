//! A barrier of all threads of a world, at which the last to come measures something.
//!
//! # Why nobody passes early, and nobody waits for ever
//!
//! A thread comes under the lock. If others are missing, it is put into the list and learns which number `entered` must reach. The
//! last to come measures, adds one to `entered` with release, and takes the list out, under the lock; then it makes the threads
//! of the list ready. A thread of the list looks at `entered`, with acquire, before it gives its processor away, and whenever it
//! is resumed.
//!
//! - *Nobody passes early*: who finds the number has acquired what the last one released, and that one has seen, by the lock, what
//!   every other had done before it came. So all that happens before the measurement, and before anybody goes on.
//! - *Nobody waits for ever*: a thread is in the list before the number is reached, so it is made ready afterwards.
//! - *The list is of one region*: a thread comes to the next region only after this one was entered, when the list was taken.
//!
//! This module must never know how a thread waits, or what is measured. It names no atomic and no lock but those of `sync`, so
//! that the models run it as it is.

use tempest::world::expect_region;

use crate::lock::lock;
use crate::sync::{AtomicU32, Mutex, Ordering, mutated};

/// The regions that all threads have entered, and the threads `W` that wait to enter the next.
pub(crate) struct Barrier<W, M> {
    threads: usize,
    /// How many regions have been entered.
    entered: AtomicU32,
    inner: Mutex<Inner<W, M>>,
}

struct Inner<W, M> {
    entering: &'static str,
    waiting: Vec<W>,
    /// What was measured at the start of each region.
    measured: Vec<M>,
}

/// What a thread finds that enters a region.
pub(crate) enum Entry<W> {
    /// It is the last: these go on with it.
    Last(Vec<W>),
    /// It waits until so many regions have been entered.
    Wait(u32),
}

impl<W, M> Barrier<W, M> {
    /// For so many threads.
    pub(crate) fn new(threads: usize) -> Self {
        let inner = Inner { entering: "", waiting: Vec::new(), measured: Vec::new() };
        Self { threads, entered: AtomicU32::new(0), inner: Mutex::new(inner) }
    }

    /// How many regions have been entered by all.
    pub(crate) fn entered(&self) -> u32 {
        let order = if mutated!("entry-not-acquired") { Ordering::Relaxed } else { Ordering::Acquire };
        self.entered.load(order)
    }

    /// How many threads have come to the next region, for people.
    pub(crate) fn arrivals(&self) -> String {
        format!("{} of {} threads have come", lock(&self.inner).waiting.len(), self.threads)
    }

    /// A thread comes to the next region. The last to come measures.
    ///
    /// # Panics
    /// If threads enter different regions, or more than a run may have.
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

    /// Does something with what was measured at the start of each region.
    pub(crate) fn with_measured<R>(&self, f: impl FnOnce(&[M]) -> R) -> R {
        f(&lock(&self.inner).measured)
    }
}
