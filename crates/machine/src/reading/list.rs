//! Lists in machine files: of names and of numbers. This module must never know a particular key.

use std::fmt::{self, Display, Formatter};

use super::key::count;
use super::reader::{Found, Place, Raw, hint, unquoted};
use super::section::Section;

impl<'a> Section<'a> {
    /// Reads a list of whole numbers of at least 1; the command line separates them by commas.
    pub(crate) fn counts(&self, key: &'static str) -> Option<Vec<u32>> {
        const EXPECTED: &str = "a list of whole numbers from 1, such as [8, 4], at most 20 of them";
        let found = self.require(key, EXPECTED)?;
        let counts = self.convert(key, found, |raw| {
            let counts = match raw {
                Raw::Given(text) => given(text).map(|one| count(Raw::Given(one))).collect(),
                Raw::Item(item) => item.as_array().and_then(|array| {
                    array
                        .iter()
                        .map(|one| u32::try_from(one.as_integer()?).ok().filter(|&one| one > 0))
                        .collect()
                }),
            };
            counts
                .filter(|counts: &Vec<u32>| (1..=MOST_COUNTS).contains(&counts.len()))
                .map(Counts)
                .ok_or_else(|| EXPECTED.to_owned())
        });
        counts.map(|Counts(counts)| counts)
    }

    /// Reads a list of at least one name, without repetition. `read` converts a name, and `what` is the noun for a name
    /// in errors. The command line separates names by commas.
    pub(crate) fn list<T: PartialEq + Copy + Display>(
        &self,
        key: &'static str,
        what: &str,
        names: &[&'static str],
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<Vec<T>> {
        let expected =
            || format!("a list of at least one {what} such as [\"{}\", \"{}\"]", names[0], names[1]);
        let found = self.require(key, &expected())?;
        let entries = found.entries().filter(|entries| !entries.is_empty());
        let Some(entries) = entries else {
            self.reader.refuse(&found, expected());
            return None;
        };
        let count = entries.len();
        let mut list = Vec::with_capacity(count);
        for entry in entries {
            match entry.name.and_then(&read) {
                Some(one) if !list.contains(&one) => list.push(one),
                other => {
                    let expected = match other {
                        Some(_) => format!("each {what} once"),
                        None => {
                            format!("a {what}{}", hint(entry.name.unwrap_or(""), names.iter().copied()))
                        }
                    };
                    self.reader.report(entry.place, &found.key, Some(entry.written), expected);
                }
            }
        }
        if list.len() < count {
            return None;
        }
        self.keep(key, found, list.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "));
        Some(list)
    }
}

impl<'a> Found<'a> {
    /// The entries of a list; `None` if the value is no list.
    fn entries(&self) -> Option<Vec<Entry<'a>>> {
        match self.raw {
            Raw::Given(text) => Some(
                given(text)
                    .map(|name| Entry { name: Some(name), written: format!("{name:?}"), place: None })
                    .collect(),
            ),
            Raw::Item(item) => Some(
                item.as_array()?
                    .iter()
                    .map(|value| Entry {
                        name: value.as_str(),
                        written: value.to_string().trim().to_owned(),
                        place: self.place.map(|place| place.at(value.span())),
                    })
                    .collect(),
            ),
        }
    }
}

/// The entries of a list on the command line: `8,4`, or in the form of TOML, `[8, 4]`.
fn given(text: &str) -> impl Iterator<Item = &str> {
    let within = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    within.unwrap_or(text).split(',').map(unquoted).filter(|one| !one.is_empty())
}

/// The most numbers in a list: a grid of 1,048,576 nodes has no more sides than 20, unless some are 1.
const MOST_COUNTS: usize = 20;

/// Several numbers that print as a list.
struct Counts(Vec<u32>);

impl Display for Counts {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
    }
}

/// An entry of a list. `name` is `None` where the entry is no text.
struct Entry<'a> {
    name: Option<&'a str>,
    written: String,
    place: Option<Place<'a>>,
}
