//! The inputs that a person gave: text values by input name, and file contents. This module must never know any one
//! program, nor open a file.

use std::collections::BTreeMap;

use std::hash::Hasher;

use super::Problems;
use crate::plain::fingerprint::Fingerprint;

/// The contents of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// The file's name, for errors.
    pub name: String,
    /// The file's bytes as they stand on disk, compressed or not.
    pub bytes: Vec<u8>,
}

impl File {
    /// A text that tells this file from files of other contents, for the inputs of a [problem](Problems::get).
    pub fn identity(&self) -> String {
        let mut hash = Fingerprint::new();
        hash.write(&self.bytes);
        format!("{} of {} bytes {:x}", self.name, self.bytes.len(), hash.finish())
    }
}

/// The inputs that a person gave. An input that is absent here has its default value; the caller supplies the contents
/// of a default file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Given {
    /// The values that are texts or numbers, as typed, by the name of their input.
    pub values: BTreeMap<String, String>,
    /// The contents of files, by the name of their input.
    pub files: BTreeMap<String, File>,
    /// The problems that the program makes from these inputs, and keeps.
    pub problems: Problems,
}
