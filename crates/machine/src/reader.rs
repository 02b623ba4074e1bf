//! What one reading of a machine file shares: the text, the overrides, and what has been found out so far.
//! Knows TOML and places, but no key of a machine.

use std::cell::RefCell;
use std::collections::BTreeSet;

use toml_edit::Item;

use crate::{Error, Value};

/// The shared state of one reading.
///
/// Sections read side by side and nest, so all of them hold it shared; the cells are borrowed only inside the
/// small functions below.
pub(crate) struct Reader<'a> {
    file: &'a str,
    text: &'a str,
    overrides: Vec<(&'a str, &'a str)>,
    asked: RefCell<BTreeSet<String>>,
    errors: RefCell<Vec<Error>>,
    values: RefCell<Vec<Value>>,
}

/// A value as it stands in the file or on the command line, not yet understood.
#[derive(Clone, Debug)]
pub(crate) struct Found<'a> {
    /// Dotted.
    pub(crate) key: String,
    pub(crate) raw: Raw<'a>,
    pub(crate) line: Option<usize>,
    pub(crate) source: Option<String>,
}

/// The value itself.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Raw<'a> {
    /// From the command line.
    Given(&'a str),
    /// From the file.
    Item(&'a Item),
}

impl<'a> Raw<'a> {
    pub(crate) fn text(self) -> Option<&'a str> {
        match self {
            Self::Given(text) => Some(text),
            Self::Item(item) => item.as_str(),
        }
    }

    pub(crate) fn integer(self) -> Option<i64> {
        match self {
            Self::Given(text) => text.trim().parse().ok(),
            Self::Item(item) => item.as_integer(),
        }
    }
}

impl<'a> Reader<'a> {
    pub(crate) fn new(file: &'a str, text: &'a str, overrides: Vec<(&'a str, &'a str)>) -> Self {
        Self {
            file,
            text,
            overrides,
            asked: RefCell::default(),
            errors: RefCell::default(),
            values: RefCell::default(),
        }
    }

    /// The value the command line gives this key; the last one where it gives several. Makes the key a known one.
    pub(crate) fn given(&self, key: &str) -> Option<&'a str> {
        self.asked.borrow_mut().insert(key.to_owned());
        self.overrides.iter().rev().find(|(given, _)| *given == key).map(|&(_, value)| value)
    }

    /// The line, from 1, of a place in the text.
    pub(crate) fn line(&self, offset: usize) -> usize {
        let before = self.text.as_bytes().iter().take(offset);
        1 + before.filter(|&&byte| byte == b'\n').count()
    }

    /// The line of an item, if the parser noted where it stands.
    pub(crate) fn line_of(&self, item: &Item) -> Option<usize> {
        item.span().map(|span| self.line(span.start))
    }

    /// The comment that follows an item on its last line, without its `#`.
    pub(crate) fn comment_after(&self, item: &Item) -> Option<String> {
        let rest = self.text.get(item.span()?.end..)?;
        let comment = rest.lines().next()?.trim_start().strip_prefix('#')?.trim();
        (!comment.is_empty()).then(|| comment.to_owned())
    }

    /// A value as written, quotes and all; of a table or a long array only the brackets.
    pub(crate) fn written(&self, raw: Raw<'_>) -> String {
        match raw {
            Raw::Given(text) => format!("{text:?}"),
            Raw::Item(item) if item.is_table_like() => "{…}".to_owned(),
            Raw::Item(item) => match item.span().and_then(|span| self.text.get(span)) {
                Some(text) if !text.contains('\n') => text.to_owned(),
                _ => "[…]".to_owned(),
            },
        }
    }

    pub(crate) fn report(&self, line: Option<usize>, key: &str, value: Option<String>, expected: String) {
        let (file, key) = (self.file.to_owned(), key.to_owned());
        self.errors.borrow_mut().push(Error { file, line, key, value, expected });
    }

    pub(crate) fn refuse(&self, found: &Found<'_>, expected: String) {
        self.report(found.line, &found.key, Some(self.written(found.raw)), expected);
    }

    /// Notes a value that was understood.
    pub(crate) fn keep(&self, found: Found<'_>, resolved: String) {
        let text = found.raw.text().map_or_else(|| self.written(found.raw), str::to_owned);
        let Found { key, line, source, .. } = found;
        self.values.borrow_mut().push(Value { key, text, resolved, source, line });
    }

    /// Ends the reading: the values, and the mistakes, those of the command line included.
    pub(crate) fn finish(self) -> (Vec<Value>, Vec<Error>) {
        for &(key, value) in &self.overrides {
            let asked = self.asked.borrow();
            if !asked.contains(key) {
                let hint = hint(key, asked.iter().map(String::as_str));
                self.report(
                    None,
                    key,
                    Some(format!("{value:?}")),
                    format!("a key of the machine file{hint}"),
                );
            }
        }
        (self.values.into_inner(), self.errors.into_inner())
    }
}

/// `; did you mean "clock"?` for the known name that `found` is most likely a slip of, `; known are …` for none.
pub(crate) fn hint<'n>(found: &str, known: impl Iterator<Item = &'n str> + Clone) -> String {
    let nearest = known.clone().min_by_key(|name| strsim::damerau_levenshtein(found, name));
    match nearest {
        // Two slips, or a third of a long name: more is another word.
        Some(name) if strsim::damerau_levenshtein(found, name) <= (found.len() / 3).max(2) => {
            format!("; did you mean \"{name}\"?")
        }
        _ => format!("; known are {}", known.collect::<Vec<_>>().join(", ")),
    }
}
