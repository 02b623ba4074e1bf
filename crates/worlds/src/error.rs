//! Errors of a request or a run, as types. This module must never know the command line, though mistakes name
//! the option that sets a value.

use std::fmt;
use std::path::PathBuf;

use compare::MachineShape;
use tempest::entry::{BadPlan, InputError};
use tempest::outcome::Failure;
use tempest::{Mechanism, Policy};
use units::plural::several;

use crate::NATIVE;
use crate::files::Unreadable;
use crate::free_mistake::FreeMistake;
use crate::limits::MAX_THREADS;
use crate::{inputs::shipped as shipped_inputs, machines::shipped};

/// The reason why a request has no result.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The request was wrong, and nothing ran. Every mistake that was found, at least one.
    Wrong(Vec<Mistake>),
    /// A run began, and did not end well.
    Failed(Box<FailedRun>),
    /// A trace could not be written to its end.
    Trace {
        /// The path of the trace file.
        path: PathBuf,
        /// The error of the operating system.
        why: String,
    },
}

impl Error {
    /// An error of one mistake.
    pub(crate) fn wrong(mistake: Mistake) -> Self {
        Self::Wrong(vec![mistake])
    }

    /// Combines two results: both values, or the mistakes of both, so that a reader sees all of them at once.
    pub(crate) fn both<A, B>(one: Result<A, Self>, other: Result<B, Self>) -> Result<(A, B), Self> {
        match (one, other) {
            (Ok(one), Ok(other)) => Ok((one, other)),
            (Err(Self::Wrong(mut mistakes)), Err(Self::Wrong(more))) => {
                mistakes.extend(more);
                Err(Self::Wrong(mistakes))
            }
            (Err(error), _) | (_, Err(error)) => Err(error),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wrong(mistakes) => mistakes.iter().enumerate().try_for_each(|(index, mistake)| {
                let separator = if index == 0 { "" } else { "\n" };
                write!(f, "{separator}{mistake}")
            }),
            Self::Failed(run) => run.fmt(f),
            Self::Trace { path, why } => write!(f, "--trace {}: {why}", units::text::path(path)),
        }
    }
}

impl std::error::Error for Error {}

impl From<Mistake> for Error {
    fn from(mistake: Mistake) -> Self {
        Self::wrong(mistake)
    }
}

/// A run that began, and did not end well.
#[derive(Clone, PartialEq, Debug)]
pub struct FailedRun {
    /// The name of the program.
    pub program: &'static str,
    /// The mechanism by which its data moved.
    pub mechanism: Mechanism,
    /// The label of the target: its name, and its file if it has one of its own.
    pub target: String,
    /// The policy.
    pub policy: Policy,
    /// The error that ended the run.
    pub failure: Failure,
}

impl fmt::Display for FailedRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { program, mechanism, target, policy, failure } = self;
        write!(f, "{program} by {mechanism} on {target} under `{policy}`: {failure}")
    }
}

