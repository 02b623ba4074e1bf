//! The `tradewind` command line: the only room that parses arguments and prints.
//!
//! | module | contents |
//! |---|---|
//! | `app` | the parts of a command: programs, protocols, a name |
//! | `arguments`, `deferred` | the arguments of the command line, read into types with their mistakes |
//! | `asked` | from arguments to machines and programs |
//! | `completions` | completions for shells |
//! | `problem` | reasons for which a command failed |
//! | `run`, `compare`, `list`, `explain`, `study`, `report`, `claims`, `calibrate`, `litmus`, `model` | the commands |
//! | `runs`, `reads` | runs of a laboratory, and the files that they read |
//! | `shipped`, `studies` | the claims and studies inside the command |
//! | `files` | files that appear whole or not at all |
//! | `made` | the circumstances in which a page is made |
//! | `print` | results on standard output |
//! | `processes` | this command as processes that do runs |
//! | `panics` | the words for a panic of a program, or of the command |
//! | `progress`, `interrupt` | the progress of a long command, and its output when it is interrupted |
//!
//! A command reads its arguments, calls `worlds`, `compare` and `lab`, and hands the results to `report`. Results
//! go to standard output; progress and errors to standard error. Exit 0: done; 1: the run or a check failed; 2: the
//! command line or an input was wrong, and nothing was written.

#![forbid(unsafe_code)]

mod app;
mod arguments;
mod asked;
mod calibrate;
mod circumstances;
mod claims;
mod compare;
mod completions;
mod deferred;
mod explain;
mod files;
mod host_limit;
mod interrupt;
mod list;
mod litmus;

mod model;
mod own_files;
mod panics;
mod print;
mod problem;
mod processes;
mod progress;
mod reads;
mod report;
mod run;
mod runs;
mod shipped;
mod studies;
mod study;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

pub use app::{App, BadApp};

use arguments::{Arguments, Command};
use print::{Out, fail, tell};
use problem::Problem;

/// Runs the command of the command line; returns the exit code of the process.
pub fn main(app: &App) -> ExitCode {
    match worlds::hosting::order() {
        Ok(None) => {}
        Ok(Some(order)) => return obey(app, order),
        Err(why) => return tell(&app.name, &Problem::Failed(why.to_owned())),
    }
    let arguments = match Arguments::read(app) {
        Ok(arguments) => arguments,
        Err(refusal) => return print::refuse(&app.name, &refusal),
    };
    files::survive_limits();
    let mut out = Out::new();
    let done = panics::told(|| does(app, &arguments.command, &mut out));
    let done = done.unwrap_or_else(|mistake| Err(Problem::Failed(mistake)));
    let done = done.and_then(|code| out.flush().map(|()| code).map_err(Problem::from));
    match done {
        Ok(code) => code,
        // The reader of the results has seen enough.
        Err(Problem::Output(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(problem) => fail(&app.name, &problem, &mut out),
    }
}

/// Takes part in a run as a process of it: the command line is `order`, and the launcher prints the results.
fn obey(app: &App, order: Vec<String>) -> ExitCode {
    let arguments = Arguments::parse(app, [app.name.clone()].into_iter().chain(order));
    let done = match arguments.map(|arguments| arguments.command) {
        Ok(Command::Run(run)) => run::take_part(app, &run),
        Ok(Command::Litmus(litmus)) => litmus::take_part(app, &litmus),
        Ok(_) => Ok(()),
        Err(refusal) => return print::refuse(&app.name, &refusal),
    };
    // A process ends with its run, so this command has made another one.
    let other =
        || Problem::Failed("a process was started for a run that its command does not make".to_owned());
    fail(&app.name, &done.map_or_else(|problem| problem, |()| other()), &mut Out::new())
}

fn does(app: &App, command: &Command, out: &mut (impl Write + Send)) -> Result<ExitCode, Problem> {
    match command {
        Command::List(list) => list::list(app, list, out),
        Command::Explain(explain) => explain::explain(app, explain, out),
        Command::Run(run) => run::run(app, run, out),
        Command::Compare(compare) => compare::compare(app, compare, out),
        Command::Study(asked) => study::study(app, asked, out),
        Command::Report(asked) => report::report(app, asked, out),
        Command::Claims(claims) => claims::claims(app, claims, out),
        Command::Calibrate(calibrate) => calibrate::calibrate(app, calibrate, out),
        Command::Litmus(litmus) => litmus::litmus(app, litmus, out),
        Command::Model(model) => model::model(model, out),
        Command::Machine(machine) => {
            out.write_all(worlds::machines::text(&machine.name)?.as_bytes())?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Completions(completions) => {
            out.write_all(&completions::script(app, completions.shell))?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Man(manual) => {
            clap_mangen::Man::new(arguments::part(app, manual.subcommand.as_deref())?).render(out)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Prints on standard error why there is no command of this name; returns the exit code of the process.
pub fn refuse(name: &str, why: &BadApp) -> ExitCode {
    tell(name, &Problem::wrong(why.to_string()))
}
