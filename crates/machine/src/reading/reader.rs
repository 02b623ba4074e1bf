//! The state that one reading of a machine shares: the overrides of the command line, and the values and mistakes found so
//! far. This module must never know a key of a machine.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use toml_edit::Item;
use units::Frequency;
use units::names::nearest_slip;

use super::Error;
use super::chain::EXTENDS;
use super::findings::{Findings, Value};
use super::range::RangedKey;
use super::source_text::SourceText;

/// Values from the command line: dotted keys, and texts without quotes.
pub(crate) type Overrides<'a> = [(&'a str, &'a str)];

/// The shared state of one reading.
///
/// Sections nest, and several are open at a time, so all of them share one reader. Its cells are borrowed only inside the small
/// functions below.
pub(crate) struct Reader<'a> {
    /// The machine's own file, to which errors about the command line belong.
    file: &'a SourceText,
    overrides: &'a Overrides<'a>,
    /// The policy of this reading. A value that the command line gives for this policy precedes a value for all policies.
    policy: Option<&'a str>,
    /// The clock of the memory bus, where the machine has one.
    pub(super) bus: Cell<Option<Frequency>>,
    /// The keys of the command line that the machine has. In a reading of all keys, also the keys that it could have
    /// given.
    asked: RefCell<BTreeSet<String>>,
    /// Whether every key that the command line could have given is collected. A hint for an unknown key needs them; otherwise a
    /// reading is much shorter without.
    all_keys: bool,
    /// Numbers that the command line could have given, in a reading of all keys.
    offered: RefCell<Vec<RangedKey>>,
    errors: RefCell<Vec<Error>>,
    values: RefCell<Vec<Value>>,
    notes: RefCell<BTreeMap<String, String>>,
}

/// A value as it stands in a file or on the command line, before its conversion.
#[derive(Clone)]
pub(crate) struct Found<'a> {
    /// The dotted key, as the file or the command line spells it.
    pub(crate) key: String,
    pub(crate) raw: Raw<'a>,
    /// The place of the value; `None` if the command line gave it.
    pub(crate) place: Option<Place<'a>>,
    pub(crate) source: Option<String>,
}

/// A line of a file.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) file: &'a SourceText,
    /// The line's number, from 1.
    pub(crate) line: usize,
}

impl Place<'_> {
    /// The place of a span in the same file; this place where the parser noted no span.
    pub(crate) fn at(self, span: Option<Range<usize>>) -> Self {
        Self { line: span.map_or(self.line, |span| self.file.line(span.start)), ..self }
    }
}

/// The text or item of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Raw<'a> {
    /// A text of the command line.
    Given(&'a str),
    /// An item of a file.
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

    pub(crate) fn boolean(self) -> Option<bool> {
        match self {
            Self::Given(text) => text.trim().parse().ok(),
            Self::Item(item) => item.as_bool(),
        }
    }
}

impl Found<'_> {
    /// Whether the value is an item of a file but no table.
    pub(crate) fn is_no_table(&self) -> bool {
        matches!(self.raw, Raw::Item(item) if item.as_table_like().is_none())
    }

    /// The value as written, quotes and all.
    pub(crate) fn written(&self) -> String {
        match (self.raw, self.place) {
            (Raw::Item(item), Some(place)) => place.file.written(item),
            (Raw::Item(item), None) => item.to_string(),
            (Raw::Given(text), _) => format!("{text:?}"),
        }
    }
}

impl<'a> Reader<'a> {
    pub(crate) fn new(file: &'a SourceText, overrides: &'a Overrides<'a>, policy: Option<&'a str>) -> Self {
        Self {
            file,
            overrides,
            policy,
            bus: Cell::new(None),
            asked: RefCell::default(),
            all_keys: false,
            offered: RefCell::default(),
            errors: RefCell::default(),
            values: RefCell::default(),
            notes: RefCell::default(),
        }
    }

    /// This reader, which collects every key that the command line could have given.
    pub(crate) fn of_all_keys(self) -> Self {
        Self { all_keys: true, ..self }
    }

    /// Whether every key that the command line could have given is collected.
    pub(super) fn all_keys(&self) -> bool {
        self.all_keys
    }

    /// Notes a number that the command line could have given.
    pub(super) fn offer(&self, key: RangedKey) {
        self.offered.borrow_mut().push(key);
    }

    /// Whether [`given`](Self::given) may have a value for a dotted key that ends with `end`.
    pub(crate) fn may_give(&self, end: &str) -> bool {
        self.all_keys || self.overrides.iter().any(|(given, _)| given.ends_with(end))
    }

    /// Whether keys below this one need to be read where no file has them.
    pub(crate) fn may_give_below(&self, key: &str) -> bool {
        self.all_keys || self.gives_below(key)
    }

    /// The value that the command line gives for a key, with the key as it is written there. The last of several values counts.
    /// The key becomes a known one.
    pub(crate) fn given(&self, key: &str) -> Option<(String, &'a str)> {
        self.spellings(key).find_map(|key| {
            let given = self.overrides.iter().rev().find(|(given, _)| *given == key);
            if self.all_keys || given.is_some() {
                self.asked.borrow_mut().insert(key.clone());
            }
            given.map(|&(_, value)| (key, unquoted(value)))
        })
    }

    /// The first value that the command line gives below this key.
    pub(crate) fn first_below(&self, key: &str) -> Option<(String, &'a str)> {
        let first = |key: String| self.overrides.iter().find(|(given, _)| is_below(given, &key));
        self.spellings(key).find_map(first).map(|&(key, value)| (key.to_owned(), unquoted(value)))
    }

