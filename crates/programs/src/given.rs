//! What a program is told: texts by key, and the contents of files.
//!
//! [`Reader`] turns them into numbers and notes everything that is wrong on the way, so that a person sees all
//! mistakes at once. This module must never know any one program.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::ops::RangeInclusive;
use std::str::FromStr;

/// The likeness, 0 to 1 (Jaro–Winkler), from which on a known name is offered for an unknown one.
const LIKENESS: f64 = 0.7;

/// Something a program can be told.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Input {
    /// Its name on the command line.
    pub key: &'static str,
    /// What it is when nobody says: a text, or for a file the name of one that is shipped.
    pub default: &'static str,
    /// What it means, with its unit.
    pub meaning: &'static str,
    /// What may stand there.
    pub kind: Kind,
}

/// What an input is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    /// A text that the program understands itself; its meaning says which.
    Text,
    /// An integer from the first to the second, both included.
    Integer(u32, u32),
    /// A real number from the first to the second, both included.
    Real(f64, f64),
    /// The contents of a file: the caller opens it, and supplies the default too.
    File,
}

impl Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Text => f.write_str("a text"),
            Kind::Integer(least, greatest) => write!(f, "an integer from {least} to {greatest}"),
            Kind::Real(least, greatest) => write!(f, "a number from {least} to {greatest}"),
            Kind::File => f.write_str("a file"),
        }
    }
}

impl Input {
    /// A text.
    pub const fn text(key: &'static str, default: &'static str, meaning: &'static str) -> Self {
        Self { key, default, meaning, kind: Kind::Text }
    }

    /// An integer within a range.
    pub const fn integer(
        key: &'static str,
        range: RangeInclusive<u32>,
        default: &'static str,
        meaning: &'static str,
    ) -> Self {
        Self { key, default, meaning, kind: Kind::Integer(*range.start(), *range.end()) }
    }

    /// A real number within a range.
    pub const fn real(
        key: &'static str,
        range: RangeInclusive<f64>,
        default: &'static str,
        meaning: &'static str,
    ) -> Self {
        Self { key, default, meaning, kind: Kind::Real(*range.start(), *range.end()) }
    }

    /// A file; the default is the name of one that is shipped.
    pub const fn file(key: &'static str, default: &'static str, meaning: &'static str) -> Self {
        Self { key, default, meaning, kind: Kind::File }
    }

    /// Whether it is the contents of a file.
    pub fn is_file(&self) -> bool {
        self.kind == Kind::File
    }
}

/// A file's contents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// What to call it in errors.
    pub name: String,
    /// Its bytes as they stand on disk, compressed or not.
    pub bytes: Vec<u8>,
}

/// What a program is told. Whatever is absent takes its default, except files: those the caller supplies.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Given {
    /// Texts, by the key of their input.
    pub values: BTreeMap<String, String>,
    /// Files, by the key of their input.
    pub files: BTreeMap<String, File>,
}

/// Reads what is given and gathers all that is wrong with it.
pub(crate) struct Reader<'a> {
    given: &'a Given,
    inputs: &'static [Input],
    mistakes: Vec<String>,
}

impl<'a> Reader<'a> {
    /// Starts reading; keys that are no inputs are noted at once.
    pub(crate) fn new(given: &'a Given, inputs: &'static [Input]) -> Self {
        let mut reader = Self { given, inputs, mistakes: Vec::new() };
        given.values.keys().for_each(|key| reader.expect_known(key, false));
        given.files.keys().for_each(|key| reader.expect_known(key, true));
        reader
    }

    fn expect_known(&mut self, key: &str, is_file: bool) {
        let keys: Vec<_> = self.inputs.iter().map(|input| input.key).collect();
        match self.inputs.iter().find(|input| input.key == key) {
            Some(input) if input.is_file() == is_file => {}
            Some(input) => {
                let expected = if input.is_file() { "a file" } else { "a value, not a file" };
                self.refuse(format!("input `{key}`: expected {expected}"));
            }
            None => {
                let nearest = suggestion(key, &keys);
                self.refuse(format!("unknown input `{key}`:{nearest} expected one of {}", keys.join(", ")));
            }
        }
    }

