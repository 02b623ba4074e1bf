//! The queue's primitives, as `shuttle` sees them.
//!
//! It stands in for the library's `sync`: same names, and nothing more. Every access is a point at which another thread
//! may go on; all of them are sequentially consistent, so faults of memory order are `loom`'s to find. Time stands still.

/// Cells are not watched, so the library's own will do.
#[path = "../../../src/sync/cell.rs"]
mod cell;

pub(crate) use cell::UnsafeCell;
pub(crate) use std::sync::{Arc, PoisonError};
pub(crate) use std::thread::panicking;

pub(crate) use shuttle::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
pub(crate) use shuttle::sync::{Condvar, Mutex, MutexGuard};
pub(crate) use shuttle::thread::{Thread, current, park, yield_now, yield_now as spin_loop};

pub(crate) use crate::faults::mutated;

/// The checker's own does not know `const` initializers.
macro_rules! thread_value {
    ($(#[$attr:meta])* static $name:ident: $type:ty = const { $init:expr };) => {
        shuttle::thread_local! {
            $(#[$attr])*
            static $name: $type = $init;
        }
    };
}
pub(crate) use thread_value as thread_local;

/// Accesses are sequentially consistent, so fences have nothing to do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fences;

impl Fences {
    pub(crate) fn symmetric() -> Self {
        Self
    }

    pub(crate) fn light(self) {}

    pub(crate) fn heavy(self) {}
}

/// The one instant there is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instant;

impl Instant {
    pub(crate) fn now() -> Self {
        Self
    }

    /// Time stands still, so every wait has been long enough.
    pub(crate) fn is_past(self, _: u64) -> bool {
        true
    }

    pub(crate) fn ns_until(self, _: Self) -> u64 {
        0
    }
}
