//! Reading a TOML file of the laboratory: every mistake at once, each with line and column. This module must never know
//! the meaning of a key.

use std::cell::RefCell;
use std::ops::Range;

use toml_edit::{Document, Item, TableLike, Value};

use crate::mistake::{Mistake, Mistakes, Place};

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
    match read_all(file, text, read) {
        (Some(read), mistakes) if mistakes.is_empty() => Ok(read),
        (_, mistakes) => Err(mistakes),
    }
}

/// Reads a file as [`read`] does. Also returns the readable part of a file with mistakes, for further ones to be found
/// in it.
pub(crate) fn read_all<T>(
    file: &str,
    text: &str,
    read: impl FnOnce(&Table<'_>) -> Option<T>,
) -> (Option<T>, Mistakes) {
    let source = Source { file, text, mistakes: RefCell::default() };
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let place = error.span().map_or(Place::FIRST, |span| Place::of(text, span.start));
            let expected = format!("TOML; its reader says: {}", error.message().trim());
            let file = file.to_owned();
            return (None, vec![Mistake { file, place, key: String::new(), value: None, expected }]);
        }
    };
    let top = Table::new(&source, document.as_table(), String::new(), Place::FIRST);
    let read = read(&top);
    top.finish();
    // A table that stands for many is read as often.
    let mut mistakes = Mistakes::new();
    for mistake in source.mistakes.into_inner() {
        if !mistakes.contains(&mistake) {
            mistakes.push(mistake);
        }
    }
    mistakes.sort_by_key(|mistake| mistake.place);
    (read, mistakes)
}

impl Source<'_> {
    fn place_of(&self, span: Option<Range<usize>>, otherwise: Place) -> Place {
        span.map_or(otherwise, |span| Place::of(self.text, span.start))
    }

    fn written(&self, span: Option<Range<usize>>) -> String {
        match span.and_then(|span| self.text.get(span)) {
            Some(text) if !text.contains('\n') => text.to_owned(),
            _ => "[…]".to_owned(),
        }
    }
}

/// Expected form of an [`Entry`], for messages.
const ENTRY: &str = "a text, a number, or a list of them that is not empty";

/// Expected form of a list, for messages.
pub(crate) const LIST: &str = "a list of texts or numbers that is not empty";

/// A text or several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A text, a number or a flag.
    One(String),
    /// A list of them, not empty.
    Several(Vec<String>),
}

impl Entry {
    /// All texts.
    pub(crate) fn texts(self) -> Vec<String> {
        match self {
            Self::One(text) => vec![text],
            Self::Several(texts) => texts,
        }
    }
}

/// An element of a list of texts and tables.
pub(crate) enum Element<'s> {
    /// A text, and its place.
    Text(String, Place),
    /// A table.
    Table(Table<'s>),
}

impl Element<'_> {
    /// The place where it begins.
    pub(crate) fn place(&self) -> Place {
        match self {
            Self::Text(_, place) => *place,
            Self::Table(table) => table.place,
        }
    }
}

/// A table of the file.
pub(crate) struct Table<'s> {
    source: &'s Source<'s>,
    items: &'s dyn TableLike,
    /// Prefix of its keys in messages: `run.`, or nothing at the top.
    path: String,
    /// The place where it begins.
    pub(crate) place: Place,
    asked: RefCell<Vec<&'static str>>,
}

impl<'s> Table<'s> {
    fn new(source: &'s Source<'s>, items: &'s dyn TableLike, path: String, place: Place) -> Self {
        Self { source, items, path, place, asked: RefCell::default() }
    }

