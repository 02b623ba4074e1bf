//! Tests of hostile programs: misuse of the native world by unknown programs, and the required end of their runs.
//!
//! Each file has one kind of hostility. [`kit`] has the program that they all run, with their own body and handler, and the watchdog that
//! turns a hanging run into a failed test. No test here knows the implementation of the world.

#[path = "../common/policies.rs"]
mod policies;

mod bounds;
mod cores;
mod ends;
mod flood;
mod kit;
mod long;
mod numbers;
mod process;
#[cfg(target_os = "linux")]
mod processes;
mod random;
mod refused;
mod stacks;
mod switched;
mod worlds;

use policies::POLICIES;
