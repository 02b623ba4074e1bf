//! Values on cache lines of their own, and counters with a single writer.
//!
//! This module must never know the meaning of a counter. It uses only the atomics of `sync`, so that the models run it as it is.

use crate::sync::{AtomicU64, Ordering};

/// A value on cache lines of its own, against false sharing.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct CachePadded<T>(pub(crate) T);

/// A counter on cache lines of its own.
pub(crate) type PaddedCounter = CachePadded<AtomicU64>;

/// Adds to a counter that only the caller writes. Takes no locked instruction.
#[inline]
pub(crate) fn bump(counter: &AtomicU64, amount: u64) {
    counter.store(counter.load(Ordering::Relaxed) + amount, Ordering::Relaxed);
}
