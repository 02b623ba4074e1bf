//! Values on cache lines of their own, and counters that one processor writes and all may read.
//!
//! This module must never know what is counted. It names no atomic but those of `sync`, so that the models run it as it is.

use crate::sync::{AtomicU64, Ordering};

/// Something on lines of its own.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct Alone<T>(pub(crate) T);

/// A counter on lines of its own.
pub(crate) type Apart = Alone<AtomicU64>;

/// Adds to a counter that only the caller writes.
#[inline]
pub(crate) fn bump(counter: &AtomicU64, amount: u64) {
    counter.store(counter.load(Ordering::Relaxed) + amount, Ordering::Relaxed);
}
