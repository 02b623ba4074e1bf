//! Fine-grain communication for your program and your machine.
//!
//! A program is written once: threads send small messages, and each message runs a short handler where it arrives. Tradewind runs
//! the program on this host, on real threads, and unmodified on modelled machines, to the bit the same every time. It says which
//! mechanism should carry the program's data and which processors should run its handlers.
//!
//! # A program with every subcommand
//!
//! [`main`] gives the programs of a crate the subcommands of the `tradewind` command: `run`, `compare`, `explain`, `list` and so
//! on. [`Command`] adds coherence protocols of the crate's own.
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! # const HISTOGRAM: tradewind::tempest::entry::Entry = tradewind::apps::ALL[0];
//! fn main() -> ExitCode {
//!     tradewind::main(&[HISTOGRAM])
//! }
//! ```
//!
//! # A run from code
//!
//! ```
//! use tradewind::worlds::{Run, Target};
//! use tradewind::machines;
//!
//! # let entry = tradewind::tempest::entry::find("histogram", tradewind::apps::ALL)?;
//! let paragon = machines::get("paragon")?;
//! let outcome = Run::of(entry).on(paragon).nodes(4).policy("single".parse()?).input("values", "500").run()?;
//! assert!(outcome.report.verified());
//! let host = Run::of(entry).on(Target::Native).nodes(2).processors(1).input("values", "500").run()?;
//! assert!(host.report.verified());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Contents
//!
//! | name | contents |
//! |---|---|
//! | [`prelude`] | everything that the source of a program needs |
//! | [`main`], [`Command`] | the command line for a user's own programs and protocols (feature `command`) |
//! | [`tempest`] | the narrow waist: the interface between a program and the world that runs it |
//! | [`protocols`] | locks, barriers, collectives, split-phase accesses, coherent shared memory |
//! | [`worlds`] | runs and comparisons on machines by name or file |
//! | [`machines`] | the machine models that ship, as data |
//! | [`machine`] | the schema of machine files |
//! | [`compare`] | outcomes as rankings, findings and predictions: plain data |
//! | [`report`] | the documents of `--json` as types, findings as sentences |
//! | [`documents`] | the `--json` documents of runs and comparisons made from code |
//! | [`native`], [`sim`] | the two worlds: real threads of this host, and modelled machines |
//! | [`formats`] | readers of matrices and meshes |
//! | [`trace`], [`units`] | recorders of events; times and bandwidths with their units |
//! | [`apps`], [`probes`] | the programs of the `tradewind` command (feature `command`) |
//! | `conformance` | the promises of worlds and protocols as functions, and the explorer (feature `conformance`) |
//!
//! # Features
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `command` | yes | [`main`] and [`Command`], with the crates for arguments, terminals and the record of runs |
//! | `conformance` | no | `conformance` |

#![forbid(unsafe_code)]

#[cfg(feature = "command")]
mod command;
pub mod documents;
pub mod prelude;

#[cfg(feature = "command")]
pub use command::{Command, main};

#[cfg(feature = "command")]
pub use apps;
pub use compare;
#[cfg(feature = "conformance")]
pub use conformance;
pub use formats;
pub use machine;
pub use native;
#[cfg(feature = "command")]
pub use probes;
pub use protocols;
pub use report;
pub use sim;
pub use tempest;
pub use trace;
pub use units;
pub use worlds;
pub use worlds::machines;
