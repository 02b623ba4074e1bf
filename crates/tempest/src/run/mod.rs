//! A run: the job that installs a program on every node, the description of the run, and the state of a node at the
//! end.
//!
//! This folder must never know which world runs a job.
//!
//! | module | contents |
//! |---|---|
//! | `final_state` | the state of a node when the run is over |
//! | `job` | a program with its input, ready to be installed on every node |
//! | `launch` | the description of a run, and the trait of worlds |

mod final_state;
pub(crate) mod job;
mod launch;

pub use final_state::FinalState;
pub use job::{Job, Program};
pub use launch::{Launch, World};