    /// Whether the command line gives a key below this one.
    pub(crate) fn gives_below(&self, key: &str) -> bool {
        self.spellings(key).any(|key| self.overrides.iter().any(|(given, _)| is_below(given, &key)))
    }

    /// The keys by which the command line may give a value, in order of precedence.
    fn spellings(&self, key: &str) -> impl Iterator<Item = String> {
        let policy = self.policy.filter(|_| !FIXED.contains(&key));
        let special = policy.map(|policy| format!("{POLICY}.{policy}.{key}"));
        special.into_iter().chain([key.to_owned()])
    }

    pub(crate) fn report(
        &self,
        place: Option<Place<'_>>,
        key: &str,
        value: Option<String>,
        expected: String,
    ) {
        let file = place.map_or(&self.file.name, |place| &place.file.name).clone();
        let (line, key) = (place.map(|place| place.line), key.to_owned());
        self.errors.borrow_mut().push(Error { file, line, key, value, expected });
    }

    pub(crate) fn refuse(&self, found: &Found<'_>, expected: String) {
        self.report(found.place, &found.key, Some(found.written()), expected);
    }

    /// A value that was read, with its line, for a message about `found`: `network.link = "20 MB/s": line 12`. `None` if the
    /// key has no value.
    pub(crate) fn stands(&self, found: &Found<'_>, key: &str) -> Option<String> {
        let values = self.values.borrow();
        let value = self.spellings(key).find_map(|key| values.iter().rfind(|value| value.key == key))?;
        let own = found.place.map_or(&self.file.name, |place| &place.file.name);
        let place = match value.line {
            None => "--set".to_owned(),
            Some(line) if value.file == *own => format!("line {line}"),
            Some(line) => format!("{}:{line}", value.file),
        };
        Some(format!("{} = {}: {place}", value.key, value.text))
    }

    /// Records a converted value, for printing and for the digest.
    pub(crate) fn keep(&self, key: &str, found: Found<'_>, resolved: String) {
        let text = found.raw.text().map_or_else(|| found.written(), str::to_owned);
        self.note(key, resolved.clone());
        let Found { key, place, source, .. } = found;
        let file = place.map_or(&self.file.name, |place| &place.file.name).clone();
        let line = place.map(|place| place.line);
        self.values.borrow_mut().push(Value { key, text, resolved, source, file, line });
    }

    /// Records the text of a key for the digest. It replaces earlier texts of the key and of the keys below it.
    pub(crate) fn note(&self, key: &str, resolved: String) {
        let mut notes = self.notes.borrow_mut();
        let begin = format!("{key}.");
        let below = notes.range(begin.clone()..).map(|(noted, _)| noted);
        let below: Vec<_> = below.take_while(|noted| noted.starts_with(&begin)).cloned().collect();
        for noted in &below {
            notes.remove(noted);
        }
        notes.insert(key.to_owned(), resolved);
    }

    /// Ends the reading, and returns its results.
    pub(crate) fn finish(self) -> Findings {
        Findings {
            values: self.values.into_inner(),
            errors: self.errors.into_inner(),
            notes: self.notes.into_inner(),
            asked: self.asked.into_inner(),
            offered: self.offered.into_inner(),
        }
    }
}

/// The section that has a section for each policy under which values differ.
pub(crate) const POLICY: &str = "policy";

/// The keys that are the same under all policies, because they identify the machine.
pub(crate) const FIXED: [&str; 8] =
    ["name", "summary", "nodes", "processors", "can", "calibrated", EXTENDS, POLICY];

/// A text of the command line without the quotes of TOML, if it has any. The shell has already removed its own.
pub(super) fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let within =
        |quote| text.strip_prefix(quote)?.strip_suffix(quote).filter(|within: &&str| !within.contains(quote));
    within('"').or_else(|| within('\'')).unwrap_or(text)
}

fn is_below(key: &str, section: &str) -> bool {
    key.strip_prefix(section).is_some_and(|rest| rest.starts_with('.'))
}

/// The most names that a hint lists.
const MOST_NAMES: usize = 40;

/// A hint for the unknown name `found`. It is `; did you mean "clock"?` with the known name that `found` is most likely a slip
/// of. If there is none it is `; known are …` with all names, or with some of very many.
pub(crate) fn hint<'n>(found: &str, known: impl Iterator<Item = &'n str> + Clone) -> String {
    match nearest_slip(found, known.clone()) {
        Some(name) => format!("; did you mean \"{name}\"?"),
        None => others(found, known.collect()),
    }
}

/// A hint that lists all names. If they are too many, it lists the names in the section of `found`, or else the first
/// part of each name.
fn others(found: &str, mut known: Vec<&str>) -> String {
    if known.len() > MOST_NAMES {
        let section = found.rsplit_once('.').map_or("", |(section, _)| section);
        let (within, without): (Vec<_>, Vec<_>) = known.into_iter().partition(|name| is_below(name, section));
        known = match within.len() {
            1..=MOST_NAMES => within,
            _ => {
                let mut first: Vec<_> =
                    without.iter().chain(&within).filter_map(|name| name.split('.').next()).collect();
                first.sort_unstable();
                first.dedup();
                return format!("; keys begin with {}", first.join(", "));
            }
        };
    }
    format!("; known are {}", known.join(", "))
}