/// A mistake in a request.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Mistake {
    /// No machine has this name.
    UnknownMachine {
        /// The name asked for.
        name: String,
        /// A machine, or a file in the current folder, that was probably meant.
        nearest: Option<String>,
    },
    /// A machine file cannot be read.
    UnreadableMachine {
        /// The path of the file.
        file: String,
        /// The reason.
        why: Unreadable,
    },
    /// A machine file is wrong in one place.
    MachineFile(machine::Error),
    /// A machine file lacks so much that extending another is the better start.
    Begun {
        /// The path of the file.
        file: String,
        /// The number of values and sections that it lacks.
        missing: usize,
    },
    /// The text of a machine was asked for that does not ship.
    NotShipped {
        /// The name or the path asked for.
        name: String,
        /// A shipped machine that was probably meant.
        nearest: Option<String>,
    },
    /// The machine file of this host was asked for; this host has none.
    NativeFile,
    /// A setting names a value of this host, which has none.
    NativeSetting {
        /// The key of the value.
        key: String,
    },
    /// A run on this host is to be measured against a run that only models have.
    NativeBaseline {
        /// The name of the baseline asked for.
        baseline: &'static str,
    },
    /// A program is not written for a mechanism.
    NotWritten {
        /// The mechanism asked for.
        mechanism: Mechanism,
        /// The name of the program.
        program: &'static str,
        /// The mechanisms that the program is written for.
        written: &'static [Mechanism],
    },
    /// A program refuses its inputs.
    Input(InputError),
    /// An input file cannot be read.
    UnreadableInput {
        /// The path asked for.
        path: String,
        /// The reason.
        why: Unreadable,
    },
    /// An input was given twice.
    InputTwice {
        /// The name of the input.
        key: String,
    },
    /// An input that the program heeds by other mechanisms only.
    Ignored {
        /// The name of the input.
        key: &'static str,
        /// The name of the program.
        program: &'static str,
        /// The mechanisms asked for.
        mechanisms: Vec<Mechanism>,
        /// The mechanisms by which the program heeds the input.
        heeded: &'static [Mechanism],
    },
    /// The free inputs of a comparison are wrong.
    Free {
        /// The name of the input; `None` if all are wrong together.
        input: Option<String>,
        /// The mistake.
        why: Box<FreeMistake>,
    },
    /// A text without `=` names no input, and the program reads no file.
    NoFileInput {
        /// The text.
        text: String,
        /// The name of the program.
        program: &'static str,
    },
    /// A program cannot run in the shape asked for.
    Plan(BadPlan),
    /// A policy needs more processors.
    Policy(tempest::outcome::Refusal),
    /// This host has fewer cores than a program needs processors.
    TooFewCores {
        /// The name of the program.
        program: &'static str,
        /// The nodes and processors that it needs.
        shape: MachineShape,
        /// The number of cores that the process may use.
        cores: usize,
    },
    /// This host has fewer cores than a policy needs processors.
    PolicyNeedsCores {
        /// The policy.
        policy: Policy,
        /// The number of all processors.
        processors: u32,
        /// The number of cores that the process may use.
        cores: usize,
    },
    /// A run would have more threads than [`MAX_THREADS`].
    TooManyThreads {
        /// The number of nodes asked for.
        nodes: u32,
        /// The number of computing processors of each node.
        computing: u32,
        /// The number of threads asked for on each computing processor.
        threads: u32,
    },
    /// A machine lacks a requested ability or size.
    Refused {
        /// The file of the machine, if it does not ship.
        file: Option<String>,
        /// The reason: the ability that the machine lacks, or the size that it cannot have.
        why: Box<tempest::outcome::Refusal>,
    },
    /// A trace cannot have this name.
    TraceName {
        /// The name asked for.
        path: PathBuf,
        /// The problem, and the expected form.
        why: String,
    },
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownMachine { name, nearest } => {
                unknown_machine(f, name, nearest.as_deref())?;
                write!(f, " expected {NATIVE}, {}, or a file such as my-machine.toml", shipped_machines())
            }
            Self::UnreadableMachine { file, why } => {
                write!(
                    f,
                    "{file}: {why}; expected a machine file, such as `tradewind machine paragon` prints"
                )
            }
            Self::MachineFile(error) => error.fmt(f),
            Self::Begun { file, missing } => write!(
                f,
                "{file}: {missing} values and sections are missing; begin with a whole file, which `tradewind machine \
                 hurricane-1` prints, or with extends = \"hurricane-1\", which takes from it what this file leaves out"
            ),
            Self::NotShipped { name, nearest } => {
                unknown_machine(f, name, nearest.as_deref())?;
                write!(f, " expected one that ships: {}", shipped_machines())
            }
            Self::NativeFile => write!(
                f,
                "machine `{NATIVE}` is this host and has no file; expected one of {}; `tradewind calibrate` writes a file that \
                 describes this host",
                shipped_machines()
            ),
            Self::NativeSetting { key } => write!(
                f,
                "--set {key}: machine `{NATIVE}` is this host and has no values to set; expected a model"
            ),
            Self::NativeBaseline { baseline } => write!(
                f,
                "--baseline {baseline}: machine `{NATIVE}` is this host, whose memory has tags always; expected a model"
            ),
            Self::NotWritten { mechanism, program, written } => {
                write!(f, "mechanism `{mechanism}`: expected one of {} for `{program}`", names(written))
            }
            Self::Input(what) => what.fmt(f),
            Self::Plan(what) => what.fmt(f),
            Self::Policy(what) => what.fmt(f),
            Self::UnreadableInput { path, why } => {
                let known: Vec<_> = shipped_inputs::ALL.iter().map(|shipped| shipped.name).collect();
                write!(f, "{path}: {why}; shipped inputs are {}", known.join(", "))
            }
            Self::InputTwice { key } => write!(f, "--input {key}: given twice; expected once"),
            Self::Ignored { key, program, mechanisms, heeded } => write!(
                f,
                "--input {key}: `{program}` by {} does nothing with it; expected --mechanism {}",
                names(mechanisms),
                names(heeded).replace(", ", " or ")
            ),
            Self::Free { input: Some(input), why } => write!(f, "--free {input}: {why}"),
            Self::Free { input: None, why } => write!(f, "--free: {why}"),
            Self::NoFileInput { text, program } => {
                write!(f, "--input {text}: expected KEY=VALUE; `{program}` reads no file")
            }
            Self::TooFewCores { program, shape, cores } => too_few_cores(f, program, *shape, *cores),
            Self::PolicyNeedsCores { policy, processors, cores } => write!(
                f,
                "policy `{policy}` needs {processors} processors in all, and this host has {}: expected another policy, or `run`, \
                 where processors may take turns",
                several(*cores as u64, "core")
            ),
            Self::TooManyThreads { nodes, computing, threads } => write!(
                f,
                "--nodes {nodes} with {} each and --threads {threads}: expected at most {MAX_THREADS} threads in all",
                several(*computing, "computing processor")
            ),
            Self::Refused { file, why } => {
                file.iter().try_for_each(|file| write!(f, "{file}: "))?;
                why.fmt(f)
            }
            Self::TraceName { path, why } => write!(f, "--trace {}: {why}", units::text::path(path)),
        }
    }
}

impl std::error::Error for Mistake {}

/// Writes that no machine has this name.
fn unknown_machine(f: &mut fmt::Formatter<'_>, name: &str, nearest: Option<&str>) -> fmt::Result {
    write!(f, "unknown machine `{name}`:")?;
    nearest.iter().try_for_each(|nearest| write!(f, " did you mean `{nearest}`?"))
}

/// Writes that a program needs this shape, and that this host has fewer cores.
fn too_few_cores(
    f: &mut fmt::Formatter<'_>,
    program: &str,
    MachineShape { nodes, processors }: MachineShape,
    cores: usize,
) -> fmt::Result {
    write!(
        f,
        "{program} needs {} of {}, and this host has {}: expected --nodes {nodes} --processors {processors} to measure with \
         processors that take turns",
        several(nodes, "node"),
        several(processors, "processor"),
        several(cores as u64, "core"),
    )
}

/// The names of mechanisms, with commas.
fn names(mechanisms: &[Mechanism]) -> String {
    mechanisms.iter().map(|mechanism| mechanism.name()).collect::<Vec<_>>().join(", ")
}

/// The names of all machines that ship.
fn shipped_machines() -> String {
    let names: Vec<_> = shipped::ALL.iter().map(|shipped| shipped.name).collect();
    names.join(", ")
}
