//! From `--input` to what a program is told: opens files, finds shipped ones, leaves values to the program.

use std::io::Read;
use std::path::Path;

use tempest::entry::{Entry, File, Given, Input};

use crate::Problem;
use crate::shipped::{self, INPUTS};

/// The largest file that is read: 4 GiB. A device without end must not take all memory.
const MAX_BYTES: u64 = 4 << 30;

/// What the command line tells a program, shipped defaults included, and what is wrong with it.
///
/// A mistake does not keep the rest from being told, so that the program can find more of them.
pub(crate) fn given(program: &Entry, texts: &[String]) -> (Given, Result<(), Problem>) {
    let mut given = Given::default();
    let mut mistakes: Vec<String> =
        texts.iter().filter_map(|text| take(program, text, &mut given).err()).collect();
    for input in program.inputs.iter().filter(|input| input.is_file()) {
        if !given.files.contains_key(input.key) {
            match open(input.default) {
                Ok(file) => drop(given.files.insert(input.key.to_owned(), file)),
                Err(mistake) => mistakes.push(mistake),
            }
        }
    }
    (given, if mistakes.is_empty() { Ok(()) } else { Err(Problem::Wrong(mistakes)) })
}

/// The files of the user that a program reads.
pub(crate) fn files<'t>(program: &Entry, texts: &'t [String]) -> Vec<&'t str> {
    let path = |text: &'t String| match told(program, text) {
        Told::File(_, path) if shipped::find(INPUTS, path).is_none() => Some(path),
        _ => None,
    };
    texts.iter().filter_map(path).collect()
}

/// What an `--input` says: of which input, and the value or the path.
enum Told<'t> {
    File(&'t str, &'t str),
    Value(&'t str, &'t str),
    /// Neither.
    Nothing,
}

fn told<'t>(program: &Entry, text: &'t str) -> Told<'t> {
    let known = |key: &str| program.inputs.iter().find(|input| input.key == key);
    match text.split_once('=') {
        Some((key, path)) if known(key).is_some_and(Input::is_file) => Told::File(key, path),
        Some((key, value)) if known(key).is_some() || !Path::new(text).exists() => Told::Value(key, value),
        _ => only_file(program).map_or(Told::Nothing, |input| Told::File(input.key, text)),
    }
}

fn take(program: &Entry, text: &str, given: &mut Given) -> Result<(), String> {
    match told(program, text) {
        Told::File(key, path) => once(given.files.insert(key.to_owned(), open(path)?).is_some(), key),
        Told::Value(key, value) => once(given.values.insert(key.to_owned(), value.to_owned()).is_some(), key),
        Told::Nothing => Err(format!("--input {text}: expected KEY=VALUE; `{}` reads no file", program.name)),
    }
}

fn once(was_there: bool, key: &str) -> Result<(), String> {
    if was_there { Err(format!("--input {key}: given twice; expected once")) } else { Ok(()) }
}

fn only_file(program: &Entry) -> Option<&'static Input> {
    program.inputs.iter().find(|input| input.is_file())
}

/// A shipped input by its name, or a file.
fn open(path: &str) -> Result<File, String> {
    if let Some(file) = shipped::find(INPUTS, path) {
        return Ok(File { name: file.path.to_owned(), bytes: file.bytes.to_vec() });
    }
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
    match read {
        Err(error) => Err(format!("{path}: {error}; shipped inputs are {}", shipped::names(INPUTS))),
        Ok(_) if bytes.len() as u64 > MAX_BYTES => {
            Err(format!("{path}: more than {MAX_BYTES} bytes: expected a smaller file"))
        }
        Ok(_) => Ok(File { name: path.to_owned(), bytes }),
    }
}
