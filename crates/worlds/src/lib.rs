//! Machines that ship with tradewind, worlds by name or file, and measured runs of programs.
//!
//! A *target* is a machine to run on: this host, or a modelled machine described by a file. A *run* is one program on
//! one target; a *comparison* is one program on several targets, by every mechanism under every policy that each of
//! them can do.
//!
//! ```
//! use tradewind_worlds::{Run, Target, machines};
//!
//! let paragon = machines::get("paragon")?;
//! assert!(paragon.nodes > 1);
//! # let entry = tempest::entry::find("histogram", apps::ALL).unwrap();
//! let run = Run::of(entry).on(Target::find("paragon", &[])?).nodes(4).policy("single".parse()?);
//! let outcome = run.input("values", "50").run()?;
//! assert!(outcome.report.verified());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`machines`] | the shipped machine models: names, texts, parsed; machine files of one's own |
//! | [`inputs`] | the shipped input files of programs; inputs that a person gives, with their files opened |
//! | [`draft`] | files that get their name when they are whole |
//! | [`files`] | files that a person names, read whole within a bound |
//! | [`Target`] | a machine to run on: this host or a model |
//! | [`Subject`] | a program with its inputs, checked |
//! | [`Run`], [`Setting`] | one combination of program, target, mechanism and policy; its result is a [`compare::Combination`] |
//! | [`Comparison`], [`Compared`] | every combination that targets can do; their results |
//! | [`shape`] | the default nodes and processors of runs |
//! | [`Comparing`], [`Measuring`] | a comparison, a combination in progress: the finished runs, for another thread |
//! | [`Baseline`], [`Reference`] | the run against which the speed of another run, or of the rows of a comparison, is measured |
//! | [`AskedFree`], [`Ranges`] | inputs of unknown value, and the cases of a comparison over them |
//! | [`Repeat`], [`Turn`] | the number of runs of a combination on this host; a run that is about to begin |
//! | [`HostLimit`] | the limit of this host's time for a run on a model without a modelled event |
//! | [`TraceFile`] | the file of a trace, whole or not at all |
//! | [`Error`], [`Mistake`] | errors: every mistake in a request at once |
//!
//! This room builds worlds, and opens files. It must never know arguments of a command line, nor how results look.

#![forbid(unsafe_code)]

mod baseline;
mod comparison;
pub mod draft;
mod error;
pub mod files;
mod free;
mod free_mistake;
mod host;
pub mod hosting;
pub mod inputs;
mod limits;
pub mod machines;
mod measuring;
mod repeat;
mod rounds;
mod run;
mod setting;
pub mod shape;
mod sharing;
mod subject;
mod target;
mod trace_file;
mod watch;

pub use baseline::{Baseline, Reference};
pub use compare::{MachineShape, Refusal};
pub use comparison::{Compared, Comparing, Comparison, Step, serial};
pub use error::{Error, FailedRun, Mistake};
pub use free::{AskedFree, Ranges};
pub use free_mistake::{FreeMistake, MOST_CASES, MOST_INPUTS};
pub use host::host;
pub use hosting::Hosting;
pub use limits::MAX_THREADS;
pub use machine::NATIVE;
pub use measuring::Measuring;
pub use native::LOOKS_APART;
pub use repeat::Repeat;
pub use rounds::Turn;
pub use run::Run;
pub use setting::Setting;
pub use sharing::Sharing;
pub use subject::Subject;
pub use target::{Target, USUAL_POLICY, cores};
pub use trace_file::TraceFile;
pub use units::Values;
pub use watch::HostLimit;
