//! The input files that ship with tradewind, and the inputs that a person gives, with their files opened. This module must
//! never know how a program uses a file.

use std::path::Path;

use tempest::entry::{Entry, Given, Input};
use units::text;

use crate::{Error, Mistake, files};

pub(crate) mod shipped;

pub use crate::limits::MAX_BYTES;
pub use shipped::{ALL, Shipped};

/// Finds a shipped input file by its name.
pub fn get(name: &str) -> Option<&'static Shipped> {
    ALL.iter().find(|shipped| shipped.name == name)
}

/// The inputs for a program, gathered one by one, and the mistakes found on the way. A mistake does not keep
/// later inputs from being taken, so that all mistakes are found at once.
pub(crate) struct Gatherer<'e> {
    program: &'e Entry,
    given: Given,
    mistakes: Vec<Mistake>,
}

impl<'e> Gatherer<'e> {
    /// Makes a gatherer without any input.
    pub(crate) fn new(program: &'e Entry) -> Self {
        Self { program, given: Given::default(), mistakes: Vec::new() }
    }

    /// Takes `KEY=VALUE`, `KEY=PATH`, or the path of the only file that the program reads.
    pub(crate) fn take(&mut self, text: &str) {
        match InputText::read(self.program, text) {
            InputText::Pair(key, value) => self.set(key, value),
            InputText::File(key, path) => self.open(key, path),
            InputText::Nothing => {
                self.mistakes.push(Mistake::NoFileInput { text: text.to_owned(), program: self.program.name })
            }
        }
    }

    /// Takes the value of an input, or the path of its file.
    pub(crate) fn set(&mut self, key: &str, value: &str) {
        if self.program.inputs.iter().any(|input| input.key == key && input.is_file()) {
            return self.open(key, value);
        }
        if self.given.values.insert(key.to_owned(), value.to_owned()).is_some() {
            self.mistakes.push(Mistake::InputTwice { key: key.to_owned() });
        }
    }

    fn open(&mut self, key: &str, path: &str) {
        match open(path) {
            Ok(file) => {
                if self.given.files.insert(key.to_owned(), file).is_some() {
                    self.mistakes.push(Mistake::InputTwice { key: key.to_owned() });
                }
            }
            Err(mistake) => self.mistakes.push(mistake),
        }
    }

    /// The names of the inputs that were taken.
    pub(crate) fn keys(&self) -> Vec<String> {
        self.given.values.keys().chain(self.given.files.keys()).cloned().collect()
    }

    /// All inputs that were taken, with the default of each file that was not given; and all mistakes.
    pub(crate) fn finish(mut self) -> (Given, Result<(), Error>) {
        for input in self.program.inputs.iter().filter(|input| input.is_file()) {
            if !self.given.files.contains_key(input.key) {
                self.open(input.key, input.default);
            }
        }
        (self.given, if self.mistakes.is_empty() { Ok(()) } else { Err(Error::Wrong(self.mistakes)) })
    }
}

/// The paths among input texts: the files of the user that the program would read.
pub fn paths<'t>(program: &Entry, texts: &'t [String]) -> Vec<&'t str> {
    let is_file = |key: &str| program.inputs.iter().any(|input| input.key == key && input.is_file());
    let path = |text: &'t String| match InputText::read(program, text) {
        InputText::Pair(key, path) if is_file(key) => Some(path),
        InputText::File(_, path) => Some(path),
        _ => None,
    };
    texts.iter().filter_map(path).filter(|path| get(path).is_none()).collect()
}

/// The meaning of an input text.
enum InputText<'t> {
    /// An input by its name, and its value or path.
    Pair(&'t str, &'t str),
    /// The only input that is a file, and a path.
    File(&'static str, &'t str),
    /// The text is no pair, and no input is a file.
    Nothing,
}

impl<'t> InputText<'t> {
    fn read(program: &Entry, text: &'t str) -> Self {
        let is_known = |key: &str| program.inputs.iter().any(|input| input.key == key);
        match text.split_once('=') {
            // The path of a file may have a `=` in it.
            Some((key, value)) if is_known(key) || !Path::new(&text::os(text)).exists() => {
                Self::Pair(key, value)
            }
            _ => {
                let file = program.inputs.iter().find(|input| input.is_file());
                file.map_or(Self::Nothing, |input: &Input| Self::File(input.key, text))
            }
        }
    }
}

/// A shipped input by its name, or a file.
fn open(path: &str) -> Result<tempest::entry::File, Mistake> {
    if let Some(shipped) = get(path) {
        return Ok(tempest::entry::File { name: shipped.path.to_owned(), bytes: shipped.bytes.to_vec() });
    }
    match files::read(text::os(path), MAX_BYTES) {
        Ok(bytes) => Ok(tempest::entry::File { name: path.to_owned(), bytes }),
        Err(why) => Err(Mistake::UnreadableInput { path: path.to_owned(), why }),
    }
}
