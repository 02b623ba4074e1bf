//! Files: the one place that opens them. Never trusts one about its size.

use std::fs::File;
use std::io::Read;

/// The largest input file, 4 GiB: what `formats` takes decompressed.
const MAX_INPUT: u64 = 4 << 30;

/// The largest machine file, 1 MiB: a hundred times the longest there is.
const MAX_MACHINE: u64 = 1 << 20;

/// The bytes of an input file.
///
/// # Errors
/// What the system says, for a person.
pub(crate) fn input(path: &str) -> Result<Vec<u8>, String> {
    read(path, MAX_INPUT)
}

/// The text of a machine file.
///
/// # Errors
/// What the system says, or that the file is no text.
pub(crate) fn machine(path: &str) -> Result<String, String> {
    let bytes = read(path, MAX_MACHINE)?;
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        format!("line {line} is not UTF-8: expected a text")
    })
}

fn read(path: &str, limit: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| error.to_string())?;
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > limit {
        return Err(format!("the file is too large: expected at most {limit} bytes"));
    }
    Ok(bytes)
}
