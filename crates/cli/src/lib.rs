//! The `tradewind` command line: the only room that prints, opens files, parses arguments or chooses a world.
//!
//! | module | what it does |
//! |---|---|
//! | `arguments` | what may be said on the command line |
//! | `shipped` | the claims and studies that travel inside the command |
//! | `target` | from `--machine` and `--set` to machines |
//! | `measure` | from arguments to a program with its inputs |
//! | `run`, `compare`, `list`, `explain`, `claims`, `calibrate`, `litmus`, `model`, `machine_file` | the commands |
//! | `studies` | the claims and studies inside the command |
//! | `verdicts`, `ledger` | how claims look that were held against metrics, and what was free in a model |
//! | `numbers` | from texts to numbers |
//! | `house` | what the command is made of: programs, protocols, a name |
//! | `sharing` | from `--block` and `--protocol` to how shared memory is kept coherent |
//! | `names` | from names of policies and mechanisms to what they mean |
//! | `ranking` | from measured combinations to ranked rows |
//! | `refusals` | what a machine cannot do of what was asked for |
//! | `parts` | the four parts of time |
//! | `anatomy` | what protocol events took, step by step |
//! | `finding`, `agreement` | what one machine, and several together, show |
//! | `prediction` | what a calibrated model of this host predicts, beside what was measured |
//! | `text`, `words`, `json` | how results look |
//! | `page`, `table`, `columns`, `bar`, `quantity` | what a text is made of |
//! | `interrupt` | what is put in order before an interrupt ends the command |
//! | `progress` | how far a long command is |
//!
//! Results go to standard output; progress and errors to standard error. Exit 0: done; 1: the run or a check failed;
//! 2: the command line or an input was wrong, and nothing was written.

#![forbid(unsafe_code)]

mod adjusting;
mod agreement;
mod anatomy;
mod arguments;
mod bar;
mod calibrate;
mod claims;
mod columns;
mod compare;
mod explain;
mod finding;
mod house;
mod interrupt;
mod json;
mod ledger;
mod list;
mod litmus;
mod machine_file;
mod measure;
mod model;
mod names;
mod numbers;
mod page;
mod parts;
mod prediction;
mod progress;
mod quantity;
mod ranking;
mod refusals;
mod run;
mod sharing;
mod shipped;
mod studies;
mod table;
mod target;
mod text;
mod verdicts;
mod words;

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

pub use house::{BadHouse, House};

use crate::arguments::{Arguments, Command};

/// Why a command did not do what it was asked.
#[derive(Debug)]
pub(crate) enum Problem {
    /// The command line or an input is wrong: one line for each mistake.
    Wrong(Vec<String>),
    /// The run or a check failed.
    Failed(String),
    /// The results could not be written.
    Output(io::Error),
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<worlds::Error> for Problem {
    fn from(error: worlds::Error) -> Self {
        match error {
            worlds::Error::Wrong(mistakes) => Self::Wrong(mistakes.iter().map(ToString::to_string).collect()),
            other => Self::Failed(other.to_string()),
        }
    }
}

/// Both, or the mistakes of both: a person wants to hear of all at once.
pub(crate) fn both<A, B>(one: Result<A, Problem>, other: Result<B, Problem>) -> Result<(A, B), Problem> {
    match (one, other) {
        (Ok(one), Ok(other)) => Ok((one, other)),
        (Err(Problem::Wrong(mut mistakes)), Err(Problem::Wrong(more))) => {
            mistakes.extend(more);
            Err(Problem::Wrong(mistakes))
        }
        (Err(problem), _) | (_, Err(problem)) => Err(problem),
    }
}

impl Problem {
    /// One mistake.
    pub(crate) fn wrong(mistake: impl Into<String>) -> Self {
        Self::Wrong(vec![mistake.into()])
    }
}

/// Does what the command line says; with which code the process ends.
pub fn main(house: &House) -> ExitCode {
    let arguments = Arguments::read(&house.name);
    let mut out = io::BufWriter::new(io::stdout().lock());
    let done = match &arguments.command {
        Command::List(list) => list::list(house, list, &mut out),
        Command::Explain(explain) => explain::explain(explain, &mut out),
        Command::Run(run) => run::run(house, run, &mut out),
        Command::Compare(compare) => compare::compare(house, compare, &mut out),
        Command::Claims(claims) => claims::claims(claims, &mut out),
        Command::Calibrate(calibrate) => calibrate::calibrate(calibrate, &mut out),
        Command::Litmus(litmus) => litmus::litmus(house, litmus, &mut out),
        Command::Model(model) => model::model(model, &mut out),
        Command::Machine(machine) => machine_file::machine_file(machine, &mut out),
    };
    let done = done.and_then(|code| out.flush().map(|()| code).map_err(Problem::from));
    match done {
        Ok(code) => code,
        // Whoever read the results has seen enough.
        Err(Problem::Output(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(problem) => complain(house, &problem),
    }
}

/// Says on standard error why there is no command of this name; with which code the process ends.
pub fn refuse(name: &str, why: &BadHouse) -> ExitCode {
    tell(name, &Problem::wrong(why.to_string()))
}

/// Tells of a problem; with which code the command ends.
pub(crate) fn complain(house: &House, problem: &Problem) -> ExitCode {
    tell(&house.name, problem)
}

fn tell(name: &str, problem: &Problem) -> ExitCode {
    let (code, lines) = match problem {
        Problem::Wrong(mistakes) => (2, mistakes.clone()),
        Problem::Failed(what) => (1, vec![what.clone()]),
        Problem::Output(error) => (1, vec![format!("standard output: {error}")]),
    };
    let mut err = io::stderr().lock();
    for line in lines {
        // There is nobody left to tell if this fails.
        let _ = writeln!(err, "{name}: error: {line}");
    }
    ExitCode::from(code)
}
