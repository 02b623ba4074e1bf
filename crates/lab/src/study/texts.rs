//! Texts of a table of a study, with everything of `each` replaced, and what is written in them: names, counts, patterns,
//! expressions. Must never know which table it is.

use super::Mapping;
use crate::expression::{Expression, Kind};
use crate::pattern::Pattern;
use crate::specification::FIGURES;
use crate::template::Filling;
use crate::toml::Table;

/// Reads texts of one table, everything of `each` replaced.
pub(super) struct Texts<'t, 's> {
    pub(super) table: &'t Table<'s>,
    pub(super) filling: Filling,
}

impl Texts<'_, '_> {
    fn fill(&self, key: &str, text: &str) -> Option<String> {
        let filled = self.filling.fill(text);
        let unknown = |name| self.table.refuse(key, format!("a list for `{name}` in `each`"));
        filled.map_err(unknown).ok()
    }

    pub(super) fn text(&self, key: &'static str, expected: &str) -> Option<String> {
        self.fill(key, &self.table.text(key, expected)?)
    }

    pub(super) fn optional(&self, key: &'static str, expected: &str) -> Option<String> {
        self.fill(key, &self.table.optional_text(key, expected)?)
    }

    /// A whole number from 1, or a text that `each` makes one of.
    pub(super) fn count(&self, key: &'static str) -> Option<u32> {
        const EXPECTED: &str = "a whole number from 1";
        let written = |item: &toml_edit::Item| {
            item.as_str().map(str::to_owned).or_else(|| Some(item.as_integer()?.to_string()))
        };
        let text = self.fill(key, &self.table.optional(key, EXPECTED, written)?)?;
        let count = text.parse().ok().filter(|count| *count > 0);
        if count.is_none() {
            self.table.refuse(key, EXPECTED);
        }
        count
    }

    pub(super) fn pairs(&self, key: &'static str) -> Vec<(String, String)> {
        let pairs = self.table.table(key).map(|table| table.pairs()).unwrap_or_default();
        let fill = |(name, value): (String, String)| Some((name, self.fill(key, &value)?));
        pairs.into_iter().filter_map(fill).collect()
    }

    fn pattern(&self, key: &'static str, before: &str) -> Option<Pattern> {
        let text = self.text(key, "a name, or a family of names with one *")?;
        let pattern = Pattern::new(format!("{before}{text}"));
        if pattern.is_none() {
            self.table.refuse(key, "at most one *");
        }
        pattern
    }

    /// What becomes of figures. Of a run there is more than figures: any number of its answer.
    pub(super) fn mappings(&self, is_run: bool) -> Vec<Mapping> {
        let tables = self.table.tables("metrics");
        if tables.is_empty() {
            self.table.refuse("metrics", "a list such as [{ figure = \"gap.*\", metric = \"a.gap.*\" }]");
        }
        let mapping = |table: Table<'_>| {
            let texts = Texts { table: &table, filling: self.filling.clone() };
            let figure = match is_run {
                true if table.item("answer").is_some() => texts.pattern("answer", ""),
                true => texts.pattern("figure", FIGURES),
                false => texts.pattern("figure", ""),
            };
            let metric = texts.pattern("metric", "");
            let factor = table.optional_number("factor", "a number that the figure is multiplied by");
            table.finish();
            let (figure, metric) = (figure?, metric?);
            if figure.is_family() != metric.is_family() {
                table.refuse("metric", "a * in both names, or in none");
            }
            Some(Mapping { figure, metric, factor: factor.unwrap_or(1.0) })
        };
        tables.into_iter().filter_map(mapping).collect()
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
        let wrong = match filled.parse::<Expression>() {
            Ok(expression) if expression.kind() == kind => return Some(expression),
            Ok(expression) => format!("{kind}, found {}", expression.kind()),
            Err(error) => match self.table.column(key).filter(|_| filled == text) {
                Some(column) => format!("{} at column {}", error.expected, column + error.at),
                None => format!("{} at character {} of `{filled}`", error.expected, error.at + 1),
            },
        };
        self.table.refuse(key, wrong);
        None
    }
}

/// Puts the study's prefix before every name that begins with a dot.
pub(super) fn complete(text: &str, prefix: &str) -> String {
    let mut whole = String::new();
    let mut before = ' ';
    for character in text.chars() {
        // A dot inside a number or a name follows one of their characters.
        if character == '.' && !before.is_ascii_alphanumeric() {
            whole += prefix;
        }
        whole.push(character);
        before = character;
    }
    whole
}
