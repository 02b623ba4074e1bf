//! A run: the job that installs a program on every node, its description, and the state of a node at its end.
//!
//! This folder must never know which world runs a job.
//!
//! | module | contents |
//! |---|---|
//! | `quiet` | the state of a node when the run is over |
//! | `job` | a program with its input, ready to be installed on every node |
//! | `launch` | the description of a run, and the trait of worlds |

pub(crate) mod job;
mod launch;
mod quiet;

pub use job::{Job, Program};
pub use launch::{Launch, World};
pub use quiet::Quiet;
