//! The inputs that a person gave: texts by key, and the contents of files. This module must never know any
//! one program, nor open a file.

use std::collections::BTreeMap;

/// The contents of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// The file's name, for errors.
    pub name: String,
    /// The file's bytes as they stand on disk, compressed or not.
    pub bytes: Vec<u8>,
}

/// The inputs that a person gave. An absent input has its default; for a file the caller supplies the default
/// too.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Given {
    /// Texts, by the key of their input.
    pub values: BTreeMap<String, String>,
    /// Files, by the key of their input.
    pub files: BTreeMap<String, File>,
}
