//! Reading a TOML file of the laboratory: every mistake at once, each with its line. Must never know what a key means.

use std::cell::RefCell;
use std::ops::Range;

use machine::Error;
use toml_edit::{Document, Item, TableLike, Value};

use crate::Mistakes;

/// A file that is being read.
pub(crate) struct Source<'a> {
    file: &'a str,
    text: &'a str,
    mistakes: RefCell<Mistakes>,
}

/// Reads a file: `read` takes its top table apart. `None` from it only with a mistake reported.
pub(crate) fn read<T>(
    file: &str,
    text: &str,
    read: impl FnOnce(&Table<'_>) -> Option<T>,
) -> Result<T, Mistakes> {
    let source = Source { file, text, mistakes: RefCell::default() };
    let document = Document::parse(text).map_err(|error| {
        let line = error.span().map_or(1, |span| source.line(span.start));
        let expected = format!("TOML; its reader says: {}", error.message().trim());
        vec![Error { file: file.to_owned(), line: Some(line), key: String::new(), value: None, expected }]
    })?;
    let top = Table::new(&source, document.as_table(), String::new(), 1);
    let read = read(&top);
    top.finish();
    // A table that stands for many is read as often.
    let mut mistakes = Mistakes::new();
    for mistake in source.mistakes.into_inner() {
        if !mistakes.contains(&mistake) {
            mistakes.push(mistake);
        }
    }
    mistakes.sort_by_key(|mistake| mistake.line);
    match read {
        Some(read) if mistakes.is_empty() => Ok(read),
        _ => Err(mistakes),
    }
}

impl Source<'_> {
    fn line(&self, offset: usize) -> usize {
        let before = self.text.as_bytes().iter().take(offset);
        1 + before.filter(|&&byte| byte == b'\n').count()
    }

    fn line_of(&self, item: &Item, otherwise: usize) -> usize {
        item.span().map_or(otherwise, |span| self.line(span.start))
    }

    fn written(&self, span: Option<Range<usize>>) -> String {
        match span.and_then(|span| self.text.get(span)) {
            Some(text) if !text.contains('\n') => text.to_owned(),
            _ => "[…]".to_owned(),
        }
    }
}

/// A table of the file.
pub(crate) struct Table<'s> {
    source: &'s Source<'s>,
    items: &'s dyn TableLike,
    /// What its keys begin with in messages: `run.`, or nothing at the top.
    place: String,
    /// Where it begins, from 1.
    pub(crate) line: usize,
    asked: RefCell<Vec<&'static str>>,
}

impl<'s> Table<'s> {
    fn new(source: &'s Source<'s>, items: &'s dyn TableLike, place: String, line: usize) -> Self {
        Self { source, items, place, line, asked: RefCell::default() }
    }

