//! One section of a machine file, read key by key. Asking for a key is what makes it a known one, so what a
//! section may hold is written once: in the code that reads it. Knows no particular section.

use std::cell::RefCell;
use std::fmt::Display;

use toml_edit::{Item, TableLike};
use units::{Bandwidth, Frequency, Quantity, Rate, Span, Time};

use crate::reader::{Found, Raw, Reader, hint};
use crate::{Capability, Cost};

/// A section: a table of the file, with what the command line puts in its place.
pub(crate) struct Section<'a> {
    reader: &'a Reader<'a>,
    /// Dotted; empty for the file itself.
    path: String,
    /// `None` where the file has no such section.
    table: Option<&'a dyn TableLike>,
    line: usize,
    /// Where the numbers of this section come from unless their own lines say so.
    source: Option<String>,
    /// Whether keys that are not there are reported; not so where the section itself was.
    complete: bool,
    known: RefCell<Vec<&'static str>>,
}

impl<'a> Section<'a> {
    /// Reads a whole file: hands its top level to `read`, then reports what `read` did not ask for.
    pub(crate) fn file<T>(
        reader: &'a Reader<'a>,
        table: &'a dyn TableLike,
        read: impl FnOnce(&Self) -> T,
    ) -> T {
        Self::new(reader, String::new(), Some(table), 1).read_with(read)
    }

    /// Reads a section of this one the same way.
    pub(crate) fn section<T>(&self, key: &'static str, read: impl FnOnce(&Self) -> T) -> T {
        self.know(key);
        let (path, item) = (self.dotted(key), self.item(key));
        let table = item.and_then(Item::as_table_like);
        let line = item.and_then(|item| self.reader.line_of(item)).unwrap_or(self.line);
        if table.is_none() && self.complete {
            let value = item.map(|item| self.reader.written(Raw::Item(item)));
            self.reader.report(Some(line), &path, value, format!("a section [{path}]"));
        }
        let mut section = Self::new(self.reader, path, table, line);
        section.complete = table.is_some();
        section.read_with(read)
    }

    fn new(reader: &'a Reader<'a>, path: String, table: Option<&'a dyn TableLike>, line: usize) -> Self {
        Self { reader, path, table, line, source: None, complete: true, known: RefCell::default() }
    }

    fn read_with<T>(mut self, read: impl FnOnce(&Self) -> T) -> T {
        self.read_source();
        let result = read(&self);
        self.report_unknown();
        result
    }

    fn read_source(&mut self) {
        self.know("source");
        let Some(item) = self.item("source") else { return };
        match item.as_str() {
            Some(source) => self.source = Some(source.to_owned()),
            None => {
                let expected = "a text that says where the numbers come from".to_owned();
                self.reader.refuse(&self.found("source", item), expected);
            }
        }
    }

    fn report_unknown(&self) {
        let known = self.known.borrow();
        let entries = self.table.into_iter().flat_map(|table| table.iter());
        for (key, item) in entries.filter(|(key, _)| !known.contains(key)) {
            let place = match self.path.as_str() {
                "" => "a key or section of a machine file".to_owned(),
                path => format!("a key of [{path}]"),
            };
            let hint = hint(key, known.iter().copied());
            self.reader.refuse(&self.found(key, item), format!("{place}{hint}"));
        }
    }

    fn know(&self, key: &'static str) {
        let mut known = self.known.borrow_mut();
        if !known.contains(&key) {
            known.push(key);
        }
    }

    fn dotted(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    fn item(&self, key: &str) -> Option<&'a Item> {
        self.table?.get(key)
    }