    /// The item of a key, which becomes a known one.
    pub(crate) fn item(&self, key: &'static str) -> Option<&'s Item> {
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(&key) {
            asked.push(key);
        }
        self.items.get(key).filter(|item| !item.is_none())
    }

    /// The place of the value of a key; of the table where there is none.
    pub(crate) fn place_of(&self, key: &str) -> Place {
        self.source.place_of(self.items.get(key).and_then(Item::span), self.place)
    }

    /// Reports the value at a key.
    pub(crate) fn refuse(&self, key: &str, expected: impl Into<String>) {
        let item = self.items.get(key);
        let value = item.map(|item| self.source.written(item.span()));
        self.report(self.place_of(key), key, value, expected.into());
    }

    /// Reports a mistake at a place of its own.
    pub(crate) fn report(&self, place: Place, key: &str, value: Option<String>, expected: String) {
        let (file, key) = (self.source.file.to_owned(), format!("{}{key}", self.path));
        self.source.mistakes.borrow_mut().push(Mistake { file, place, key, value, expected });
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

    /// A number other than 0, whole or not, that may be missing.
    pub(crate) fn optional_factor(&self, key: &'static str, expected: &str) -> Option<f64> {
        self.optional(key, expected, |item| number(item).filter(|number| *number != 0.0))
    }

    /// A flag; false if it is missing.
    pub(crate) fn flag(&self, key: &'static str) -> bool {
        self.optional(key, "true or false", Item::as_bool).unwrap_or(false)
    }

    /// Whether anything stands at a key.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.items.get(key).is_some_and(|item| !item.is_none())
    }

    /// Whether a list stands at a key.
    pub(crate) fn has_list(&self, key: &'static str) -> bool {
        self.items.get(key).is_some_and(Item::is_array)
    }

    /// Every key with the texts of its list, or `None` if the value is no list. A list that cannot be read is a
    /// mistake, and has no texts.
    pub(crate) fn lists_or_none(&self) -> Vec<(&'s str, Option<Vec<String>>)> {
        let list = |(key, item): (&'s str, &Item)| (key, item.is_array().then(|| self.texts_of(key, item)));
        self.items.iter().map(list).collect()
    }

    /// The texts of the list at a key that the file may have; none and a mistake if it cannot be read.
    pub(crate) fn list(&self, key: &'static str) -> Vec<String> {
        self.item(key).map(|item| self.texts_of(key, item)).unwrap_or_default()
    }

    fn texts_of(&self, key: &str, item: &Item) -> Vec<String> {
        let texts = entry(item).map(Entry::texts);
        if texts.is_none() {
            self.refuse(key, LIST);
        }
        texts.unwrap_or_default()
    }

    /// A table that may be missing; a value that is no table is reported where the key is read.
    pub(crate) fn inner(&self, key: &'static str) -> Option<Table<'s>> {
        let items = self.item(key)?.as_table_like()?;
        Some(Table::new(self.source, items, format!("{}{key}.", self.path), self.place_of(key)))
    }

    /// A table that may be missing.
    pub(crate) fn table(&self, key: &'static str) -> Option<Table<'s>> {
        let items = self.optional(key, "a table", Item::as_table_like)?;
        Some(Table::new(self.source, items, format!("{}{key}.", self.path), self.place_of(key)))
    }

    /// An array of tables, `[[key]]` or inline; empty if it is missing.
    pub(crate) fn tables(&self, key: &'static str) -> Vec<Table<'s>> {
        let Some(item) = self.item(key) else { return Vec::new() };
        let path = format!("{}{key}.", self.path);
        let table = |items: &'s dyn TableLike, span| {
            Table::new(self.source, items, path.clone(), self.source.place_of(span, self.place_of(key)))
        };
        if let Some(array) = item.as_array_of_tables() {
            return array.iter().map(|items| table(items, items.span())).collect();
        }
        let inline = |value: &'s Value| Some((value.as_inline_table()?, value.span()));
        let tables = item.as_array().map(|array| array.iter().map(inline).collect::<Option<Vec<_>>>());
        match tables {
            Some(Some(tables)) => tables.into_iter().map(|(items, span)| table(items, span)).collect(),
            _ => {
                self.refuse(key, "a list of tables");
                Vec::new()
            }
        }
    }

    /// The elements of a list of texts and tables; empty if it is missing.
    pub(crate) fn elements(&self, key: &'static str, expected: &str) -> Vec<Element<'s>> {
        let path = format!("{}{key}.", self.path);
        let element = |value: &'s Value| {
            let place = self.source.place_of(value.span(), self.place_of(key));
            let table = |items| Element::Table(Table::new(self.source, items, path.clone(), place));
            let text = || Some(Element::Text(value.as_str()?.to_owned(), place));
            value.as_inline_table().map(|items| table(items as &dyn TableLike)).or_else(text)
        };
        let is_list = self.item(key).is_none_or(Item::is_array);
        let elements = |item: &'s Item| item.as_array()?.iter().map(element).collect();
        match is_list {
            true => self.optional(key, expected, elements).unwrap_or_default(),
            // `[[key]]` has tables alone.
            false => self.tables(key).into_iter().map(Element::Table).collect(),
        }
    }

    /// The number of mistakes reported in the file.
    pub(crate) fn reported(&self) -> usize {
        self.source.mistakes.borrow().len()
    }

    /// Every key with its value, for tables whose keys the author chooses; numbers and flags count as their text.
    pub(crate) fn entries(&self) -> Vec<(&'s str, Entry)> {
        let mut entries = Vec::new();
        for (key, item) in self.items.iter() {
            match entry(item) {
                Some(entry) => entries.push((key, entry)),
                None => self.refuse(key, ENTRY),
            }
        }
        entries
    }

    /// Every key with its text, or `None` for a list, which is skipped because a template is read once for each of its
    /// tables.
    pub(crate) fn texts_or_lists(&self) -> Vec<(&'s str, Option<String>)> {
        let mut texts = Vec::new();
        for (key, item) in self.items.iter() {
            if item.is_array() {
                texts.push((key, None));
                continue;
            }
            match entry(item) {
                Some(Entry::One(text)) => texts.push((key, Some(text))),
                _ => self.refuse(key, ENTRY),
            }
        }
        texts
    }

    /// The text or the list of a key; numbers and flags count as their text.
    pub(crate) fn entry(&self, key: &'static str, expected: &str) -> Option<Entry> {
        self.optional(key, expected, entry)
    }

    /// A value as it stands in the file.
    pub(crate) fn written(&self, key: &str) -> Option<String> {
        Some(self.source.written(self.items.get(key)?.span()))
    }

    /// Reports keys that were not read.
    pub(crate) fn finish(&self) {
        let asked = self.asked.borrow();
        for (key, item) in self.items.iter() {
            if !asked.contains(&key) {
                let name = self.items.key(key).and_then(toml_edit::Key::span).or_else(|| item.span());
                let value = Some(self.source.written(item.span()));
                let expected = format!("one of the keys {}", asked.join(", "));
                self.report(self.source.place_of(name, self.place), key, value, expected);
            }
        }
    }
}

fn text(item: &Item) -> Option<String> {
    item.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

fn entry(item: &Item) -> Option<Entry> {
    let value = item.as_value()?;
    match value.as_array() {
        None => scalar(value).filter(|text| !text.trim().is_empty()).map(Entry::One),
        Some(array) => {
            // Within a name an empty text stands for nothing there.
            let texts: Option<Vec<_>> = array.iter().map(scalar).collect();
            texts.filter(|texts| !texts.is_empty()).map(Entry::Several)
        }
    }
}

/// A text, or a number or a flag as text.
fn scalar(value: &Value) -> Option<String> {
    let text = || value.as_str().map(str::to_owned);
    let number = || value.as_integer().map(|number| number.to_string());
    let float = || value.as_float().filter(|number| number.is_finite()).map(|number| number.to_string());
    let flag = || value.as_bool().map(|flag| flag.to_string());
    text().or_else(number).or_else(float).or_else(flag)
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
