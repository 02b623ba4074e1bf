//! `--input`: what a program is told, as texts and as the contents of files.

use std::collections::BTreeMap;

use programs::{Entry, File, Given};

use crate::ending::Wrong;
use crate::files;
use crate::shipped::{self, INPUTS};

/// What a program is told, and the same for people to read.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// For the program.
    pub(crate) given: Given,
    /// Every input of the program and what it is: as written, or the default.
    pub(crate) named: Vec<(&'static str, String)>,
}

/// Reads all `--input` options of a program and opens its files.
///
/// What values mean, and keys that name no input, are for the program to judge. In place of a file that cannot be
/// read stands the default, so that the program can judge the rest.
pub(crate) fn read(program: &'static Entry, options: &[String], wrong: &mut Wrong) -> Told {
    let mut asked = collect(program, options, wrong);
    let mut told = Told::default();
    for input in program.inputs {
        let (key, value) = (input.key, asked.remove(input.key));
        told.named.push((key, value.clone().unwrap_or_else(|| input.default.to_owned())));
        if input.is_file {
            let file = value.and_then(|value| wrong.keep(open(key, &value)));
            if let Some(file) = file.or_else(|| wrong.keep(open(key, input.default))) {
                told.given.files.insert(key.to_owned(), file);
            }
        } else if let Some(value) = value {
            told.given.values.insert(key.to_owned(), value);
        }
    }
    told.given.values.extend(asked);
    told
}

/// The values asked for, by key.
fn collect(program: &Entry, options: &[String], wrong: &mut Wrong) -> BTreeMap<String, String> {
    let mut asked = BTreeMap::new();
    for option in options {
        let Some((key, value)) = wrong.keep(split(program, option)) else { continue };
        if asked.insert(key.to_owned(), value.to_owned()).is_some() {
            wrong.note(format!("--input {option}: input `{key}` is given twice"));
        }
    }
    asked
}

/// The key and the value of one option.
fn split<'a>(program: &Entry, option: &'a str) -> Result<(&'a str, &'a str), String> {
    match option.split_once('=') {
        Some((key, value)) if is_key(key) => Ok((key, value)),
        _ => only_file(program).map(|key| (key, option)).map_err(|why| format!("--input {option}: {why}")),
    }
}

/// Whether what stands before `=` can be a key and is not the beginning of a path.
fn is_key(text: &str) -> bool {
    !text.is_empty() && !text.contains(['/', '.'])
}

/// The key of a program's only file.
fn only_file(program: &Entry) -> Result<&'static str, String> {
    let files: Vec<_> = program.inputs.iter().filter(|input| input.is_file).collect();
    match files[..] {
        [file] => Ok(file.key),
        [] => Err(format!("expected KEY=VALUE; program `{}` takes no file", program.name)),
        _ => Err(format!("expected KEY=FILE; program `{}` takes several files", program.name)),
    }
}

/// A file by its path, or by its name if it is a shipped one; `./NAME` is always a path.
fn open(key: &str, value: &str) -> Result<File, String> {
    if let Some(shipped) = shipped::find(INPUTS, value) {
        return Ok(File { name: shipped.file.to_owned(), bytes: shipped.content.to_owned() });
    }
    let bytes = files::input(value).map_err(|error| {
        let names: Vec<_> = INPUTS.iter().map(|input| input.name).collect();
        format!("input `{key}`: {value}: {error}: expected a file or one of {}", names.join(", "))
    })?;
    Ok(File { name: value.to_owned(), bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(program: &str, options: &[&str]) -> (Told, Vec<String>) {
        let mut wrong = Wrong::default();
        let options: Vec<_> = options.iter().map(|&option| option.to_owned()).collect();
        let told = read(programs::find(program).unwrap(), &options, &mut wrong);
        (told, wrong.mistakes().to_vec())
    }

    #[test]
    fn a_file_is_named_shipped_or_the_default() {
        for (options, name) in [
            (&["matrix=494_bus"][..], "inputs/494_bus.mtx"),
            (&["494_bus"], "inputs/494_bus.mtx"),
            (&[], "inputs/bcsstk13.mtx.gz"),
            (&["../../inputs/jagmesh7.mtx"], "../../inputs/jagmesh7.mtx"),
        ] {
            let (told, mistakes) = told("iccg", options);
            assert!(mistakes.is_empty(), "{mistakes:?}");
            assert_eq!(told.given.files["matrix"].name, name);
        }
    }

    #[test]
    fn what_cannot_be_read_is_named_with_what_could() {
        for (program, options, says) in [
            ("iccg", &["no/such=file"][..], "`matrix`: no/such=file: No such file"),
            ("iccg", &["matrix=none"], "494_bus, bcsstk13, jagmesh7"),
            ("iccg", &["partition=blocks", "partition=cyclic"], "`partition` is given twice"),
            ("fetch_add", &["words"], "takes no file"),
        ] {
            let (_, mistakes) = told(program, options);
            assert!(mistakes.len() == 1 && mistakes[0].contains(says), "{mistakes:?}");
        }
    }

    #[test]
    fn unknown_keys_are_left_to_the_program() {
        let (told, mistakes) = told("fetch_add", &["wrds=3", "skew=1"]);
        assert!(mistakes.is_empty());
        assert_eq!(told.given.values["wrds"], "3");
        assert_eq!(told.named[3], ("skew", "1".to_owned()));
    }
}
