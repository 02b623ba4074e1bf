//! Hostile programs: what a program that nobody here wrote may do to the native world, and how its run must end.
//!
//! Each file has one kind of hostility. [`kit`] has the program that they all run, with a body and a handler of their own, and
//! the watchdog that makes a run that hangs a failed test. No test here knows how the world does what it does.

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
mod random;
mod refused;
mod stacks;
mod switched;
mod worlds;

use policies::POLICIES;
