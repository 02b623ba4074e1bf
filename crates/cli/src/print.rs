//! Results on standard output, and problems on standard error. This module must never know what a result means.

use std::io::{self, Write};
use std::process::ExitCode;

use report::{Page, document};
use serde::Serialize;

use crate::problem::Problem;

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
        false => lines(page).into_iter().try_for_each(|line| writeln!(out, "{line}"))?,
    }
    Ok(())
}

/// The code with which a command ends that did what it was asked, well or not.
pub(crate) fn code(well: bool) -> ExitCode {
    if well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A text with the calls of `tradewind` that it advises, as calls of the command of this name.
fn as_called(name: &str, text: &str) -> String {
    text.replace("`tradewind ", &format!("`{name} "))
}

/// Says on standard error what goes on, as the command of this name.
pub(crate) fn say(name: &str, what: &str) {
    // There is nobody left to tell if this fails.
    let _ = writeln!(io::stderr().lock(), "{name}: {what}");
}

/// Tells of a problem on standard error, as the command of this name; the result is the code with which it ends.
pub(crate) fn tell(name: &str, problem: &Problem) -> ExitCode {
    let (code, lines) = match problem {
        Problem::Wrong(mistakes) => (2, mistakes.clone()),
        Problem::Failed(what) => (1, vec![what.clone()]),
        Problem::Output(error) => (1, vec![format!("standard output: {error}")]),
    };
    let mut err = io::stderr().lock();
    for line in lines {
        // There is nobody left to tell if this fails.
        let _ = writeln!(err, "{name}: error: {}", as_called(name, &line));
    }
    ExitCode::from(code)
}
