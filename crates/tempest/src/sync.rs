//! The atomics and locks of the parts that the models run: `event`, and `tags` and `faults` of `memory`.
//!
//! Here they are `std`'s. A model compiles the same source with the instrumented types of a model checker in this
//! module's place, and turns on faults that the source names by [`mutated!`], which it must notice. In the library
//! there is no such switch: the macro is `false`.

pub(crate) use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
pub(crate) use std::sync::{Mutex, MutexGuard, PoisonError};

/// The lists of faults of a node: as many blocks that follow each other have a list each. A model has fewer.
pub(crate) const FAULT_LISTS: usize = 64;

/// The memory of the tags of a node.
pub(crate) type TagCells = ::segment::Words<AtomicU8>;

/// Whether the fault of that name is turned on.
macro_rules! mutated {
    ($fault:literal) => {
        false
    };
}
pub(crate) use mutated;
