//! Results on standard output, and problems on standard error. This module must never know the meaning of a result.

use std::env;
use std::io::{self, BufWriter, Stdout, Write};
use std::process::ExitCode;

use clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
use report::document::NoResult;
use report::{Page, document};
use serde::Serialize;
use units::text;

use crate::problem::Problem;

/// Standard output, and whether anything was written to it.
pub(crate) struct Out {
    inner: BufWriter<Stdout>,
    is_used: bool,
}

impl Out {
    pub(crate) fn new() -> Self {
        Self { inner: BufWriter::new(io::stdout()), is_used: false }
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.is_used = true;
        self.inner.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Prints a result: its document as JSON, or its lines on a page.
pub(crate) fn print(
    out: &mut impl Write,
    json: bool,
    page: &Page,
    found: &impl Serialize,
    lines: impl FnOnce(&Page) -> Vec<String>,
) -> Result<(), Problem> {
    match json {
        true => document::write(out, found)?,
        false => lines(page).into_iter().try_for_each(|line| writeln!(out, "{}", page.shown(&line)))?,
    }
    Ok(())
}

/// The exit code of a command that ran to its end: success, or failed checks.
pub(crate) fn code(well: bool) -> ExitCode {
    if well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A text with the calls of `tradewind` that it advises, as calls of the command of this name.
fn as_called(name: &str, text: &str) -> String {
    text.replace("`tradewind ", &format!("`{name} "))
}

/// Prints a message on standard error, in the name of command `name`.
pub(crate) fn say(name: &str, what: &str) {
    // A failure to print cannot be reported any more.
    let _ = writeln!(io::stderr().lock(), "{name}: {}", text::shown(what));
}

/// Whether the command line asks for JSON, be it right or wrong otherwise.
fn is_json_asked() -> bool {
    env::args_os().any(|argument| argument == "--json")
}

/// The error messages of a problem, in the name of command `name`, and the exit code.
fn said(name: &str, problem: &Problem) -> NoResult {
    let (exit, errors) = match problem {
        Problem::Wrong(mistakes) => (2, mistakes.clone()),
        Problem::Failed(what) => (1, vec![what.clone()]),
        Problem::Output(error) => (1, vec![format!("standard output: {error}")]),
    };
    let errors = errors.iter().map(|error| as_called(name, error)).collect();
    NoResult { version: document::VERSION, exit, errors }
}

/// Reports a problem on standard error, in the name of command `name`; returns the exit code.
pub(crate) fn tell(name: &str, problem: &Problem) -> ExitCode {
    let NoResult { exit, errors, .. } = said(name, problem);
    let mut err = io::stderr().lock();
    for error in errors {
        // A failure to print cannot be reported any more.
        let _ = writeln!(err, "{name}: error: {}", text::shown(&error));
    }
    ExitCode::from(exit)
}

/// Reports a problem on standard error, and in place of a result on standard output if JSON is requested.
pub(crate) fn fail(name: &str, problem: &Problem, out: &mut Out) -> ExitCode {
    if is_json_asked() && !out.is_used && !matches!(problem, Problem::Output(_)) {
        // The same stands on standard error.
        let _ = document::write(out, &said(name, problem)).and_then(|()| out.flush());
    }
    tell(name, problem)
}

/// Tells of a command line that the parser refuses, or prints the help that it asks for.
pub(crate) fn refuse(name: &str, refusal: &clap::Error) -> ExitCode {
    let is_mistake = refusal.use_stderr() && refusal.kind() != DisplayHelpOnMissingArgumentOrSubcommand;
    if is_mistake {
        // A failure to print cannot be reported any more.
        let _ = write!(io::stderr().lock(), "{name}: ");
        if is_json_asked() {
            let errors = vec![in_a_line(&refusal.to_string())];
            let found = NoResult { version: document::VERSION, exit: 2, errors };
            let _ = document::write(&mut io::stdout(), &found);
        }
    }
    // The reader of the help may have seen enough.
    let _ = match is_mistake {
        true => write!(io::stderr().lock(), "{}", text::shown(&refusal.render().to_string())),
        false => refusal.print(),
    };
    ExitCode::from(refusal.exit_code() as u8)
}

/// The first paragraph of a refusal by the parser, which is the mistake, in one line. Tips, the usage and where to find help follow.
fn in_a_line(refusal: &str) -> String {
    let paragraph = refusal.lines().take_while(|line| !line.is_empty());
    let words = paragraph.flat_map(str::split_whitespace);
    words.collect::<Vec<_>>().join(" ").trim_start_matches("error: ").to_owned()
}
