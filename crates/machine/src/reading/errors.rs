//! The errors of a machine file: every mistake at once, each with its place and the value that was expected.

use std::fmt::{self, Display, Formatter};

/// A mistake in a machine file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The name of the machine file, as the caller gave it.
    pub file: String,
    /// The line of the mistake, from 1; for a missing key, the line of its section. `None`: the value came from `--set` on the
    /// command line.
    pub line: Option<usize>,
    /// The dotted key with the mistake, such as `processor.clock`; empty if the file is no TOML.
    pub key: String,
    /// The refused value as written; `None` if the key is missing.
    pub value: Option<String>,
    /// The expected form of the value: `a frequency such as "400 MHz"`.
    pub expected: String,
}

impl Display for Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: ", self.file)?,
            None => f.write_str("--set ")?,
        }
        match &self.value {
            _ if self.key.is_empty() => {}
            Some(value) => write!(f, "{} = {value}: ", self.key)?,
            None => write!(f, "{} is missing: ", self.key)?,
        }
        write!(f, "expected {}", self.expected)
    }
}

impl std::error::Error for Error {}

/// All mistakes of a machine file and of the files that it extends, in the order of their lines. Mistakes of the command line
/// come last. There is at least one mistake.
///
/// Prints one mistake per line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errors(Vec<Error>);

impl Errors {
    /// Sorts mistakes by file, in the order of `files`, and by line, and drops duplicates. The caller has found at least one.
    pub(crate) fn new(errors: Vec<Error>, files: &[&str]) -> Self {
        let mut once: Vec<Error> = Vec::with_capacity(errors.len());
        for error in errors {
            if !once.contains(&error) {
                once.push(error);
            }
        }
        let file = |error: &Error| files.iter().position(|&file| file == error.file);
        once.sort_by_key(|error| (error.line.is_none(), file(error), error.line));
        Self(once)
    }

    /// Iterates over the mistakes.
    pub fn iter(&self) -> std::slice::Iter<'_, Error> {
        self.0.iter()
    }
}

impl Display for Errors {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Errors {}

impl<'a> IntoIterator for &'a Errors {
    type Item = &'a Error;
    type IntoIter = std::slice::Iter<'a, Error>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
