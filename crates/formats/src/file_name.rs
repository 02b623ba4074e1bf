//! The part that a file's name has in telling its format.
//!
//! It must never know the formats.

/// The ending among `endings` that `name` has in front of one that tells its compression, in any letter case.
pub(crate) fn ending<'a>(name: &str, endings: &[&'a str]) -> Option<&'a str> {
    let name = name.to_ascii_lowercase();
    let plain =
        [".gz", ".zst"].iter().find_map(|compression| name.strip_suffix(compression)).unwrap_or(&name);
    endings.iter().find(|ending| plain.ends_with(**ending)).copied()
}
