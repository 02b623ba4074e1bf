//! The error of an impossible layout of an element or of shared memory.
//!
//! This module must never know the rules that a layout breaks.

use std::fmt;

/// The error of an impossible layout of an element or of shared memory. It displays as a sentence that states the
/// mistake and the expected layout.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadLayout(String);

impl BadLayout {
    pub(crate) fn new(why: String) -> Self {
        Self(why)
    }
}

impl fmt::Display for BadLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
