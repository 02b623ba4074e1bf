//! A section of a machine file, read key by key. A key becomes known when the code asks for it, so the keys of a
//! section are written once: where they are read. The types of values are in `key`. This module must never know a
//! particular section.
//!
//! A section has layers: the values under a policy, the values of the machine's file, the values of the files that it extends.
//! The first layer that has a key gives its value. Tables are sections and are merged. Every other value is replaced.

use std::cell::{Cell, RefCell};
use std::fmt::Display;

use toml_edit::{Item, TableLike};
use units::Frequency;

use super::clocks::{Clocks, NO_CLOCK};
use super::range::Range;
use super::reader::{Found, POLICY, Place, Raw, Reader, hint};
use super::source_text::SourceText;

/// A section, with the values of the command line that replace its own.
pub(crate) struct Section<'a> {
    pub(crate) reader: &'a Reader<'a>,
    /// The dotted path of the section; empty for the top level of the file.
    path: String,
    /// The tables of the section in all files, the one with the highest precedence first; empty if no file has the section.
    layers: Vec<Layer<'a>>,
    /// The place where a missing key should have been.
    place: Place<'a>,
    /// Whether missing keys are reported. They are not if the section itself is missing, which is one mistake.
    complete: bool,
    /// The key and the value of the command line because of which the section needs further keys; `None` if the files ask for
    /// them.
    asked_by: RefCell<Option<(String, &'a str)>>,
    /// The missing keys that `asked_by` requires, each with its expected form.
    missing: RefCell<Vec<String>>,
    known: RefCell<Vec<&'static str>>,
    /// The ranges of keys whose rows state one.
    ranges: RefCell<Vec<(&'static str, Range)>>,
    /// Whether unknown keys go unreported: a mistake elsewhere makes it unclear which keys belong here.
    forgiving: Cell<bool>,
    /// The clock that the cycles of this section count: its own, or else the clock of the section around it.
    clock: Cell<Frequency>,
}

/// A table of one file.
#[derive(Clone)]
struct Layer<'a> {
    table: &'a dyn TableLike,
    place: Place<'a>,
    /// The dotted path of this table. It differs from the section's for values that hold under one policy.
    path: String,
    /// Whether an unknown key is a mistake here. A file that is extended was read for itself, which found its mistakes, and this
    /// machine need not use all of its keys.
    own: bool,
    /// The source of the numbers of this table whose lines have no comment.
    source: Option<String>,
}

impl<'a> Section<'a> {
    /// The top level of a file and of all files that it extends, under a policy or under none.
    pub(crate) fn top(reader: &'a Reader<'a>, chain: &'a [SourceText], policy: Option<&str>) -> Self {
        let place = Place { file: &chain[0], line: 1 };
        let path = policy.map(|policy| format!("{POLICY}.{policy}"));
        let special = chain.iter().enumerate().filter_map(|(index, file)| {
            let policies = file.table().get(POLICY)?.as_table_like()?;
            let table = policies.get(policy?)?.as_table_like()?;
            let line = file.line_of_key(policies, policy?).unwrap_or(1);
            let path = path.clone().unwrap_or_default();
            Some(Layer { table, place: Place { file, line }, path, own: index == 0, source: None })
        });
        let plain = chain.iter().enumerate().map(|(index, file)| {
            let place = Place { file, line: 1 };
            Layer { table: file.table(), place, path: String::new(), own: index == 0, source: None }
        });
        Self::new(reader, String::new(), special.chain(plain).collect(), place, NO_CLOCK)
    }

    fn new(
        reader: &'a Reader<'a>,
        path: String,
        layers: Vec<Layer<'a>>,
        place: Place<'a>,
        clock: Frequency,
    ) -> Self {
        Self {
            reader,
            path,
            layers,
            place,
            complete: true,
            asked_by: RefCell::default(),
            missing: RefCell::default(),
            known: RefCell::default(),
            ranges: RefCell::default(),
            forgiving: Cell::new(false),
            clock: Cell::new(clock),
        }
    }

