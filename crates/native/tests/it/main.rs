//! The native world, tested from outside.

#[path = "../common/policies.rs"]
mod policies;

mod contention;
mod frames;
mod load;
mod long;
mod progress;
mod promises;
mod segments;
mod spent;
mod stack_prefetch;
mod stress;
mod threads;

use std::sync::{Mutex, MutexGuard, PoisonError};

use policies::POLICIES;

/// Runs a long test with no other long one beside it: worlds that share the cores of a host take several times as long.
fn alone() -> MutexGuard<'static, ()> {
    static LONG: Mutex<()> = Mutex::new(());
    LONG.lock().unwrap_or_else(PoisonError::into_inner)
}
