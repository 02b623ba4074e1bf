//! This command, as the processes that do runs of a laboratory. This module must never know which runs.

use std::env;

use lab::Runner;

use crate::problem::Problem;

/// The command that runs now, to be run as processes.
pub(crate) fn runner() -> Result<Runner, Problem> {
    let unknown = |error| Problem::Failed(format!("the file of this command cannot be found: {error}"));
    env::current_exe().map(Runner::new).map_err(unknown)
}
