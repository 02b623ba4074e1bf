//! The machine files that ship with the project.

use std::path::PathBuf;

use machine::{Known, Machine};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../machines")
}

/// The names of all of them.
pub(crate) fn all() -> Vec<String> {
    let entries = std::fs::read_dir(folder()).expect("the folder of machine files");
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        Some(entry.ok()?.file_name().to_str()?.strip_suffix(".toml")?.to_owned())
    };
    let mut names: Vec<_> = entries.filter_map(name).collect();
    names.sort();
    names
}

/// The text of one.
pub(crate) fn text_of(name: &str) -> String {
    let path = folder().join(format!("{name}.toml"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Reads the named machine; it and its bases have the texts that `text` gives.
pub(crate) fn read(name: &str, text: impl Fn(&str) -> String) -> Machine {
    let file = |name: &str| format!("machines/{name}.toml");
    let base = |_: &str, name: &str| Ok((file(name), text(name)));
    Machine::parse_with::<&str, &str>(
        &file(name),
        &text(name),
        &[],
        Known { bases: &base, ..Known::default() },
    )
    .unwrap_or_else(|errors| panic!("{errors}"))
}