    /// An integer within its range; the least if it is wrong, which then is noted.
    pub(crate) fn integer(&mut self, key: &str) -> u32 {
        let Kind::Integer(least, greatest) = self.input(key).kind else {
            unreachable!("input `{key}` is no integer");
        };
        self.parse(key, |value| (least..=greatest).contains(value)).unwrap_or(least)
    }

    /// A real number within its range; the least if it is wrong, which then is noted.
    pub(crate) fn real(&mut self, key: &str) -> f64 {
        let Kind::Real(least, greatest) = self.input(key).kind else {
            unreachable!("input `{key}` is no real number");
        };
        self.parse(key, |value| (least..=greatest).contains(value)).unwrap_or(least)
    }

    /// Whether a value is given.
    pub(crate) fn is_given(&self, key: &str) -> bool {
        self.given.values.contains_key(key)
    }

    /// A value that reads itself and says itself what is wrong; `None` if something is, which then is noted.
    pub(crate) fn named<T: FromStr<Err: Display>>(&mut self, key: &str) -> Option<T> {
        let parsed = self.text(key).parse();
        parsed.map_err(|error| self.refuse(format!("input `{key}`: {error}"))).ok()
    }

    /// A file; `None` if it was not supplied, which then is noted.
    pub(crate) fn file(&mut self, key: &str) -> Option<&'a File> {
        let file = self.given.files.get(key);
        if file.is_none() {
            self.refuse(format!("input `{key}`: missing: expected a file"));
        }
        file
    }

    /// Notes a mistake.
    pub(crate) fn refuse(&mut self, mistake: String) {
        self.mistakes.push(mistake);
    }

    /// Ends reading.
    ///
    /// # Errors
    /// All mistakes noted, if there are any.
    pub(crate) fn finish(self) -> Result<(), Vec<String>> {
        if self.mistakes.is_empty() { Ok(()) } else { Err(self.mistakes) }
    }

    fn parse<T: FromStr>(&mut self, key: &str, accept: impl Fn(&T) -> bool) -> Option<T> {
        let text = self.text(key);
        let value = text.parse().ok().filter(accept);
        if value.is_none() {
            self.refuse(format!("input `{key}={text}`: expected {}", self.input(key).kind));
        }
        value
    }

    fn input(&self, key: &str) -> &'static Input {
        let input = self.inputs.iter().find(|input| input.key == key);
        input.expect("a program reads only inputs that it lists")
    }

    /// A value as it was given, or its default.
    pub(crate) fn text(&self, key: &str) -> &'a str {
        self.given.values.get(key).map_or(self.input(key).default, String::as_str)
    }
}

/// ` did you mean …?` if one of the known names is like the unknown one, else nothing.
pub(crate) fn suggestion(unknown: &str, known: &[&str]) -> String {
    let likeness = |name: &&&str| strsim::jaro_winkler(unknown, name);
    match known.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b))) {
        Some(nearest) if likeness(&nearest) >= LIKENESS => format!(" did you mean `{nearest}`?"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static INPUTS: &[Input] = &[
        Input::integer("words", 1..=9, "8", ""),
        Input::real("skew", 0.0..=1.0, "0", ""),
        Input::file("matrix", "small", ""),
    ];

    fn given(values: &[(&str, &str)]) -> Given {
        let text = |&(key, value): &(&str, &str)| (key.to_owned(), value.to_owned());
        Given { values: values.iter().map(text).collect(), files: BTreeMap::new() }
    }

    #[test]
    fn what_is_absent_takes_its_default() {
        let given = given(&[("words", "9")]);
        let mut reader = Reader::new(&given, INPUTS);
        assert_eq!((reader.integer("words"), reader.real("skew")), (9, 0.0));
        assert_eq!(reader.finish(), Ok(()));
    }

    #[test]
    fn all_mistakes_are_named_at_once() {
        let given = given(&[("matrix", "x"), ("skew", "nan"), ("word", "2"), ("words", "0")]);
        let mut reader = Reader::new(&given, INPUTS);
        reader.integer("words");
        reader.real("skew");
        assert!(reader.file("matrix").is_none());
        let expected = [
            "input `matrix`: expected a file",
            "unknown input `word`: did you mean `words`? expected one of words, skew, matrix",
            "input `words=0`: expected an integer from 1 to 9",
            "input `skew=nan`: expected a number from 0 to 1",
            "input `matrix`: missing: expected a file",
        ];
        assert_eq!(reader.finish().unwrap_err(), expected);
    }
}
