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

use policies::POLICIES;
