//! The document of a command that has no result. This module must never know what went wrong.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The document that every command prints with `--json` where it has no result to print.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct NoResult {
    /// The version of this document's form.
    pub version: u32,
    /// The code with which the command ends. 1: a run failed, or a file could not be read or written to its end. 2: the command line
    /// or an input was wrong, and nothing was done.
    pub exit: u8,
    /// What is wrong, one text for each mistake, as on standard error; at least one.
    pub errors: Vec<String>,
}
