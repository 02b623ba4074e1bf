//! What a reading of a machine file has found: its values, its mistakes, and what counts in its digest.

use std::collections::{BTreeMap, BTreeSet};

use super::Error;

/// What a reading found.
pub(crate) struct Findings {
    pub(crate) values: Vec<Value>,
    pub(crate) errors: Vec<Error>,
    /// Each key with its value, for the digest.
    pub(crate) notes: BTreeMap<String, String>,
    /// The keys that the command line could have given.
    pub(crate) asked: BTreeSet<String>,
}

/// One value a machine was built from, with where it stands and where it comes from. For people, not for models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// Its dotted key: `processor.clock`; `policy.np.primitives.issue` where it holds under a policy only.
    pub key: String,
    /// As written: `2 B/cycle`.
    pub text: String,
    /// As the machine holds it: `800 MB/s`.
    pub resolved: String,
    /// Where the number comes from: the comment at the end of its line, or else its section's `source`.
    pub source: Option<String>,
    /// The file it stands in: the machine's own, or one that it extends.
    pub file: String,
    /// Its line in that file, from 1; `None` when the command line gave it.
    pub line: Option<usize>,
}

/// A stable digest of a machine's values, for records: FNV-1a of 64 bits over `key=value` lines. Not [`std::hash`], which may
/// differ between builds.
///
/// Each value is printed exactly, and in one way however it was spelled. Keys that are not given do not count, so a new key
/// leaves old records in place.
pub(crate) fn digest(notes: &BTreeMap<String, String>) -> u64 {
    let text = notes.iter().flat_map(|(key, value)| [key, "=", value, "\n"]);
    text.flat_map(str::bytes).fold(0xcbf2_9ce4_8422_2325, |digest: u64, byte| {
        (digest ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
