//! From `--input` to what a program is told: opens files, finds shipped ones, leaves values to the program.

use std::io::Read;
use std::path::Path;

use programs::{Entry, File, Given, Input};

use crate::Problem;
use crate::shipped::{self, INPUTS};

/// The largest file that is read: 4 GiB. A device without end must not take all memory.
const MAX_BYTES: u64 = 4 << 30;

/// What the command line tells a program, shipped defaults included.
pub(crate) fn given(program: &Entry, texts: &[String]) -> Result<Given, Problem> {
    let mut given = Given::default();
    let mut mistakes: Vec<String> =
        texts.iter().filter_map(|text| take(program, text, &mut given).err()).collect();
    for input in program.inputs.iter().filter(|input| input.is_file()) {
        // A file that was named and not found has been complained of; its default would only hide the place.
        if !given.files.contains_key(input.key) && mistakes.is_empty() {
            match open(input.default) {
                Ok(file) => drop(given.files.insert(input.key.to_owned(), file)),
                Err(mistake) => mistakes.push(mistake),
            }
        }
    }
    if mistakes.is_empty() { Ok(given) } else { Err(Problem::Wrong(mistakes)) }
}

fn take(program: &Entry, text: &str, given: &mut Given) -> Result<(), String> {
    let known = |key: &str| program.inputs.iter().find(|input| input.key == key);
    match text.split_once('=') {
        Some((key, path)) if known(key).is_some_and(|input| input.is_file()) => {
            once(given.files.insert(key.to_owned(), open(path)?).is_some(), key)?;
        }
        Some((key, value)) if known(key).is_some() || !Path::new(text).exists() => {
            once(given.values.insert(key.to_owned(), value.to_owned()).is_some(), key)?;
        }
        _ => {
            let input = only_file(program).ok_or_else(|| {
                format!("--input {text}: expected KEY=VALUE; `{}` reads no file", program.name)
            })?;
            once(given.files.insert(input.key.to_owned(), open(text)?).is_some(), input.key)?;
        }
    }
    Ok(())
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
