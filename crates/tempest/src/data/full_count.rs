//! The error of a count of deposits that would exceed its word. This module must never know segments.

use std::fmt;

/// The error of a deposit that a segment cannot count. It displays as a sentence that names the segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FullCount {
    /// The name of the segment.
    pub segment: &'static str,
    /// The count before the deposit, in units of 8 bytes.
    pub before: u64,
    /// The number of units of 8 bytes that the deposit has written.
    pub words: u64,
}

impl fmt::Display for FullCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { segment, before, words } = self;
        write!(
            f,
            "deposits of {before} units into segment `{segment}` cannot become {words} more: a count has 64 bits"
        )
    }
}

impl std::error::Error for FullCount {}
