//! Tools of the hostile programs: a small protocol whose handlers and threads run closures, a run under a watchdog, and a separate
//! process for scenarios that would end the test's process.
//!
//! ```ignore
//! let play = Play::new("fixed:2", 2, 3, 1)
//!     .main(|stage, thread| thread.send(NodeId(1), Stage::note(5, 0, 0, 0)))
//!     .handle(|stage, note, payload, cx| panic!("boom"));
//! play.run().fails_with("boom");
//! ```
//!
//! This module must never know any one scenario.

pub(crate) mod alone;
pub(crate) mod play;
mod stage;
mod watch;

pub(crate) use play::Play;
pub(crate) use stage::{KEYS, NOSYNC, Note, SEQUENTIAL, Stage};
pub(crate) use watch::watched;
