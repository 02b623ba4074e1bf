//! A mistake in a file of the laboratory: its place, the text found, and the text expected. This module must never know
//! the meaning of a key.

use std::fmt::{self, Display, Formatter};

/// A place in a file: line and column, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// The column: characters of the line before the place, and 1.
    pub column: usize,
}

impl Place {
    /// The beginning of a file.
    pub const FIRST: Self = Self { line: 1, column: 1 };

    /// The place of a byte of a text; the end of the text where it is shorter.
    pub(crate) fn of(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let begin = before.rfind('\n').map_or(0, |end| end + 1);
        Self { line: 1 + before.matches('\n').count(), column: 1 + before[begin..].chars().count() }
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A mistake in a file of the laboratory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The file, as people call it.
    pub file: String,
    /// The place of the mistake.
    pub place: Place,
    /// The key with the tables that it stands in, joined by dots; empty where the whole file is wrong.
    pub key: String,
    /// The value as it is written; `None` where the key is missing.
    pub value: Option<String>,
    /// The values that would be right.
    pub expected: String,
}

impl Display for Mistake {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { file, place, key, value, expected } = self;
        write!(f, "{file}:{place}: ")?;
        match value {
            _ if key.is_empty() => write!(f, "expected {expected}"),
            None => write!(f, "{key} is missing: expected {expected}"),
            Some(value) => write!(f, "{key} = {value}: expected {expected}"),
        }
    }
}

impl std::error::Error for Mistake {}

/// All mistakes of a file, in the order of its lines; never empty.
pub type Mistakes = Vec<Mistake>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_counts_characters_and_not_bytes() {
        let text = "a = 1\nü = 2\n";
        assert_eq!(Place::of(text, 0), Place::FIRST);
        assert_eq!(Place::of(text, text.find('2').unwrap()).to_string(), "2:5");
        assert_eq!(Place::of(text, 1000).line, 3);
    }
}
