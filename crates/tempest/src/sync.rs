//! The atomics and locks of the modules that a model checker runs: `event`, and `tags` and `faults` of `memory`.
//!
//! In the library they are `std`'s. A build for the model checker compiles the same source with the checker's
//! instrumented types in place of this module. It also turns on deliberate bugs, which the source names by
//! [`mutated!`], and the checker must notice each. The library has no such switch: the macro is `false`.

pub(crate) use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
pub(crate) use std::sync::{Mutex, MutexGuard, PoisonError};

/// Number of lists of pending access faults on a node: block `b` uses list `b % FAULT_LISTS`. A build for the model
/// checker has fewer.
pub(crate) const FAULT_LISTS: usize = 64;

/// The access tags of all blocks of shared memory on a node, one byte each.
pub(crate) type TagCells = ::segment::Words<AtomicU8>;

/// Whether a model checker has turned on the deliberate bug called `$fault`: always `false` in the library.
macro_rules! mutated {
    ($fault:literal) => {
        false
    };
}
pub(crate) use mutated;
