//! The declared inputs of a program. This module must never know any one program.

use std::fmt::{self, Display};
use std::ops::RangeInclusive;

use crate::Mechanism;

/// A declared input of a program.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Input {
    /// The input's name on the command line.
    pub key: &'static str,
    /// The default: a text, or for a file the name of a file that is shipped.
    pub default: &'static str,
    /// The meaning, with the unit.
    pub meaning: &'static str,
    /// The values that the input may have.
    pub kind: Kind,
    /// The mechanisms by which the program heeds the input; empty if it always does.
    pub only: &'static [Mechanism],
}

/// The values that an input may have.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    /// A text that the program reads itself. The input's `meaning` says which texts it takes.
    Text,
    /// An integer from the first to the second, both included.
    Integer(u32, u32),
    /// A real number from the first to the second, both included.
    Real(f64, f64),
    /// The contents of a file. The caller of the program opens the file, also the default one.
    File,
}

impl Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Text => f.write_str("a text"),
            Kind::Integer(least, greatest) => write!(f, "an integer from {least} to {greatest}"),
            Kind::Real(least, greatest) => write!(f, "a number from {least} to {greatest}"),
            Kind::File => f.write_str("a file"),
        }
    }
}

impl Input {
    /// An input that is a text.
    pub const fn text(key: &'static str, default: &'static str, meaning: &'static str) -> Self {
        Self { key, default, meaning, kind: Kind::Text, only: &[] }
    }

    /// An input that is an integer within a range.
    pub const fn integer(
        key: &'static str,
        range: RangeInclusive<u32>,
        default: &'static str,
        meaning: &'static str,
    ) -> Self {
        Self { key, default, meaning, kind: Kind::Integer(*range.start(), *range.end()), only: &[] }
    }

    /// An input that is a real number within a range.
    pub const fn real(
        key: &'static str,
        range: RangeInclusive<f64>,
        default: &'static str,
        meaning: &'static str,
    ) -> Self {
        Self { key, default, meaning, kind: Kind::Real(*range.start(), *range.end()), only: &[] }
    }

    /// An input that is a file; the default is the name of a file that is shipped.
    pub const fn file(key: &'static str, default: &'static str, meaning: &'static str) -> Self {
        Self { key, default, meaning, kind: Kind::File, only: &[] }
    }

    /// This input of a program that heeds it by these mechanisms only, and ignores it by others.
    #[must_use]
    pub const fn only(self, mechanisms: &'static [Mechanism]) -> Self {
        Self { only: mechanisms, ..self }
    }

    /// Whether the program heeds the input by at least one of these mechanisms.
    pub fn is_heeded(&self, mechanisms: &[Mechanism]) -> bool {
        self.only.is_empty() || mechanisms.iter().any(|mechanism| self.only.contains(mechanism))
    }

    /// Whether the input is the contents of a file.
    pub fn is_file(&self) -> bool {
        self.kind == Kind::File
    }
}

/// The input `frames` of programs that move data through shared memory: how much room a node has for pages of other nodes.
/// It is read as a [`Frames`](crate::memory::Frames).
pub const FRAMES: Input = Input::text(
    "frames",
    "all",
    "room on a node for pages of others in shared memory: all, from the start; on-demand: all, each found when first used; \
     or how many at a time",
)
.only(&[Mechanism::SharedMemory]);

#[cfg(test)]
mod tests {
    use super::FRAMES;
    use crate::memory::Frames;

    #[test]
    fn the_default_of_frames_is_that_of_the_type() {
        assert_eq!(FRAMES.default.parse(), Ok(Frames::default()));
    }
}
