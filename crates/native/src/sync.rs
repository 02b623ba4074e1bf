//! The atomics and locks of the parts that the models run, and the queue's steps, which are built on them.
//!
//! Here they are `std`'s. The model in `tests/models` compiles the same source with the instrumented types of a model checker in this
//! module's place. It also turns on faults that the sources name by [`mutated!`], which the checker must detect; `tests/mutants` does so
//! with the whole world. In the library there is no such switch: the macro is `false`.

pub(crate) use pdq::Steps;
pub(crate) use std::sync::atomic::{
    AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
};
pub(crate) use std::sync::{Mutex, MutexGuard};

/// Whether the fault with this name is turned on.
macro_rules! mutated {
    ($fault:literal) => {
        false
    };
}
pub(crate) use mutated;