    /// The item of a key, which becomes a known one.
    pub(crate) fn item(&self, key: &'static str) -> Option<&'s Item> {
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(&key) {
            asked.push(key);
        }
        self.items.get(key).filter(|item| !item.is_none())
    }

    /// The line of a key; of the table where there is none.
    pub(crate) fn line_of(&self, key: &str) -> usize {
        self.items.get(key).map_or(self.line, |item| self.source.line_of(item, self.line))
    }

    /// Reports what stands at a key.
    pub(crate) fn refuse(&self, key: &str, expected: impl Into<String>) {
        let item = self.items.get(key);
        let value = item.map(|item| self.source.written(item.span()));
        self.report(self.line_of(key), key, value, expected.into());
    }

    fn report(&self, line: usize, key: &str, value: Option<String>, expected: String) {
        let (file, key) = (self.source.file.to_owned(), format!("{}{key}", self.place));
        self.source.mistakes.borrow_mut().push(Error { file, line: Some(line), key, value, expected });
    }

    /// A value that may be missing.
    pub(crate) fn optional<T>(
        &self,
        key: &'static str,
        expected: &str,
        convert: impl FnOnce(&'s Item) -> Option<T>,
    ) -> Option<T> {
        let converted = convert(self.item(key)?);
        if converted.is_none() {
            self.refuse(key, expected);
        }
        converted
    }

    /// A value that may not be missing.
    pub(crate) fn required<T>(
        &self,
        key: &'static str,
        expected: &str,
        convert: impl FnOnce(&'s Item) -> Option<T>,
    ) -> Option<T> {
        if self.item(key).is_none() {
            self.refuse(key, expected);
            return None;
        }
        self.optional(key, expected, convert)
    }

    /// A text of one line or more, not empty.
    pub(crate) fn text(&self, key: &'static str, expected: &str) -> Option<String> {
        self.required(key, expected, text)
    }

    /// A text of one line or more, not empty, that may be missing.
    pub(crate) fn optional_text(&self, key: &'static str, expected: &str) -> Option<String> {
        self.optional(key, expected, text)
    }

    /// A list of texts; empty if the key is missing.
    pub(crate) fn texts(&self, key: &'static str, expected: &str) -> Vec<String> {
        self.optional(key, expected, texts).unwrap_or_default()
    }

    /// A number, whole or not, that may be missing.
    pub(crate) fn optional_number(&self, key: &'static str, expected: &str) -> Option<f64> {
        self.optional(key, expected, number)
    }

    /// A flag; false if it is missing.
    pub(crate) fn flag(&self, key: &'static str) -> bool {
        self.optional(key, "true or false", Item::as_bool).unwrap_or(false)
    }

    /// A table that may be missing.
    pub(crate) fn table(&self, key: &'static str) -> Option<Table<'s>> {
        let items = self.optional(key, "a table", Item::as_table_like)?;
        Some(Table::new(self.source, items, format!("{}{key}.", self.place), self.line_of(key)))
    }

    /// An array of tables, `[[key]]` or inline; empty if it is missing.
    pub(crate) fn tables(&self, key: &'static str) -> Vec<Table<'s>> {
        let Some(item) = self.item(key) else { return Vec::new() };
        let place = format!("{}{key}.", self.place);
        if let Some(array) = item.as_array_of_tables() {
            let line =
                |span: Option<Range<usize>>| span.map_or(self.line, |span| self.source.line(span.start));
            let table = |table: &'s toml_edit::Table| {
                Table::new(self.source, table, place.clone(), line(table.span()))
            };
            return array.iter().map(table).collect();
        }
        let inline = |value: &'s Value| value.as_inline_table();
        let tables = item.as_array().map(|array| array.iter().map(inline).collect::<Option<Vec<_>>>());
        match tables {
            Some(Some(tables)) => {
                let line = self.line_of(key);
                tables.into_iter().map(|table| Table::new(self.source, table, place.clone(), line)).collect()
            }
            _ => {
                self.refuse(key, "a list of tables");
                Vec::new()
            }
        }
    }

    /// Every key with its text, for tables whose keys the author chooses; numbers count as their text.
    pub(crate) fn pairs(&self) -> Vec<(String, String)> {
        let mut pairs = Vec::new();
        for (key, item) in self.items.iter() {
            let written = || Some(item.as_integer()?.to_string());
            let written = written().or_else(|| Some(item.as_float()?.to_string()));
            match text(item).or(written) {
                Some(text) => pairs.push((key.to_owned(), text)),
                None => self.refuse(key, "a text or a number"),
            }
        }
        pairs
    }

    /// Every key with its list of texts, for tables whose keys the author chooses.
    pub(crate) fn lists(&self) -> Vec<(String, Vec<String>)> {
        let mut lists = Vec::new();
        for (key, item) in self.items.iter() {
            match texts(item).filter(|texts| !texts.is_empty()) {
                Some(texts) => lists.push((key.to_owned(), texts)),
                None => self.refuse(key, "a list of texts"),
            }
        }
        lists
    }

    /// A value as it stands in the file.
    pub(crate) fn written(&self, key: &str) -> Option<String> {
        Some(self.source.written(self.items.get(key)?.span()))
    }

    /// The column, from 1, of the first character of the text of a key.
    pub(crate) fn column(&self, key: &str) -> Option<usize> {
        let start = self.items.get(key)?.span()?.start;
        let line = self.source.text.get(..start)?.rfind('\n').map_or(0, |end| end + 1);
        // The quote stands before it.
        Some(self.source.text.get(line..start)?.chars().count() + 2)
    }

    /// Reports keys that nobody asked for.
    pub(crate) fn finish(&self) {
        let asked = self.asked.borrow();
        for (key, item) in self.items.iter() {
            if !asked.contains(&key) {
                let line = self.source.line_of(item, self.line);
                let value = Some(self.source.written(item.span()));
                self.report(line, key, value, format!("one of the keys {}", asked.join(", ")));
            }
        }
    }
}

fn text(item: &Item) -> Option<String> {
    item.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

fn texts(item: &Item) -> Option<Vec<String>> {
    item.as_array()?.iter().map(|value| value.as_str().map(str::to_owned)).collect()
}

/// A number, whole or not.
pub(crate) fn number(item: &Item) -> Option<f64> {
    item.as_float().or_else(|| Some(item.as_integer()? as f64)).filter(|number| number.is_finite())
}

/// A number above 0, whole or not.
pub(crate) fn positive(item: &Item) -> Option<f64> {
    number(item).filter(|number| *number > 0.0)
}
