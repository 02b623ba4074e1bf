//! The part that a file's name has in telling its format.
//!
//! It must never know the formats.

/// The ending among `endings` that `name` has, in any letter case, perhaps before an ending of a compression.
pub(crate) fn ending<'a>(name: &str, endings: &[&'a str]) -> Option<&'a str> {
    let name = name.to_ascii_lowercase();
    let plain =
        [".gz", ".zst"].iter().find_map(|compression| name.strip_suffix(compression)).unwrap_or(&name);
    endings.iter().find(|ending| plain.ends_with(**ending)).copied()
}
