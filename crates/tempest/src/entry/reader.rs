//! Converts the inputs that a person gave to numbers and files. This module must never know any one program.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::str::FromStr;

use super::{BadInputs, File, Given, Input, InputError, Kind, UnknownName};

/// Reads the inputs of a program and collects every mistake in them, so that a person sees all mistakes at
/// once.
///
/// ```
/// use tradewind_tempest::entry::{Given, Input, Reader};
///
/// static INPUTS: &[Input] = &[Input::integer("words", 1..=9, "8", "words on each node")];
/// let mut given = Given::default();
/// given.values.insert("words".into(), "10".into());
/// let mut reader = Reader::new(&given, INPUTS);
/// let words = reader.integer("words");
/// let mistakes = reader.finish().unwrap_err();
/// assert_eq!(mistakes.to_string(), "input `words=10`: expected an integer from 1 to 9");
/// # assert_eq!(words, 1);
/// ```
#[derive(Debug)]
pub struct Reader<'a> {
    given: &'a Given,
    inputs: &'static [Input],
    mistakes: Vec<InputError>,
    /// Names of the inputs that the program has read.
    asked: RefCell<BTreeSet<&'static str>>,
}

impl<'a> Reader<'a> {
    /// Starts to read the inputs `given` to a program that declares `inputs`. A given name that is not declared is a
    /// mistake.
    pub fn new(given: &'a Given, inputs: &'static [Input]) -> Self {
        let mut reader = Self { given, inputs, mistakes: Vec::new(), asked: RefCell::default() };
        given.values.keys().for_each(|key| reader.expect_known(key, false));
        given.files.keys().for_each(|key| reader.expect_known(key, true));
        reader
    }

    fn expect_known(&mut self, key: &str, is_file: bool) {
        match self.inputs.iter().find(|input| input.key == key) {
            Some(input) if input.is_file() == is_file => {}
            Some(input) => {
                let expected = if input.is_file() { "a file" } else { "a value, not a file" };
                self.refuse_input(key, format!("expected {expected}"));
            }
            None => {
                let known = self.inputs.iter().map(|input| input.key);
                self.refuse(InputError::Unknown(UnknownName::new("input", key, known)));
            }
        }
    }

    /// Reads the integer input `key`. If the value is no integer, or outside the input's range, the reader notes a
    /// mistake and returns the least value of the range.
    ///
    /// # Panics
    /// If the program declares no integer input of this name.
    pub fn integer(&mut self, key: &str) -> u32 {
        let Kind::Integer(least, greatest) = self.input(key).kind else {
            panic!("input `{key}` is no integer");
        };
        self.parse(key, |value| (least..=greatest).contains(value)).unwrap_or(least)
    }

    /// Reads the real-number input `key`. If the value is no number, or outside the input's range, the reader notes a
    /// mistake and returns the least value of the range.
    ///
    /// # Panics
    /// If the program declares no real-number input of this name.
    pub fn real(&mut self, key: &str) -> f64 {
        let Kind::Real(least, greatest) = self.input(key).kind else {
            panic!("input `{key}` is no real number");
        };
        self.parse(key, |value| (least..=greatest).contains(value)).unwrap_or(least)
    }

    /// Whether a person gave a value for the input `key`, instead of its default.
    ///
    /// # Panics
    /// If the program declares no input of this name.
    pub fn is_given(&self, key: &str) -> bool {
        self.given.values.contains_key(self.input(key).key)
    }

    /// Reads the text input `key` and parses it as a `T`. If the text is no `T`, the reader notes a mistake and returns
    /// `None`.
    ///
    /// # Panics
    /// If the program declares no input of this name.
    pub fn named<T: FromStr<Err: Display>>(&mut self, key: &str) -> Option<T> {
        let parsed = self.text(key).parse();
        parsed.map_err(|error: T::Err| self.refuse_input(key, error.to_string())).ok()
    }

