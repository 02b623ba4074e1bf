//! The results of reading a machine file: its values, its mistakes, and the text of its digest.

use std::collections::{BTreeMap, BTreeSet};

use super::{Error, RangedKey};

/// The results of one reading.
pub(crate) struct Findings {
    pub(crate) values: Vec<Value>,
    pub(crate) errors: Vec<Error>,
    /// The text of each key's value in the digest.
    pub(crate) notes: BTreeMap<String, String>,
    /// The keys that the command line could have given.
    pub(crate) asked: BTreeSet<String>,
    /// Numbers that the command line could have given, in a reading of all keys.
    pub(crate) offered: Vec<RangedKey>,
}

/// A value of a machine file or of the command line, with its place and source, for printing. Models read the fields of
/// [`Machine`](crate::Machine) instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// The dotted key: `processor.clock`, or `policy.np.primitives.issue` for a value that holds under one policy only.
    pub key: String,
    /// The value as the file or the command line spells it: `2 B/cycle`.
    pub text: String,
    /// The value in absolute units: `800 MB/s`.
    pub resolved: String,
    /// The source of the value: the comment at the end of its line, or else the `source` of its section. `None`: neither is stated.
    pub source: Option<String>,
    /// The name of the file that states the value: the machine's own file, or a file that it extends.
    pub file: String,
    /// The line of the value in its file, from 1; `None` if the command line gave the value.
    pub line: Option<usize>,
}

/// A stable digest of a machine's values, for records: FNV-1a of 64 bits over `key=value` lines. Not [`std::hash`], which may
/// differ between builds.
///
/// Each value is printed exactly, in one canonical spelling. Keys that are not given do not count, so a new key leaves
/// old records in place.
pub(crate) fn digest(notes: &BTreeMap<String, String>) -> u64 {
    let text = notes.iter().flat_map(|(key, value)| [key, "=", value, "\n"]);
    text.flat_map(str::bytes).fold(0xcbf2_9ce4_8422_2325, |digest: u64, byte| {
        (digest ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