    /// Reads a section of this one with `read`, then reports the keys that `read` did not ask for.
    pub(crate) fn section<T>(&self, key: &'static str, read: impl FnOnce(&Self) -> T) -> T {
        self.know(key);
        let path = self.dotted(key);
        let layers: Vec<_> = self.layers.iter().filter_map(|layer| layer.below(key)).collect();
        let plain = layers.iter().find(|layer| layer.path == path).or(layers.first());
        let place = plain.map_or(self.place, |layer| layer.place);
        let asked_by = if layers.is_empty() { self.reader.first_below(&path) } else { None };
        let complete = !layers.is_empty() || asked_by.is_some();
        if !complete && self.complete && self.items(key).next().is_none() {
            self.miss(Some(place), &path, &format!("a section [{path}]"));
        }
        for found in self.items(key).filter(|found| found.is_no_table()) {
            self.reader.refuse(&found, format!("a section [{path}]"));
        }
        let mut section = Self::new(self.reader, path, layers, place, self.clock());
        section.complete = complete;
        section.asked_by = RefCell::new(asked_by);
        section.read_with(read)
    }

    /// Names the key of the command line that makes further keys necessary. All missing ones then become one error about that
    /// key.
    pub(crate) fn ask_by(&self, key: &'static str) {
        self.asked_by.replace(self.given(key));
    }

    /// Reports a missing value. All values that one value of the command line makes necessary become one error.
    fn miss(&self, place: Option<Place<'a>>, path: &str, expected: &str) {
        match &*self.asked_by.borrow() {
            Some(_) => self.missing.borrow_mut().push(format!("{path} ({expected})")),
            None => self.reader.report(place, path, None, expected.to_owned()),
        }
    }

    fn report_missing(&self) {
        let missing = self.missing.borrow().join(", ");
        if let Some((key, text)) = self.asked_by.borrow().as_ref().filter(|_| !missing.is_empty()) {
            let expected = format!("with it, as further --set: {missing}");
            self.reader.report(None, key, Some(format!("{text:?}")), expected);
        }
    }

    /// Reads this section with `read`, then reports the keys that `read` did not ask for.
    pub(crate) fn read_with<T>(mut self, read: impl FnOnce(&Self) -> T) -> T {
        self.read_sources();
        let result = read(&self);
        self.report_missing();
        self.report_unknown();
        result
    }

    fn read_sources(&mut self) {
        self.know("source");
        for layer in &mut self.layers {
            let Some(item) = layer.table.get("source") else { continue };
            match item.as_str() {
                Some(source) => layer.source = Some(source.to_owned()),
                None => {
                    let expected = "a text that says where the numbers come from".to_owned();
                    self.reader.refuse(&layer.found("source", item), expected);
                }
            }
        }
    }

    /// The clock that cycles count here.
    pub(crate) fn clock(&self) -> Frequency {
        self.clock.get()
    }

    /// The clocks that values may count here.
    pub(crate) fn clocks(&self) -> Clocks {
        Clocks { own: self.clock(), bus: self.reader.bus.get() }
    }

    /// Sets the clock of bus cycles to the clock of `[bus]`, or of this section if `[bus]` states none. A wrong clock
    /// is reported when the section of the bus is read.
    pub(crate) fn count_bus_cycles(&self) {
        if !self.gives("bus") {
            return;
        }
        let clock_of = |layer: &Layer<'a>| layer.table.get("bus")?.as_table_like()?.get("clock")?.as_str();
        let given = self.reader.given("bus.clock").map(|(_, text)| text);
        let stated = given.or_else(|| self.layers.iter().find_map(clock_of));
        let clock = stated.map_or(self.clock(), |text| text.parse().unwrap_or(NO_CLOCK));
        self.reader.bus.set(Some(clock));
    }

    /// Whether the command line gives exactly this key.
    pub(crate) fn is_set(&self, key: &'static str) -> bool {
        self.given(key).is_some()
    }

