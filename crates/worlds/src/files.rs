//! Files that a person names, read whole within a bound: regular files, and pipes such as `<(command)` or `/dev/stdin`.
//!
//! A folder, a device and a named pipe are refused before they are opened: opening a named pipe would wait for its writer, and a
//! device such as `/dev/zero` has no end. The length of a regular file is known before it is read, so that a file that
//! is too long costs no memory.
//!
//! This module must never know the contents of a file.

use std::fmt;
use std::fs::{self, File, FileType};
use std::io::{self, Read};
use std::path::Path;

use crate::limits::MAX_PIPE_BYTES;
pub use crate::limits::{MAX_BYTES, MAX_TEXT_BYTES};

/// The reason why a file could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Unreadable {
    /// The error of the operating system.
    Refused(String),
    /// The path names something else than a file: a folder, a device, a named pipe or a socket.
    NoFile(&'static str),
    /// The path is `-`, which other commands take for standard input.
    Dash,
    /// The file is longer than the bound.
    TooLong {
        /// Whether the bytes came through a pipe, whose length is not known beforehand.
        is_pipe: bool,
        /// The bound in bytes.
        limit: u64,
    },
    /// The file is no UTF-8 text.
    NoText {
        /// The number of bytes before the first that is wrong.
        valid: usize,
    },
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(why) => f.write_str(why),
            Self::NoFile(what) => write!(f, "{what} and no regular file"),
            Self::Dash => write!(f, "expected the name of a file; /dev/stdin is standard input"),
            Self::TooLong { is_pipe, limit } => {
                let what =
                    if *is_pipe { "that is read from a pipe" } else { "that a file of this kind may have" };
                write!(f, "more than {limit} bytes, the most {what}")
            }
            Self::NoText { valid } => write!(f, "byte {valid}: expected UTF-8 text"),
        }
    }
}

impl std::error::Error for Unreadable {}

impl From<io::Error> for Unreadable {
    fn from(error: io::Error) -> Self {
        Self::Refused(error.to_string())
    }
}

/// Opens a file, or an open pipe of this process, to be read piece by piece up to its end, however long it is.
///
/// # Errors
/// The file cannot be opened, or is no regular file nor an open pipe of this process.
pub fn open(path: impl AsRef<Path>) -> Result<File, Unreadable> {
    let path = path.as_ref();
    check(path, fs::metadata(path)?.file_type())?;
    Ok(File::open(path)?)
}

/// Reads a whole file of at most `limit` bytes; a pipe of at most 32 MiB, if `limit` is not less.
///
/// # Errors
/// The file cannot be read, is longer, or is no regular file nor an open pipe of this process.
pub fn read(path: impl AsRef<Path>, limit: u64) -> Result<Vec<u8>, Unreadable> {
    let path = path.as_ref();
    let found = fs::metadata(path).map_err(|error| match path.as_os_str() == "-" {
        true => Unreadable::Dash,
        false => error.into(),
    })?;
    let is_pipe = check(path, found.file_type())?;
    let limit = if is_pipe { limit.min(MAX_PIPE_BYTES) } else { limit };
    let too_long = Unreadable::TooLong { is_pipe, limit };
    if found.len() > limit {
        return Err(too_long);
    }
    // Room for all at once: memory that grows by doubling would take up to three times the bound.
    let mut bytes = Vec::with_capacity(if is_pipe { limit } else { found.len() } as usize + 1);
    // One byte more than allowed tells a file that grows while it is read, and one whose length the system does not know.
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(too_long) } else { Ok(bytes) }
}

/// Reads a file of UTF-8 text of at most [`MAX_TEXT_BYTES`]: a machine file, a claims file, a study, a litmus test.
///
/// # Errors
/// The errors of [`read`]; or the file is no UTF-8 text.
pub fn read_text(path: impl AsRef<Path>) -> Result<String, Unreadable> {
    read_text_up_to(path, MAX_TEXT_BYTES)
}

/// Reads a file of UTF-8 text of at most `limit` bytes: from a pipe no more than [`read`] does.
///
/// # Errors
/// The errors of [`read`]; or the file is no UTF-8 text.
pub fn read_text_up_to(path: impl AsRef<Path>, limit: u64) -> Result<String, Unreadable> {
    let bytes = read(path, limit)?;
    String::from_utf8(bytes).map_err(|error| Unreadable::NoText { valid: error.utf8_error().valid_up_to() })
}

/// Whether the path is an open pipe of this process.
///
/// # Errors
/// The path is neither that nor a regular file.
fn check(path: &Path, kind: FileType) -> Result<bool, Unreadable> {
    if kind.is_file() {
        return Ok(false);
    }
    match what(kind) {
        PIPE if is_open(path) => Ok(true),
        other => Err(Unreadable::NoFile(other)),
    }
}

const PIPE: &str = "a named pipe";

#[cfg(unix)]
fn what(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;

    match kind {
        _ if kind.is_dir() => "a folder",
        _ if kind.is_fifo() => PIPE,
        _ if kind.is_socket() => "a socket",
        _ => "a device",
    }
}

#[cfg(not(unix))]
fn what(kind: FileType) -> &'static str {
    if kind.is_dir() { "a folder" } else { "no file" }
}

/// Whether a path names a file that this process has open already, so that opening it does not wait: `/dev/stdin`, or
/// the `/dev/fd/63` that a shell makes of `<(command)`.
fn is_open(path: &Path) -> bool {
    path == Path::new("/dev/stdin")
        || ["/dev/fd", "/proc/self/fd"].iter().any(|folder| path.starts_with(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_bound() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a file");
        fs::write(&path, [7; 100]).unwrap();
        assert_eq!(read(&path, 100), Ok(vec![7; 100]));
        assert_eq!(read(&path, 99), Err(Unreadable::TooLong { is_pipe: false, limit: 99 }));
        // A file of many bytes that take no room.
        File::options().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
        let said = read_text(&path).unwrap_err().to_string();
        assert_eq!(said, "more than 1048576 bytes, the most that a file of this kind may have");
    }

    #[test]
    fn what_is_no_file_is_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path(), 9), Err(Unreadable::NoFile("a folder")));
        assert_eq!(read("-", 9), Err(Unreadable::Dash));
        assert!(matches!(read(folder.path().join("none"), 9), Err(Unreadable::Refused(_))));
        #[cfg(unix)]
        assert_eq!(read("/dev/zero", 9), Err(Unreadable::NoFile("a device")));
    }
}
