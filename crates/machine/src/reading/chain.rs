//! A machine file and the files that it extends, from itself to the most basic one. This module opens nothing: the caller finds
//! the files.

use super::source_text::SourceText;
use super::{Error, Errors};

/// Function that finds a machine file by the name behind `extends`.
///
/// Arguments: the name of the extending file, and the name behind its `extends`. The result is the name and the text of the file
/// found. The error is the known name most like the one asked for, if any is like it.
pub type Bases<'b> = dyn Fn(&str, &str) -> Result<(String, String), Option<String>> + 'b;

/// The key that names the file to extend.
pub(crate) const EXTENDS: &str = "extends";

/// Loads a file and all files that it extends.
///
/// # Errors
/// A file is no TOML, or extends a file that does not exist, or extends itself. Such a file is not read further.
pub(crate) fn load(file: &str, text: &str, bases: &Bases<'_>) -> Result<Vec<SourceText>, Errors> {
    let mut chain: Vec<SourceText> = Vec::new();
    let mut next = Some((file.to_owned(), text.to_owned()));
    while let Some((name, text)) = next {
        let source = SourceText::new(&name, &text).map_err(|error| Errors::new(vec![error], &[]))?;
        chain.push(source);
        next = base(&chain, bases).map_err(|error| Errors::new(vec![error], &[]))?;
    }
    Ok(chain)
}

/// The name and text of the file that the last file of a chain extends; `None` if it extends none.
fn base(chain: &[SourceText], bases: &Bases<'_>) -> Result<Option<(String, String)>, Error> {
    let Some(last) = chain.last() else { return Ok(None) };
    let Some(item) = last.table().get(EXTENDS) else { return Ok(None) };
    let refuse = |expected: String| Error {
        file: last.name.clone(),
        line: last.line_of(item),
        key: EXTENDS.to_owned(),
        value: Some(last.written(item)),
        expected,
    };
    let name = item
        .as_str()
        .ok_or_else(|| refuse("the name of a machine such as \"cm-5\", or a file".to_owned()))?;
    let base = bases(&last.name, name).map_err(|nearest| {
        let nearest = nearest.map_or(String::new(), |nearest| format!(" (did you mean \"{nearest}\"?)"));
        refuse(format!("a machine that ships{nearest}, or a file beside this one"))
    })?;
    match chain.iter().position(|source| source.name == base.0) {
        None => Ok(Some(base)),
        Some(first) => {
            let circle = circle(&chain[first..]);
            Err(refuse(format!("a machine that does not extend this one in turn; the circle is {circle}")))
        }
    }
}

/// The names and lines of files that extend each other in a circle, ending with the first: `a.toml:2 -> b.toml:1 -> a.toml`.
fn circle(files: &[SourceText]) -> String {
    let place = |source: &SourceText| {
        let line = source.table().get(EXTENDS).and_then(|item| source.line_of(item)).unwrap_or(1);
        format!("{}:{line} -> ", source.name)
    };
    let places: String = files.iter().map(place).collect();
    places + &files[0].name
}
