//! Systems other than Linux, on which no process of a world can be started. This module must never know a run.

use tempest::outcome::{Failure, Outcome, Refusal};

use crate::parts::settling::Terms;
use crate::process::settings::Settings;

/// This process as a part of a world of processes: it never is one here.
pub enum Member {}

/// This process's part in a world of processes: always `None` here.
///
/// # Errors
/// Never here.
pub fn member() -> Result<Option<&'static Member>, &'static str> {
    Ok(None)
}

impl Member {
    /// The run as the launcher's command describes it.
    pub fn order(&self) -> Option<&str> {
        match *self {}
    }

    /// The problems that the launcher has made for the run.
    pub fn problems(&self) -> &tempest::entry::Problems {
        match *self {}
    }

    pub(crate) fn calls(&self) -> u64 {
        match *self {}
    }

    pub(crate) fn run(&self, _: &Terms<'_>) -> ! {
        match *self {}
    }
}

/// Refuses a run.
///
/// # Errors
/// Always.
pub(crate) fn run(_: &Terms<'_>, _: &Settings<'_>) -> Result<Outcome, Failure> {
    Err(Failure::Refused(refusal()))
}

/// Refuses the processes of a run.
///
/// # Errors
/// Always.
pub(crate) fn processes(_: u32, _: u32) -> Result<usize, Refusal> {
    Err(refusal())
}

fn refusal() -> Refusal {
    let why = "nodes as processes need memory files that can be sealed: expected Linux, or --world local";
    Refusal::Host(why.to_owned())
}
