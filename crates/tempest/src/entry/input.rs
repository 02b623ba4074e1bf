//! The declared inputs of a program. This module must never know any one program.

use std::fmt::{self, Display};
use std::ops::RangeInclusive;

use crate::Mechanism;

/// A declared input of a program: its name, default and meaning.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Input {
    /// The input's name on the command line.
    pub key: &'static str,
    /// The default value as text; for a file the name of a file that is shipped with Tradewind.
    pub default: &'static str,
    /// The meaning of the input in one line, with its unit.
    pub meaning: &'static str,
    /// The values that the input may have.
    pub kind: Kind,
    /// The mechanisms under which the program uses the input; empty if it uses it under all mechanisms.
    pub only: &'static [Mechanism],
    /// The values to compare if the literature does not state the value: `LOW..HIGH`, or a list `A,B`. `None` if the
    /// program names none.
    pub free: Option<&'static str>,
}

/// The values that an input may have.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    /// A text that the program parses itself. The input's `meaning` says which texts it accepts.
    Text,
    /// An integer between these two bounds, both included.
    Integer(u32, u32),
    /// A real number between these two bounds, both included.
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
    /// Declares an input that is a text.
    pub const fn text(key: &'static str, default: &'static str, meaning: &'static str) -> Self {
        Self { key, default, meaning, kind: Kind::Text, only: &[], free: None }
    }

    /// Declares an input that is an integer within `range`.
    pub const fn integer(
        key: &'static str,
        range: RangeInclusive<u32>,
        default: &'static str,
        meaning: &'static str,
    ) -> Self {
        Self {
            key,
            default,
            meaning,
            kind: Kind::Integer(*range.start(), *range.end()),
            only: &[],
            free: None,
        }
    }

    /// Declares an input that is a real number within `range`.
    pub const fn real(
        key: &'static str,
        range: RangeInclusive<f64>,
        default: &'static str,
        meaning: &'static str,
    ) -> Self {
        Self { key, default, meaning, kind: Kind::Real(*range.start(), *range.end()), only: &[], free: None }
    }

    /// Declares an input that is a file. `default` is the name of a file that is shipped with Tradewind.
    pub const fn file(key: &'static str, default: &'static str, meaning: &'static str) -> Self {
        Self { key, default, meaning, kind: Kind::File, only: &[], free: None }
    }

    /// Returns this input, restricted to `mechanisms`: under another mechanism the program ignores it.
    #[must_use]
    pub const fn only(self, mechanisms: &'static [Mechanism]) -> Self {
        Self { only: mechanisms, ..self }
    }

    /// Returns this input with `values` to compare where the literature does not state the value: `LOW..HIGH`, or a
    /// list `A,B`.
    #[must_use]
    pub const fn free(self, values: &'static str) -> Self {
        Self { free: Some(values), ..self }
    }

    /// Whether the program uses the input under at least one mechanism in `mechanisms`.
    pub fn is_heeded(&self, mechanisms: &[Mechanism]) -> bool {
        self.only.is_empty() || mechanisms.iter().any(|mechanism| self.only.contains(mechanism))
    }

    /// Whether the input is an integer or a real number.
    pub fn is_number(&self) -> bool {
        matches!(self.kind, Kind::Integer(..) | Kind::Real(..))
    }

    /// Whether the input is the contents of a file.
    pub fn is_file(&self) -> bool {
        self.kind == Kind::File
    }
}

/// The input `frames` of programs that move data through shared memory: the number of pages of other nodes that a node
/// can hold at a time. It is parsed as a [`Frames`](crate::memory::Frames).
pub const FRAMES: Input = Input::text(
    "frames",
    "all",
    "room on a node for pages of others in shared memory: all, from the start; on-demand: all, each found when first used; \
     or how many at a time",
)
.only(&[Mechanism::SharedMemory]);

/// The input `homes` of programs that move data through shared memory: the home nodes of the data. It is parsed as a
/// [`Placement`](crate::memory::Placement).
pub const HOMES: Input = Input::text(
    "homes",
    "owner",
    "homes of the data in shared memory: owner, each part at the node that owns it; one, all at node 0; first-touch, each \
     page at the node that uses it first",
)
.only(&[Mechanism::SharedMemory])
.free("owner,one,first-touch");

#[cfg(test)]
mod tests {
    use super::{FRAMES, HOMES};
    use crate::memory::{Frames, Placement};

    #[test]
    fn the_default_of_frames_is_that_of_the_type() {
        assert_eq!(FRAMES.default.parse(), Ok(Frames::default()));
        assert_eq!(HOMES.default.parse(), Ok(Placement::default()));
    }
}
