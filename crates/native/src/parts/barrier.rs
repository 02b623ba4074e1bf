//! A barrier of the threads of a node, which the node's runtime opens.
//!
//! # No thread passes early, and none waits for ever
//!
//! A thread arrives under the lock. If others of the node are missing, it joins the list and learns the value that `entered` must reach.
//! The last thread learns that it is the last. It has the runtime ask the other nodes, and joins the list, unless the barrier has been
//! opened meanwhile. The processor that opens the barrier adds one to `entered` with release, and takes the list out, under the lock; then
//! it makes the threads of the list ready. A thread of the list reads `entered`, with acquire, before it gives its processor away and
//! whenever it is resumed.
//!
//! - *No early pass*: a thread that reads the value has acquired the release of the processor that opened the barrier. That processor has
//!   seen, by the lock and by the messages between the nodes, everything that all threads did before they arrived. So all of that happens
//!   before the measurement, and before any thread goes on.
//! - *No endless wait*: a thread is in the list before the value is reached, so it is made ready afterwards.
//! - *One region per list*: a thread arrives at the next region only after this one was entered, when the list was taken.
//!
//! This module must never know the way a thread waits, the other nodes, or the content of a measurement. It uses only the atomics and locks
//! of `sync`, so that the models run it as it is.

use tempest::world::expect_region;

use crate::lock::lock;
use crate::sync::{AtomicU32, Mutex, Ordering, mutated};

/// The regions that all threads of a node have entered, and the threads `W` that wait to enter the next.
pub(crate) struct Barrier<W, M> {
    threads: usize,
    /// Number of regions that all threads have entered.
    entered: AtomicU32,
    inner: Mutex<Inner<W, M>>,
}

struct Inner<W, M> {
    entering: &'static str,
    /// Number of threads that have arrived at the next region.
    arrived: usize,
    waiting: Vec<W>,
    /// The node's measurement at the start of each region.
    measured: Vec<M>,
}

/// A thread's arrival at a region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Arrival {
    /// Number of regions that have to be entered before the thread goes on.
    pub(crate) count: u32,
    /// Whether the thread is the last of its node. It is not in the list yet.
    pub(crate) is_last: bool,
}

impl<W, M> Barrier<W, M> {
    /// A barrier of `threads` threads.
    pub(crate) fn new(threads: usize) -> Self {
        let inner = Inner { entering: "", arrived: 0, waiting: Vec::new(), measured: Vec::new() };
        Self { threads, entered: AtomicU32::new(0), inner: Mutex::new(inner) }
    }

    /// Number of regions that all threads have entered.
    pub(crate) fn entered(&self) -> u32 {
        let order = if mutated!("entry-not-acquired") { Ordering::Relaxed } else { Ordering::Acquire };
        self.entered.load(order)
    }

    /// Numbers of threads of the node that have arrived at the next region, and in all.
    pub(crate) fn arrivals(&self) -> (usize, usize) {
        (lock(&self.inner).arrived, self.threads)
    }

    /// Registers a thread at the next region.
    ///
    /// # Panics
    /// If threads enter different regions, or more regions than a run may have.
    pub(crate) fn arrive(&self, thread: W, name: &'static str) -> Arrival {
        let mut inner = lock(&self.inner);
        if inner.arrived == 0 {
            expect_region(inner.measured.len(), name);
            inner.entering = name;
        }
        let entering = inner.entering;
        assert!(entering == name, "phase `{name}` is entered while other threads enter phase `{entering}`");
        inner.arrived += 1;
        let is_last = inner.arrived == self.threads;
        if !is_last {
            inner.waiting.push(thread);
        }
        Arrival { count: self.entered() + 1, is_last }
    }

    /// Puts the last thread to arrive into the list, unless `count` regions have been entered by now.
    pub(crate) fn enlist(&self, thread: W, count: u32) {
        let mut inner = lock(&self.inner);
        if self.entered() < count {
            inner.waiting.push(thread);
        }
    }

    /// Takes the node's measurement at the start of the next region, when all threads of all nodes have arrived.
    pub(crate) fn measure(&self, measure: impl FnOnce(&'static str) -> M) {
        let mut inner = lock(&self.inner);
        let name = inner.entering;
        inner.measured.push(measure(name));
    }

    /// Opens the barrier, when all nodes have measured. Returns the waiting threads, for the caller to make ready.
    pub(crate) fn open(&self) -> Vec<W> {
        let mut inner = lock(&self.inner);
        inner.arrived = 0;
        let order = if mutated!("entry-relaxed") { Ordering::Relaxed } else { Ordering::AcqRel };
        self.entered.fetch_add(1, order);
        std::mem::take(&mut inner.waiting)
    }

    /// Calls `f` with the measurements at the start of each region.
    pub(crate) fn with_measured<R>(&self, f: impl FnOnce(&[M]) -> R) -> R {
        f(&lock(&self.inner).measured)
    }
}
