//! What a file's name says of its format, where the bytes say nothing.
//!
//! It must never know the formats.

/// Whether `name`, but for an ending that tells its compression, ends in one of `endings`, in any letter
/// case.
pub(crate) fn ends_in(name: &str, endings: &[&str]) -> bool {
    let name = name.to_ascii_lowercase();
    let plain =
        [".gz", ".zst"].iter().find_map(|compression| name.strip_suffix(compression)).unwrap_or(&name);
    endings.iter().any(|ending| plain.ends_with(ending))
}
