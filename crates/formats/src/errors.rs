//! Mistakes of a file: each with its place, found and expected value.
//!
//! It must never know any one format.

use std::fmt;

/// Maximum number of listed mistakes of a file; the rest are counted.
pub const MAX_LISTED: usize = 20;

/// The longest piece of a file that a message repeats, in characters.
const EXCERPT_CHARACTERS: usize = 40;

/// A mistake in a file. A mistake of the file as a whole stands at line 1, column 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Line, counted from 1.
    pub line: usize,
    /// Column, in bytes counted from 1.
    pub column: usize,
    /// Name of the part: "row index", "value", …
    pub what: &'static str,
    /// The value found, as the file spells it.
    pub found: String,
    /// The expected value.
    pub expected: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, what, found, expected } = self;
        write!(f, "{line}:{column}: {what} {found}: expected {expected}")
    }
}

/// All mistakes of a file, in the order of their places: the first [`MAX_LISTED`] met, and the number of the others.
///
/// Displays one per line as `name:line:column: what found: expected …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errors {
    name: String,
    listed: Vec<Mistake>,
    unlisted: usize,
}

impl Errors {
    /// A mistake of the file as a whole, at its first byte.
    pub(crate) fn whole_file(
        name: &str,
        what: &'static str,
        found: impl fmt::Display,
        expected: impl fmt::Display,
    ) -> Self {
        let (found, expected) = (found.to_string(), expected.to_string());
        let mistake = Mistake { line: 1, column: 1, what, found, expected };
        Self { name: name.to_owned(), listed: vec![mistake], unlisted: 0 }
    }

    /// Name of the file, as given to the reader.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The mistakes listed, `1..=MAX_LISTED` of them.
    pub fn listed(&self) -> &[Mistake] {
        &self.listed
    }

    /// Number of mistakes beyond the listed ones.
    pub fn unlisted(&self) -> usize {
        self.unlisted
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, mistake) in self.listed.iter().enumerate() {
            write!(f, "{}{}:{mistake}", if i == 0 { "" } else { "\n" }, self.name)?;
        }
        if self.unlisted > 0 {
            write!(f, "\n{}: and {} more", self.name, self.unlisted)?;
        }
        Ok(())
    }
}

impl std::error::Error for Errors {}

/// Gathers the mistakes of one text while it is read.
pub(crate) struct Report<'a> {
    text: &'a [u8],
    listed: Vec<Mistake>,
    unlisted: usize,
}

impl<'a> Report<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self { text, listed: Vec::new(), unlisted: 0 }
    }

    /// Adds a mistake at byte `offset`.
    pub(crate) fn add(
        &mut self,
        offset: usize,
        what: &'static str,
        found: impl fmt::Display,
        expected: impl fmt::Display,
    ) {
        self.add_with(offset, what, |_| (found.to_string(), expected.to_string()));
    }

    /// Adds a mistake at byte `offset`; `words` makes the found and the expected value. It is called only if the
    /// mistake will be listed, so that a file of nothing but mistakes is read as fast as a good one.
    pub(crate) fn add_with(
        &mut self,
        offset: usize,
        what: &'static str,
        words: impl FnOnce(&Self) -> (String, String),
    ) {
        if self.listed.len() == MAX_LISTED {
            self.unlisted += 1;
            return;
        }
        let (line, column) = self.place(offset);
        let (found, expected) = words(self);
        self.listed.push(Mistake { line, column, what, found, expected });
    }

    /// Line and column of a byte. Counted afresh for each mistake listed, which spares the reader counting
    /// lines while all goes well.
    pub(crate) fn place(&self, offset: usize) -> (usize, usize) {
        let before = &self.text[..offset];
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let lines = before.iter().filter(|&&byte| byte == b'\n').count();
        (lines + 1, offset - line_start + 1)
    }

    /// `value` if nothing was wrong, else all that was.
    pub(crate) fn finish<T>(mut self, name: &str, value: T) -> Result<T, Errors> {
        if self.listed.is_empty() {
            return Ok(value);
        }
        self.listed.sort_by_key(|mistake| (mistake.line, mistake.column));
        Err(Errors { name: name.to_owned(), listed: self.listed, unlisted: self.unlisted })
    }

    /// [`finish`](Self::finish) of a reader that gives no value exactly if it has reported why.
    pub(crate) fn finish_some<T>(self, name: &str, value: Option<T>) -> Result<T, Errors> {
        self.finish(name, value).map(|value| value.expect("a file without mistakes gives a value"))
    }
}

/// Number of consecutive lines of a wrong shape after which the shape itself is taken as wrong: another report per line
/// would say nothing new.
const MOST_MISFITS: u32 = 2;

/// Tells a wrong shape from wrong lines.
#[derive(Default)]
pub(crate) struct Misfits {
    in_a_row: u32,
}

impl Misfits {
    /// Notes whether one more line has the right shape; says whether to look at the next.
    pub(crate) fn go_on(&mut self, fits: bool) -> bool {
        self.in_a_row = if fits { 0 } else { self.in_a_row + 1 };
        self.in_a_row < MOST_MISFITS
    }
}

/// A piece of a file as a message shows it: printable, not too long, "missing" if empty.
pub(crate) struct Excerpt<'a>(pub(crate) &'a [u8]);

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("missing");
        }
        // Four bytes a character is the most that UTF-8 takes.
        let head = &self.0[..self.0.len().min(4 * EXCERPT_CHARACTERS)];
        let text = String::from_utf8_lossy(head);
        let shown: String = text.chars().take(EXCERPT_CHARACTERS).collect();
        let cut = head.len() < self.0.len() || shown.len() < text.len();
        write!(f, "{}{}", shown.escape_debug(), if cut { "…" } else { "" })
    }
}
