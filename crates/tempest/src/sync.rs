//! The atomics and locks of the parts that the models run: `event`, and `tags` and `faults` of `memory`.
//!
//! Here they are `std`'s. A model compiles the same source with the instrumented types of a model checker in this
//! module's place, and turns on faults that the source names by [`mutated!`], which it must notice. In the library
//! there is no such switch: the macro is `false`.

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