    /// Returns the file input `key`. If the caller did not supply the file, the reader notes a mistake and returns
    /// `None`.
    ///
    /// # Panics
    /// If the program declares no input of this name.
    pub fn file(&mut self, key: &str) -> Option<&'a File> {
        let file = self.given.files.get(self.input(key).key);
        if file.is_none() {
            self.refuse_input(key, "missing: expected a file".to_owned());
        }
        file
    }

    /// Returns the text of the input `key`: the text that a person gave, or else the default.
    ///
    /// # Panics
    /// If the program declares no input of this name.
    pub fn text(&self, key: &str) -> &'a str {
        let input = self.input(key);
        self.given.values.get(key).map_or(input.default, String::as_str)
    }

    /// Checks a further condition on the input `key`. If `accept` returns false for its value, the reader notes a
    /// mistake with the words `expected`. A value that is no `T` is not checked: the method that reads the input notes
    /// it.
    ///
    /// # Panics
    /// If the program declares no input of this name.
    pub fn expect<T: FromStr>(&mut self, key: &str, accept: impl FnOnce(T) -> bool, expected: &str) {
        let text = self.text(key);
        if let Ok(value) = text.parse()
            && !accept(value)
        {
            let (input, value) = (key.to_owned(), Some(text.to_owned()));
            self.refuse(InputError::Wrong { input, value, problem: format!("expected {expected}") });
        }
    }

    /// Notes a mistake. [`finish`](Self::finish) returns all noted mistakes.
    pub fn refuse(&mut self, mistake: impl Into<InputError>) {
        self.mistakes.push(mistake.into());
    }

    /// Notes a mistake of the input `key`. `problem` describes the problem and the expected value.
    pub fn refuse_input(&mut self, key: &str, problem: String) {
        self.refuse(InputError::Wrong { input: key.to_owned(), value: None, problem });
    }

    /// Ends reading and returns the noted mistakes.
    ///
    /// # Errors
    /// All noted mistakes. If there are none, the declared inputs that the program never read: an input without effect
    /// would mislead its user.
    pub fn finish(self) -> Result<(), BadInputs> {
        let Self { inputs, mut mistakes, asked, .. } = self;
        if mistakes.is_empty() {
            let asked = asked.into_inner();
            let idle = inputs.iter().filter(|input| !asked.contains(input.key));
            mistakes.extend(idle.map(|input| InputError::Unread(input.key)));
        }
        if mistakes.is_empty() { Ok(()) } else { Err(BadInputs(mistakes)) }
    }

    fn parse<T: FromStr>(&mut self, key: &str, accept: impl Fn(&T) -> bool) -> Option<T> {
        let text = self.text(key);
        let value = text.parse().ok().filter(accept);
        if value.is_none() {
            let (input, value) = (key.to_owned(), Some(text.to_owned()));
            let each = if self.names_another(text) { "; one --input for each input" } else { "" };
            let problem = format!("expected {}{each}", self.input(key).kind);
            self.refuse(InputError::Wrong { input, value, problem });
        }
        value
    }

    /// Whether `value` has another input behind a comma, as `1000,tickets=4000` has.
    fn names_another(&self, value: &str) -> bool {
        let mut parts = value.split(',').skip(1).filter_map(|part| part.split_once('='));
        parts.any(|(key, _)| self.inputs.iter().any(|input| input.key == key.trim()))
    }

    fn input(&self, key: &str) -> &'static Input {
        let input = self.inputs.iter().find(|input| input.key == key);
        let input =
            input.unwrap_or_else(|| panic!("input `{key}` is read, and the program does not list it"));
        self.asked.borrow_mut().insert(input.key);
        input
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
        Given { values: values.iter().map(text).collect(), ..Given::default() }
    }

    #[test]
    fn what_is_absent_takes_its_default() {
        let given = given(&[("words", "9")]);
        let mut reader = Reader::new(&given, INPUTS);
        assert_eq!((reader.integer("words"), reader.real("skew")), (9, 0.0));
        assert!(!reader.is_given("matrix"));
        assert_eq!(reader.finish(), Ok(()));
    }

    #[test]
    fn an_input_that_is_never_read_is_refused_by_name() {
        let given = given(&[]);
        let mut reader = Reader::new(&given, INPUTS);
        reader.integer("words");
        reader.text("matrix");
        let mistakes = reader.finish().unwrap_err();
        assert_eq!(mistakes.0, [InputError::Unread("skew")]);
        assert!(mistakes.to_string().starts_with("input `skew`: the program never reads it"));
    }

    #[test]
    fn several_inputs_in_one_value_are_asked_for_one_by_one() {
        let said = |value: &str| {
            let given = given(&[("words", value)]);
            let mut reader = Reader::new(&given, INPUTS);
            reader.integer("words");
            reader.finish().unwrap_err().to_string()
        };
        let expected = "input `words=3,skew=1`: expected an integer from 1 to 9; one --input for each input";
        assert_eq!(said("3,skew=1"), expected);
        assert_eq!(said("3,else=1"), "input `words=3,else=1`: expected an integer from 1 to 9");
    }

    #[test]
    fn a_further_condition_is_a_mistake_of_its_own() {
        let given = given(&[("words", "3"), ("skew", "much")]);
        let mut reader = Reader::new(&given, INPUTS);
        reader.expect("words", |words: u32| words.is_multiple_of(2), "an even number");
        reader.expect("skew", |_: f64| false, "what nobody can say");
        assert_eq!(reader.finish().unwrap_err().texts(), ["input `words=3`: expected an even number"]);
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
        assert_eq!(reader.finish().unwrap_err().texts(), expected);
    }
}
