//! The machine models that ship with tradewind, and machine files of one's own.
//!
//! ```
//! use tradewind_worlds::machines;
//!
//! assert_eq!(machines::get("cm-5")?.name, "cm-5");
//! let mine = "extends = \"paragon\"\nname = \"mine\"\nsummary = \"a Paragon of four nodes\"\nnodes = 4\n";
//! assert_eq!(machines::parse("mine.toml", mine, &[])?.nodes, 4);
//! let unknown = machines::get("paragn").unwrap_err().to_string();
//! assert!(unknown.starts_with("unknown machine `paragn`: did you mean `paragon`? expected one that ships: alewife"));
//! # Ok::<(), tradewind_worlds::Error>(())
//! ```
//!
//! This module must never know the behaviour of a machine.

use std::fs;
use std::path::Path;

use machine::{Known, Machine, RangedKey};
use tempest::policy::PRESETS;
use units::{names::nearest, text};

use crate::NATIVE;
use crate::{Error, Mistake, files};

pub(crate) mod shipped;

pub use shipped::{ALL, Shipped};

/// The shipped machine of this name.
///
/// # Errors
/// [`Mistake::NotShipped`] if there is none, with the name that was probably meant; [`Mistake::NativeFile`] for this host.
pub fn get(name: &str) -> Result<Machine, Error> {
    let shipped = find(name).ok_or_else(|| not_shipped(name))?;
    parse(shipped.path, shipped.text, &[])
}

/// The text of the shipped machine file of this name, to be copied and changed.
///
/// # Errors
/// [`Mistake::NotShipped`] if there is none, with the name that was probably meant; [`Mistake::NativeFile`] for this host.
pub fn text(name: &str) -> Result<&'static str, Error> {
    find(name).map(|shipped| shipped.text).ok_or_else(|| not_shipped(name).into())
}

/// The machine that a file describes. The file may extend a shipped machine, or a file beside it.
///
/// # Errors
/// The file cannot be read, or every mistake in it and in the files that it extends.
pub fn load(path: impl AsRef<Path>) -> Result<Machine, Error> {
    let path = text::of(path.as_ref());
    let text = read_file(&path)?;
    parse(&path, &text, &[])
}

/// The machine that a text describes, with values set in place of those of the file, such as
/// `("network.latency", "1 us")`.
///
/// `file` is the name of the text in errors; files that it extends are looked for in its folder.
///
/// # Errors
/// Every mistake in the text, in the files that it extends, and in the settings.
pub fn parse(file: &str, text: &str, settings: &[(String, String)]) -> Result<Machine, Error> {
    let policies: Vec<_> = PRESETS.iter().map(|preset| preset.name).collect();
    let known = Known { bases: &base, policies: Some(&policies) };
    Machine::parse_with(file, text, settings, known).map_err(|errors| wrong(file, &errors))
}

/// Every number that the machine file of this text has, or could have in the sections that it has, with the range of its values.
///
/// # Errors
/// The mistakes of a text that is no TOML, or extends an unknown file.
pub fn numbers(file: &str, text: &str) -> Result<Vec<RangedKey>, Error> {
    let known = Known { bases: &base, policies: None };
    Machine::numbers(file, text, known).map_err(|errors| wrong(file, &errors))
}

/// The mistakes of a machine file, and a hint if so many values are missing that the file is just begun.
fn wrong(file: &str, errors: &machine::Errors) -> Error {
    let missing = errors.iter().filter(|error| error.value.is_none()).count();
    let begun = (missing >= MANY).then(|| Mistake::Begun { file: file.to_owned(), missing });
    Error::Wrong(errors.iter().cloned().map(Mistake::MachineFile).chain(begun).collect())
}

/// The number of missing values from which a machine file counts as just begun.
const MANY: usize = 5;

/// The path that a machine's name means, if it means a file: it ends in `.toml` or has a `/`, and no shipped machine has it.
pub fn file(name: &str) -> Option<&str> {
    let is_file = find(name).is_none() && (name.ends_with(".toml") || name.contains('/'));
    is_file.then_some(name)
}

/// Whether two names mean the same machine: they are equal, or are paths of one file.
pub fn is_same(one: &str, other: &str) -> bool {
    let place = |name| file(name).and_then(|path| fs::canonicalize(text::os(path)).ok());
    one == other || place(one).is_some_and(|one| place(other) == Some(one))
}

