//! Texts of a table of a study, with everything of `each` replaced, and their contents: names, counts, patterns,
//! expressions. This module must never know which table it is.

use super::Mapping;
use crate::expression::{Expression, Kind};
use crate::mistake::Place;
use crate::pattern::Pattern;
use crate::specification::field_name;
use crate::template::Filling;
use crate::toml::{Element, Entry, Table};

/// Reads texts of one table, everything of `each` replaced.
pub(super) struct Texts<'t, 's> {
    pub(super) table: &'t Table<'s>,
    pub(super) filling: Filling,
}

/// Expected value of a count in a run, for messages.
const COUNT: &str = "a whole number from 1";

impl Texts<'_, '_> {
    fn fill(&self, key: &str, text: &str) -> Option<String> {
        let filled = self.filling.fill(text);
        let unknown = |name: String| {
            // The mistake in a list has been reported.
            if !self.filling.is_unread(&name) {
                self.table.refuse(key, format!("a list for `{name}` in `each`"));
            }
        };
        filled.map_err(unknown).ok()
    }

    pub(super) fn text(&self, key: &'static str, expected: &str) -> Option<String> {
        self.fill(key, &self.table.text(key, expected)?)
    }

    pub(super) fn optional(&self, key: &'static str, expected: &str) -> Option<String> {
        self.fill(key, &self.table.optional_text(key, expected)?)
    }

    /// The text of a key, which may be missing; of a list the text that is its turn.
    pub(super) fn field(&self, key: &'static str, expected: &str) -> Option<String> {
        if self.table.has_list(key) {
            return self.turn(key, key);
        }
        match self.table.entry(key, expected)? {
            Entry::One(text) => self.fill(key, &text),
            Entry::Several(_) => None,
        }
    }

    /// The text of a key, of a list the text that is its turn.
    pub(super) fn required(&self, key: &'static str, expected: &str) -> Option<String> {
        if self.table.item(key).is_none() {
            self.table.refuse(key, expected);
        }
        self.field(key, expected)
    }

    /// The text of a list whose turn it is; `None` of a list with a mistake, which has been reported.
    fn turn(&self, key: &str, axis: &str) -> Option<String> {
        self.fill(key, self.filling.get(axis)?)
    }

    /// A whole number from 1, or a text that becomes one with the values of `each`.
    pub(super) fn count(&self, key: &'static str) -> Option<u32> {
        let text = self.field(key, COUNT)?;
        let count = text.parse().ok().filter(|count| *count > 0);
        if count.is_none() {
            self.table.refuse(key, COUNT);
        }
        count
    }

    pub(super) fn pairs(&self, key: &'static str) -> Vec<(String, String)> {
        let texts = self.table.table(key).map(|table| table.texts_or_lists()).unwrap_or_default();
        let fill = |(name, text): (&str, Option<String>)| {
            let value = match text {
                Some(text) => self.fill(key, &text),
                None => self.turn(key, &field_name(key, name)),
            };
            Some((self.fill(key, name)?, value?))
        };
        texts.into_iter().filter_map(fill).collect()
    }

    fn pattern(&self, key: &'static str, text: String) -> Option<Pattern> {
        let pattern = Pattern::new(text);
        if pattern.is_none() {
            self.table.refuse(key, "at most one *");
        }
        pattern
    }

    /// A pattern of a key that may be missing.
    pub(super) fn optional_pattern(&self, key: &'static str, prefix: &str) -> Option<Pattern> {
        let text = self.optional(key, "a name, or a family of names with one *")?;
        // A dot elsewhere may stand behind a `*`.
        self.pattern(key, if text.starts_with('.') { format!("{prefix}{text}") } else { text })
    }

