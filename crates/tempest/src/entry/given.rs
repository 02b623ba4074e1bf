//! The inputs that a person gave: text values by input name, and file contents. This module must never know any one
//! program, nor open a file.

use std::collections::BTreeMap;

/// The contents of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// The file's name, for errors.
    pub name: String,
    /// The file's bytes as they stand on disk, compressed or not.
    pub bytes: Vec<u8>,
}

/// The inputs that a person gave. An input that is absent here has its default value; the caller supplies the contents
/// of a default file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Given {
    /// The values that are texts or numbers, as typed, by the name of their input.
    pub values: BTreeMap<String, String>,
    /// The contents of files, by the name of their input.
    pub files: BTreeMap<String, File>,
}
