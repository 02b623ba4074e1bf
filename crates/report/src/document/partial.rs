//! The mark of a document that has not everything in it that was asked for. This module must never know what is missing.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The reason why a document has not everything in it, and how much it has.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Partial {
    /// The reason why the command ended early, for people: a signal, a record that cannot be written, or one that lacks runs.
    pub reason: String,
    /// The number of runs, or of tests, that were over by then.
    pub done: usize,
    /// The number of all of them.
    pub all: usize,
}

impl Partial {
    /// The mark of a command that a signal of this name ended.
    pub fn interrupted(signal: &str, (done, all): (usize, usize)) -> Self {
        Self { reason: format!("interrupted by {signal}"), done, all }
    }

    /// The mark of results that were taken from a record, which does not have all runs.
    pub fn on_record((done, all): (usize, usize)) -> Self {
        Self { reason: "taken from the record".to_owned(), done, all }
    }
}

impl fmt::Display for Partial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { reason, done, all } = self;
        write!(f, "{reason} when {done} of {all} were done")
    }
}
