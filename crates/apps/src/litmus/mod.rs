//! Litmus tests of the memory model: each thread of a test is a thread of the program, on a node of its own.
//!
//! An [`Experiment`] executes one test in many *rounds*. A round goes as follows:
//!
//! 1. One node writes the initial values.
//! 2. All threads meet at a barrier.
//! 3. Some threads read some variables, so that several nodes have copies.
//! 4. Each thread pauses, then executes its code, with a pause before each access. Before the pause it may access a page that the
//!    test does not use, and prefetch a variable where the [dose](Dose) says so.
//! 5. All threads meet again, and one node reads the variables.
//!
//! The seed decides which node, which copies, how long the pauses are and how often they poll, which pages are
//! accessed, and the home of each variable. In even rounds every variable is in a block of its own, in odd rounds the
//! variables share a block ([`Placement`]). Every final state must be a state that the [`reference`](mod@reference)
//! finds.
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
pub use reference::State;
