//! `--host-limit`: a run on a model whose program loops without a call that takes modelled time ends the process, since its thread
//! never comes back. This module must never know which run it is.

use std::fs;
use std::path::PathBuf;
use std::process;

use units::Time;
use worlds::HostLimit;

use crate::print::{Out, fail};
use crate::problem::Problem;

/// The limit for the command of this name, whose process ends with exit code 1 when it is exceeded. `partial` is a file that is not
/// whole then, and is removed.
pub(crate) fn within(name: &str, limit: Time, partial: Option<PathBuf>) -> HostLimit {
    let name = name.to_owned();
    HostLimit::new(limit, move |failed| {
        if let Some(partial) = &partial {
            // A failure to remove it cannot be reported any more.
            let _ = fs::remove_file(partial);
        }
        fail(&name, &Problem::Failed(failed.to_string()), &mut Out::new());
        process::exit(1);
    })
}