/// The shipped machine or the file of this name: its name in errors, and its text.
pub(crate) fn read(name: &str) -> Result<(String, String), Mistake> {
    match (find(name), file(name)) {
        (Some(shipped), _) => Ok((shipped.path.to_owned(), shipped.text.to_owned())),
        (None, Some(path)) => read_file(path).map(|text| (path.to_owned(), text)),
        (None, None) => Err(unknown(name)),
    }
}

fn find(name: &str) -> Option<&'static Shipped> {
    ALL.iter().find(|shipped| shipped.name == name)
}

/// The machine file that the file `from` extends by this name: a shipped machine, or a file beside it.
fn base(from: &str, name: &str) -> Result<(String, String), Option<String>> {
    let beside = || Some(text::of(Path::new(&text::os(from)).parent()?.join(text::os(name))));
    let found = match file(name) {
        None => read(name).ok(),
        Some(_) => beside().and_then(|path| read_file(&path).ok().map(|text| (path, text))),
    };
    found.ok_or_else(|| nearest(name, ALL.iter().map(|shipped| shipped.name)).map(str::to_owned))
}

fn read_file(path: &str) -> Result<String, Mistake> {
    files::read_text(text::os(path)).map_err(|why| Mistake::UnreadableMachine { file: path.to_owned(), why })
}

fn not_shipped(name: &str) -> Mistake {
    if name == NATIVE {
        return Mistake::NativeFile;
    }
    let nearest = nearest(name, ALL.iter().map(|shipped| shipped.name)).map(str::to_owned);
    Mistake::NotShipped { name: name.to_owned(), nearest }
}

fn unknown(name: &str) -> Mistake {
    let file = format!("{name}.toml");
    let known = ALL.iter().map(|shipped| shipped.name).chain([NATIVE]);
    let nearest = match name {
        "-" => Some("/dev/stdin".to_owned()),
        _ if Path::new(&text::os(&file)).is_file() => Some(file),
        _ => nearest(name, known).map(str::to_owned),
    };
    Mistake::UnknownMachine { name: name.to_owned(), nearest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_machine_has_the_name_it_is_found_by() {
        for shipped in ALL {
            assert_eq!(get(shipped.name).unwrap().name, shipped.name);
            assert_eq!(text(shipped.name), Ok(shipped.text));
        }
        assert!(ALL.is_sorted_by_key(|shipped| shipped.name));
    }

    #[test]
    fn every_machine_file_of_the_repository_ships() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("machines");
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let files = files.filter(|name| name.to_string_lossy().ends_with(".toml"));
        assert_eq!(files.count(), ALL.len());
    }

    #[test]
    fn a_file_extends_shipped_machines_and_files_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let write = |name: &str, base: &str, nodes: u32| {
            let text =
                format!("extends = \"{base}\"\nname = \"mine\"\nsummary = \"a test\"\nnodes = {nodes}\n");
            fs::write(path(name), text).unwrap();
        };
        write("one.toml", "paragon", 4);
        write("two.toml", "one.toml", 2);
        assert_eq!(load(path("two.toml")).unwrap().nodes, 2);
        write("three.toml", "paragn", 2);
        let said = load(path("three.toml")).unwrap_err().to_string();
        assert!(
            said.contains("three.toml:1: extends") && said.contains("did you mean \"paragon\"?"),
            "{said}"
        );
        write("one.toml", "two.toml", 4);
        let said = load(path("two.toml")).unwrap_err().to_string();
        let circle = ["two.toml:1", "one.toml:1", "two.toml"].map(|name| text::of(path(name)));
        assert!(said.contains(&circle.join(" -> ")), "{said}");
    }

    #[test]
    fn this_host_has_no_file() {
        assert_eq!(text(NATIVE), Err(Mistake::NativeFile.into()));
        let said = get(NATIVE).unwrap_err().to_string();
        assert!(
            said.starts_with("machine `native` is this host and has no file; expected one of alewife, "),
            "{said}"
        );
    }

    #[test]
    fn a_file_that_is_not_there_is_told() {
        let said = load("no-such-folder/mine.toml").unwrap_err().to_string();
        assert!(said.starts_with("no-such-folder/mine.toml: "), "{said}");
    }
}