    /// Uses of numbers; of a run, any number of its answer, not figures alone. The default is the time that counts and
    /// every figure.
    pub(super) fn mappings(&self, is_run: bool, prefix: &str) -> Vec<Mapping> {
        if self.table.item("metrics").is_none() {
            return Mapping::usual(is_run);
        }
        let expected = "a list such as [\"time\", { figure = \"gap.*\", metric = \"a.gap.*\" }]";
        let elements = self.table.elements("metrics", expected);
        if elements.is_empty() {
            self.table.refuse("metrics", expected);
        }
        let mut mappings: Vec<Mapping> = Vec::new();
        for element in elements {
            let place = element.place();
            let Some(mapping) = self.mapping(element, is_run, prefix) else { continue };
            let is_same = |other: &&Mapping| other.name == mapping.name && other.figure != mapping.figure;
            if let Some(other) = mappings.iter().find(is_same) {
                let name = format!("{:?}", mapping.name.text());
                let expected = format!("a name of its own: {} has this one", other.figure.text());
                self.table.report(place, "metrics.name", Some(name), expected);
            }
            mappings.push(Mapping { place: Some(place), ..mapping });
        }
        mappings
    }

    fn mapping(&self, element: Element<'_>, is_run: bool, prefix: &str) -> Option<Mapping> {
        match element {
            Element::Table(table) => {
                let texts = Texts { table: &table, filling: self.filling.clone() };
                let mapping = texts.table_of_metrics(is_run, prefix);
                table.finish();
                mapping
            }
            Element::Text(text, place) => {
                let name = self.fill("metrics", &text).and_then(Pattern::new);
                if name.is_none() {
                    let expected = "a name, or a family of names with one *".to_owned();
                    self.table.report(place, "metrics", Some(format!("{text:?}")), expected);
                }
                Some(Mapping::named(name?, is_run))
            }
        }
    }

    fn table_of_metrics(&self, is_run: bool, prefix: &str) -> Option<Mapping> {
        const EXPECTED: &str = "a name, or a family of names with one *";
        let key = if is_run && self.table.item("answer").is_some() { "answer" } else { "figure" };
        let told = self.text(key, EXPECTED)?;
        let told = self.pattern(key, told)?;
        let usual = if key == "answer" { Mapping::answer(told) } else { Mapping::figure(told, is_run) };
        let metric = self.optional_pattern("metric", prefix);
        let name = self.optional_pattern("name", "");
        let factor =
            self.table.optional_factor("factor", "a number other than 0 that the figure is multiplied by");
        let unit = self.table.optional("unit", "a text", |item| item.as_str().map(str::to_owned));
        for (key, pattern) in [("metric", &metric), ("name", &name)] {
            if pattern.as_ref().is_some_and(|pattern| pattern.is_family() != usual.figure.is_family()) {
                self.table.refuse(key, "a * in both names, or in none");
            }
        }
        // A number that was multiplied is of another unit.
        let unit = unit.or(if factor.is_some() { Some(String::new()) } else { usual.unit });
        let (name, factor) = (name.unwrap_or(usual.name), factor.unwrap_or(1.0));
        Some(Mapping { figure: usual.figure, name, metric, factor, unit, place: None })
    }

    /// An expression of a key, or `None` and a mistake with its column. `expected` is for a key that is missing.
    pub(super) fn expression(
        &self,
        key: &'static str,
        expected: &str,
        prefix: &str,
        kind: Kind,
    ) -> Option<Expression> {
        let text = self.table.text(key, expected)?;
        let filled = complete(&self.fill(key, &text)?, prefix);
        match filled.parse::<Expression>() {
            Ok(expression) if expression.kind() == kind => return Some(expression),
            Ok(expression) => self.table.refuse(key, format!("{kind}, found {}", expression.kind())),
            Err(error) if filled == text => {
                let Place { line, column } = self.table.place_of(key);
                // The quote stands before the first character.
                let place = Place { line, column: column + 1 + error.at };
                self.table.report(place, key, self.table.written(key), error.expected);
            }
            Err(error) => {
                let at = error.at + 1;
                self.table.refuse(key, format!("{} at character {at} of `{filled}`", error.expected));
            }
        }
        None
    }
}

/// Puts the study's prefix before every name that begins with a dot.
pub(super) fn complete(text: &str, prefix: &str) -> String {
    let mut whole = String::new();
    let mut before = ' ';
    for character in text.chars() {
        // A dot inside a number or a name follows a letter or digit.
        if character == '.' && !before.is_ascii_alphanumeric() {
            whole += prefix;
        }
        whole.push(character);
        before = character;
    }
    whole
}