    /// Sets the clock that cycles count from now on in this section and in the sections read in it.
    pub(crate) fn count_cycles_of(&self, clock: Frequency) {
        self.clock.set(clock);
    }

    /// Makes keys known ones although no code reads them: another value leaves them unused.
    pub(crate) fn leave_unused(&self, keys: &[&'static str]) {
        keys.iter().for_each(|key| self.know(key));
    }

    /// Makes every key a known one, because the value that decides which keys there are was refused.
    pub(crate) fn forgive(&self) {
        self.forgiving.set(true);
    }

    fn report_unknown(&self) {
        if self.forgiving.get() {
            return;
        }
        let known = self.known.borrow();
        for layer in self.layers.iter().filter(|layer| layer.own) {
            for (key, item) in layer.table.iter().filter(|(key, _)| !known.contains(key)) {
                let place = match layer.path.as_str() {
                    "" => "a key or section of a machine file".to_owned(),
                    path => format!("a key of [{path}]"),
                };
                let hint = hint(key, known.iter().copied());
                self.reader.refuse(&layer.found(key, item), format!("{place}{hint}"));
            }
        }
    }

    /// States the range of a key, before the key is read.
    pub(crate) fn limit(&self, key: &'static str, range: Range) {
        self.ranges.borrow_mut().push((key, range));
    }

    /// The range of a key whose row states one.
    pub(super) fn stated_range(&self, key: &'static str) -> Option<Range> {
        self.ranges.borrow().iter().find(|(limited, _)| *limited == key).map(|&(_, range)| range)
    }

    /// Makes a key a known one.
    pub(crate) fn know(&self, key: &'static str) {
        let mut known = self.known.borrow_mut();
        if !known.contains(&key) {
            known.push(key);
        }
    }

    pub(super) fn dotted(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// The value of a key on the command line, with the key as it is written there.
    fn given(&self, key: &str) -> Option<(String, &'a str)> {
        if self.reader.may_give(key) { self.reader.given(&self.dotted(key)) } else { None }
    }

    /// The value of a key in each layer that has the key, the layer with the highest precedence first.
    fn items(&self, key: &str) -> impl Iterator<Item = Found<'a>> {
        self.layers.iter().filter_map(move |layer| Some(layer.found(key, layer.table.get(key)?)))
    }

    /// The value of a key, if there is one. A value of the command line precedes the files' values.
    pub(crate) fn find(&self, key: &'static str) -> Option<Found<'a>> {
        self.know(key);
        match self.given(key) {
            Some((key, text)) => {
                Some(Found { key, raw: Raw::Given(text), place: None, source: Some("--set".to_owned()) })
            }
            None => self.items(key).next(),
        }
    }

    /// The value of a key that must be there.
    pub(crate) fn require(&self, key: &'static str, expected: &str) -> Option<Found<'a>> {
        let found = self.find(key);
        if found.is_none() && self.complete {
            self.miss(Some(self.place), &self.dotted(key), expected);
        }
        found
    }

    /// Reports a missing key that the rest of the file makes necessary.
    pub(crate) fn expect(&self, key: &'static str, expected: &str) {
        if !self.gives(key) {
            self.require(key, expected);
        }
    }

    /// Reports a key that this machine must give itself, even if a base gives it.
    pub(crate) fn expect_own(&self, key: &'static str, expected: &str) {
        let own = self.layers.iter().any(|layer| layer.own && layer.table.contains_key(key));
        if self.has(key) && !own && self.given(key).is_none() {
            self.reader.report(Some(self.place), &self.dotted(key), None, expected.to_owned());
        }
    }

    /// Whether file or command line give exactly this key.
    pub(crate) fn has(&self, key: &'static str) -> bool {
        self.know(key);
        self.given(key).is_some() || self.item(key).is_some()
    }

    /// Whether this key has the value of a file, and not of the command line.
    pub(crate) fn has_in_file(&self, key: &'static str) -> bool {
        self.know(key);
        self.given(key).is_none() && self.item(key).is_some()
    }

    /// Whether file or command line give this key or a key below it.
    pub(crate) fn gives(&self, key: &'static str) -> bool {
        self.has(key) || self.reader.gives_below(&self.dotted(key))
    }

    /// Whether keys below this one need to be read where no file has them.
    pub(crate) fn may_give_below(&self, key: &str) -> bool {
        self.reader.may_give_below(&self.dotted(key))
    }

    /// The value of a key where it is a table that the command line does not replace.
    pub(crate) fn table_of(&self, key: &'static str) -> Option<&'a dyn TableLike> {
        self.know(key);
        if self.given(key).is_some() { None } else { self.item(key)?.as_table_like() }
    }

    /// The value of a key in the first layer that has the key.
    fn item(&self, key: &str) -> Option<&'a Item> {
        self.layers.iter().find_map(|layer| layer.table.get(key))
    }

    /// The values below a key that is no section: the values of its table, which replaces the table of any other layer,
    /// or only the values of the command line. The comment on the key's line is the source of all of them.
    pub(crate) fn below(&self, key: &'static str, table: Option<&'a dyn TableLike>) -> Self {
        let found = self.items(key).next();
        let place = found.as_ref().and_then(|found| found.place).unwrap_or(self.place);
        let layer = found.zip(table).map(|(found, table)| Layer {
            table,
            place,
            path: found.key,
            own: self.layers.iter().any(|layer| layer.own && std::ptr::eq(layer.place.file, place.file)),
            source: found.source,
        });
        Self::new(self.reader, self.dotted(key), layer.into_iter().collect(), place, self.clock())
    }

    /// Converts a value, or reports it with the form that `convert` expected.
    pub(crate) fn convert<T: Display>(
        &self,
        key: &'static str,
        found: Found<'a>,
        convert: impl FnOnce(Raw<'a>) -> Result<T, String>,
    ) -> Option<T> {
        match convert(found.raw) {
            Ok(value) => {
                self.keep(key, found, value.to_string());
                Some(value)
            }
            Err(expected) => {
                self.reader.refuse(&found, expected);
                None
            }
        }
    }

    /// Records a converted value.
    pub(crate) fn keep(&self, key: &'static str, found: Found<'a>, resolved: String) {
        self.reader.keep(&self.dotted(key), found, resolved);
    }

    /// Records the text of a key for the digest, where a file may spell its value in several ways.
    pub(crate) fn note(&self, key: &str, exact: &impl Display) {
        self.reader.note(&self.dotted(key), exact.to_string());
    }

    /// Reports a value that is well formed but contradicts values that were read before it. `others` are their dotted keys; the
    /// error names each with its line.
    pub(crate) fn contradict(&self, key: &'static str, expected: String, others: &[&str]) {
        if let Some(found) = self.find(key) {
            let stands: Vec<_> =
                others.iter().filter_map(|other| self.reader.stands(&found, other)).collect();
            let stands = if stands.is_empty() { String::new() } else { format!(" ({})", stands.join(", ")) };
            self.reader.refuse(&found, expected + &stands);
        }
    }
}

impl<'a> Layer<'a> {
    fn found(&self, key: &str, item: &'a Item) -> Found<'a> {
        let file = self.place.file;
        let line = file.line_of_key(self.table, key).unwrap_or(self.place.line);
        let source = file.comment_after(item).or_else(|| self.source.clone());
        let path = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        Found { key: path, raw: Raw::Item(item), place: Some(Place { file, line }), source }
    }

    /// The table below a key of this one.
    fn below(&self, key: &str) -> Option<Self> {
        let item = self.table.get(key)?;
        let found = self.found(key, item);
        let (table, place, path) = (item.as_table_like()?, found.place?, found.key);
        Some(Self { table, place, path, own: self.own, source: None })
    }
}
