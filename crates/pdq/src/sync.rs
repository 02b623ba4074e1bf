//! The atomics, locks and threads that the queue is made of.
//!
//! Here they are `std`'s. The models in `tests/models` compile the same sources with the instrumented types of a model
//! checker in this module's place, so nothing under `queue` may name `std::sync` or `std::thread` itself.
//!
//! The models also check themselves: they turn on faults that the sources name by [`mutated!`], and must notice. In the
//! library there is no such switch: the macro is `false`.

mod cell;

pub(crate) use crate::fences::Fences;
pub(crate) use cell::UnsafeCell;
pub(crate) use std::hint::spin_loop;
pub(crate) use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
pub(crate) use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
pub(crate) use std::thread::{Thread, current, panicking, park, yield_now};
pub(crate) use std::thread_local;

/// Whether the fault with this name is turned on. Always false in the library: only the models in `tests/models` turn faults on.
macro_rules! mutated {
    ($fault:literal) => {
        false
    };
}
pub(crate) use mutated;

/// A time in nanoseconds since a fixed moment, to measure the duration of claims.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instant(std::time::Instant);

impl Instant {
    #[inline]
    pub(crate) fn now() -> Self {
        Self(std::time::Instant::now())
    }

    /// Whether at least `ns` nanoseconds have passed since this instant.
    #[inline]
    pub(crate) fn is_past(self, ns: u64) -> bool {
        self.ns_until(Self::now()) >= ns
    }

    #[inline]
    pub(crate) fn ns_until(self, later: Self) -> u64 {
        u64::try_from((later.0 - self.0).as_nanos()).unwrap_or(u64::MAX)
    }
}
