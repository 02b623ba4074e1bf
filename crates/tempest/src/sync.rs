//! The atomics and locks of the modules that a model checker runs: `event`, and `tags` and `faults` of `memory`.
//!
//! In this crate they are `std`'s. The model checker compiles the same modules with its own instrumented types in place of this module,
//! and turns on deliberate bugs, which the source names by [`mutated!`] and which the checker must find. In this crate there is no such
//! switch: the macro is `false`.

pub(crate) use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
pub(crate) use std::sync::{Mutex, MutexGuard, PoisonError};

/// Number of lists of pending access faults on a node: block `b` uses list `b % FAULT_LISTS`. The model-checked build
/// has fewer.
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
