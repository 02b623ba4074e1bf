//! Litmus tests on shared memory: each thread of a test is a thread of the program, on a node of its own.
//!
//! An [`Experiment`] executes one test many times. Each *round* one node writes the initial values; all meet at a barrier;
//! some threads read some variables, so that copies of them are about; each dawdles, executes, dawdling again before each
//! access; all meet again, and a node reads the variables. Which node, which copies and how long is drawn from the seed, and so
//! is the home of each variable. In even rounds every variable is in a block of its own, in odd rounds they share one
//! ([`Placement`]). Every final state must be one that [`reference`](mod@reference) finds.
//!
//! This module must never know which protocol keeps the memory coherent, beyond that it installs one.

mod core;
mod experiment;
mod problem;
pub mod reference;
mod schedule;
mod shared;

pub use experiment::{Dose, Experiment, Meeting, Placement, Seen};
pub use problem::Question;

/// A final state: the values of what a test observes, in that order.
pub type State = Vec<i64>;
