//! A stable digest of a machine's values, for records: FNV-1a of 64 bits over `key=value` lines.
//! Not [`std::hash`], whose derived form may differ between builds.

use std::collections::BTreeMap;

/// Digests what a reading understood: each key with its value, printed exactly and the same way however it was
/// spelled. Keys that are not given do not count, so that a new one leaves old records in place.
pub(crate) fn digest(notes: &BTreeMap<String, String>) -> u64 {
    let text = notes.iter().flat_map(|(key, value)| [key, "=", value, "\n"]);
    text.flat_map(str::bytes).fold(0xcbf2_9ce4_8422_2325, |digest: u64, byte| {
        (digest ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