    fn found(&self, key: &str, item: &'a Item) -> Found<'a> {
        let key_line = || {
            let span = self.table?.key(key)?.span()?;
            Some(self.reader.line(span.start))
        };
        let line = self.reader.line_of(item).or_else(key_line).unwrap_or(self.line);
        let source = self.reader.comment_after(item).or_else(|| self.source.clone());
        Found { key: self.dotted(key), raw: Raw::Item(item), line: Some(line), source }
    }

    /// The value of a key, if there is one; the command line goes before the file.
    fn find(&self, key: &'static str) -> Option<Found<'a>> {
        self.know(key);
        let dotted = self.dotted(key);
        if let Some(text) = self.reader.given(&dotted) {
            return Some(Found {
                key: dotted,
                raw: Raw::Given(text),
                line: None,
                source: Some("--set".to_owned()),
            });
        }
        self.item(key).map(|item| self.found(key, item))
    }

    /// The value of a key that must be there.
    fn require(&self, key: &'static str, expected: &str) -> Option<Found<'a>> {
        let found = self.find(key);
        if found.is_none() && self.complete {
            self.reader.report(Some(self.line), &self.dotted(key), None, expected.to_owned());
        }
        found
    }

    /// Understands a value or reports it; `convert` says what it expected instead.
    fn convert<T: Display>(
        &self,
        found: Found<'a>,
        convert: impl FnOnce(Raw<'a>) -> Result<T, String>,
    ) -> Option<T> {
        match convert(found.raw) {
            Ok(value) => {
                self.reader.keep(found, value.to_string());
                Some(value)
            }
            Err(expected) => {
                self.reader.refuse(&found, expected);
                None
            }
        }
    }

    /// Reports a value that is well formed but does not go with the others.
    pub(crate) fn contradict(&self, key: &'static str, expected: String) {
        if let Some(found) = self.find(key) {
            self.reader.refuse(&found, expected);
        }
    }

    /// A text that `accept` accepts.
    pub(crate) fn text(
        &self,
        key: &'static str,
        expected: &str,
        accept: impl FnOnce(&str) -> bool,
    ) -> Option<String> {
        let found = self.require(key, expected)?;
        self.convert(found, |raw| {
            raw.text().filter(|text| accept(text)).map(str::to_owned).ok_or_else(|| expected.to_owned())
        })
    }

    /// A whole number of at least 1 that fits `N`.
    pub(crate) fn count<N: TryFrom<i64> + Display>(&self, key: &'static str) -> Option<N> {
        const EXPECTED: &str = "a whole number from 1, such as 8";
        let found = self.require(key, EXPECTED)?;
        self.convert(found, |raw| count(raw).ok_or_else(|| EXPECTED.to_owned()))
    }

    /// As [`count`](Self::count), or the word "unlimited", which is `None` inside.
    pub(crate) fn limit(&self, key: &'static str) -> Option<Option<usize>> {
        const EXPECTED: &str = "a whole number from 1, such as 16, or \"unlimited\"";
        let found = self.require(key, EXPECTED)?;
        let limit = self.convert(found, |raw| match raw.text() {
            Some("unlimited") => Ok(Limit(None)),
            _ => count(raw).map(|limit| Limit(Some(limit))).ok_or_else(|| EXPECTED.to_owned()),
        });
        limit.map(|Limit(limit)| limit)
    }

    /// A quantity with its unit.
    pub(crate) fn quantity<Q: Quantity>(&self, key: &'static str) -> Option<Q> {
        self.resolved(key, |quantity: Q| quantity)
    }

    /// A quantity above what `Default` makes: zero.
    pub(crate) fn quantity_above_zero<Q: Quantity + Default + PartialEq>(
        &self,
        key: &'static str,
    ) -> Option<Q> {
        let found = self.require(key, Q::EXPECTED)?;
        self.convert(found, |raw| above_zero(parsed::<Q>(raw)?, Q::EXPECTED))
    }

    /// A duration, in cycles of `clock` or absolute.
    pub(crate) fn time(&self, key: &'static str, clock: Frequency) -> Option<Time> {
        self.resolved(key, |span: Span| span.resolve(clock))
    }

    /// A duration above zero.
    pub(crate) fn time_above_zero(&self, key: &'static str, clock: Frequency) -> Option<Time> {
        let found = self.require(key, Span::EXPECTED)?;
        self.convert(found, |raw| above_zero(parsed::<Span>(raw)?.resolve(clock), Span::EXPECTED))
    }

    /// A bandwidth, per cycle of `clock` or absolute.
    pub(crate) fn bandwidth(&self, key: &'static str, clock: Frequency) -> Option<Bandwidth> {
        self.resolved(key, |rate: Rate| rate.resolve(clock))
    }

    fn resolved<Q: Quantity, T: Display>(
        &self,
        key: &'static str,
        resolve: impl FnOnce(Q) -> T,
    ) -> Option<T> {
        let found = self.require(key, Q::EXPECTED)?;
        self.convert(found, |raw| parsed(raw).map(resolve))
    }

    /// A duration that is zero unless stated.
    fn time_or_zero(&self, key: &'static str, clock: Frequency) -> Option<Time> {
        match self.find(key) {
            None => Some(Time::ZERO),
            Some(found) => self.convert(found, |raw| Ok(parsed::<Span>(raw)?.resolve(clock))),
        }
    }

    /// A cost: a duration, or a table of `path` and `occupancy`. The command line may set either form.
    pub(crate) fn cost(&self, key: &'static str, clock: Frequency) -> Option<Cost> {
        let table = match self.find(key).map(|found| found.raw) {
            Some(Raw::Item(item)) => item.as_table_like(),
            _ => None,
        };
        let parts = self.parts(key, table);
        let (path, occupancy) = parts.read_with(|parts| {
            let in_parts = table.is_some() || self.reader.given(&parts.dotted("path")).is_some();
            let path = if in_parts { parts.time("path", clock) } else { self.time(key, clock) };
            (path, parts.time_or_zero("occupancy", clock))
        });
        Some(Cost { path: path?, occupancy: occupancy? })
    }

    /// The parts of a cost. They stand on one line, so its comment speaks for all of them.
    fn parts(&self, key: &'static str, table: Option<&'a dyn TableLike>) -> Self {
        let item = self.item(key);
        let line = item.and_then(|item| self.reader.line_of(item)).unwrap_or(self.line);
        let mut parts = Self::new(self.reader, self.dotted(key), table, line);
        parts.source = item.and_then(|item| self.reader.comment_after(item)).or_else(|| self.source.clone());
        parts
    }

    /// A list of different capabilities, at least one; from the command line, separated by commas.
    pub(crate) fn capabilities(&self, key: &'static str) -> Option<Vec<Capability>> {
        const EXPECTED: &str = "a list of at least one capability such as [\"poll\", \"interrupt\"]";
        let found = self.require(key, EXPECTED)?;
        let entries = self.entries(&found).filter(|entries| !entries.is_empty());
        let Some(entries) = entries else {
            self.reader.refuse(&found, EXPECTED.to_owned());
            return None;
        };
        let count = entries.len();
        let mut capabilities = Vec::with_capacity(count);
        for entry in entries {
            match self.capability(&entry, &capabilities) {
                Ok(capability) => capabilities.push(capability),
                Err(expected) => {
                    let value = entry.written;
                    self.reader.report(entry.line, &found.key, Some(value), expected);
                }
            }
        }
        if capabilities.len() < count {
            return None;
        }
        self.reader.keep(found, capabilities.iter().map(|one| one.name()).collect::<Vec<_>>().join(", "));
        Some(capabilities)
    }

    fn capability(&self, entry: &Entry<'_>, so_far: &[Capability]) -> Result<Capability, String> {
        let unknown =
            || format!("a capability{}", hint(entry.name.unwrap_or(""), Capability::NAMES.iter().copied()));
        let capability = entry.name.and_then(|name| name.parse().ok()).ok_or_else(unknown)?;
        if so_far.contains(&capability) {
            return Err("each capability once".to_owned());
        }
        Ok(capability)
    }

    /// The entries of a list; `None` if it is none.
    fn entries(&self, found: &Found<'a>) -> Option<Vec<Entry<'a>>> {
        match found.raw {
            Raw::Given(text) => Some(
                text.split(',')
                    .map(str::trim)
                    .map(|name| Entry { name: Some(name), written: format!("{name:?}"), line: None })
                    .collect(),
            ),
            Raw::Item(item) => Some(
                item.as_array()?
                    .iter()
                    .map(|value| Entry {
                        name: value.as_str(),
                        written: value.to_string().trim().to_owned(),
                        line: value.span().map(|span| self.reader.line(span.start)).or(found.line),
                    })
                    .collect(),
            ),
        }
    }
}

/// One entry of a list; without a name where it is no text.
struct Entry<'a> {
    name: Option<&'a str>,
    written: String,
    line: Option<usize>,
}

/// A bound that may be absent; only so that it can be printed.
struct Limit(Option<usize>);

impl Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(limit) => limit.fmt(f),
            None => f.write_str("unlimited"),
        }
    }
}

fn count<N: TryFrom<i64>>(raw: Raw<'_>) -> Option<N> {
    raw.integer().filter(|&count| count >= 1).and_then(|count| N::try_from(count).ok())
}

fn parsed<Q: Quantity>(raw: Raw<'_>) -> Result<Q, String> {
    let text = raw.text().ok_or_else(|| Q::EXPECTED.to_owned())?;
    text.parse().map_err(|error: units::ParseError| error.expected())
}

fn above_zero<T: Default + PartialEq>(value: T, expected: &str) -> Result<T, String> {
    if value == T::default() { Err(format!("{expected} above zero")) } else { Ok(value) }
}
