//! The one module that writes to standard output and standard error.
//!
//! A reader that has gone away (a closed pipe) is no mistake of ours and is not mentioned.

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use crate::args::Refused;
use crate::ending::Ended;

/// The run or a check failed.
const FAILED: u8 = 1;
/// The command line or an input was wrong.
const WRONG: u8 = 2;

/// Prints how a command ended and gives its exit status.
pub(crate) fn ended(ended: Ended) -> ExitCode {
    let answer = match ended {
        Ok(answer) => answer,
        Err(wrong) => {
            complain(wrong.mistakes());
            return ExitCode::from(WRONG);
        }
    };
    let written = results(&answer.results);
    complain(&answer.failures);
    if answer.failures.is_empty() { written } else { ExitCode::from(FAILED) }
}

/// Prints what the reader of the arguments has to say: help, the version, or what is wrong with them.
pub(crate) fn refused(refused: &Refused) -> ExitCode {
    match refused {
        Refused::Help(text) => results(text),
        Refused::Wrong(text) => {
            complain(std::slice::from_ref(text));
            ExitCode::from(WRONG)
        }
    }
}

fn results(text: &str) -> ExitCode {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            complain(&[format!("cannot write the results: {error}")]);
            ExitCode::from(FAILED)
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Where standard error cannot be written to, nobody is there to be told.
fn complain(errors: &[String]) {
    let lines: String = errors.iter().map(|error| format!("tradewind: error: {}\n", error.trim_end())).collect();
    let _ = io::stderr().lock().write_all(lines.as_bytes());
}
