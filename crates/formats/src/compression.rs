//! Recognising and undoing gzip and zstd.
//!
//! It must never know what the bytes mean, nor trust a stream about its own size: the bound holds
//! whatever the stream claims, so that a small hostile file cannot fill the memory.

use std::{borrow::Cow, fmt, io::Read};

use flate2::read::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;

use crate::Errors;

/// How many bytes [`decompress`] will produce at most: 4 GiB, a hundred times the largest matrix of the
/// Harwell-Boeing collection.
pub const MAX_DECOMPRESSED_BYTES: u64 = 4 << 30;

/// First bytes of a gzip member (RFC 1952, section 2.3.1).
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
/// First bytes of a zstd frame (RFC 8878, section 3.1.1).
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Why a compressed stream gave no bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecompressError {
    /// The stream ends early, is damaged, or fails its own checksum.
    Corrupt {
        /// "gzip" or "zstd".
        format: &'static str,
        /// The decoder's own words.
        reason: String,
    },
    /// The stream holds more than the allowed number of bytes.
    TooLarge {
        /// "gzip" or "zstd".
        format: &'static str,
        /// The bound, in bytes.
        limit: u64,
    },
}

impl fmt::Display for DecompressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Corrupt { format, reason } => {
                write!(f, "truncated or corrupt {format} stream ({reason}): expected a whole one")
            }
            Self::TooLarge { format, limit } => {
                write!(f, "{format} stream too large: expected at most {limit} bytes once decompressed")
            }
        }
    }
}

impl std::error::Error for DecompressError {}

/// Undoes gzip or zstd, recognised by their first bytes; any other bytes are returned as they are.
///
/// Streams of several members or frames give their concatenation. Checksums are verified where the
/// stream has them.
///
/// # Errors
/// A truncated or corrupt stream, or one of more than [`MAX_DECOMPRESSED_BYTES`].
pub fn decompress(bytes: &[u8]) -> Result<Cow<'_, [u8]>, DecompressError> {
    decompress_within(bytes, MAX_DECOMPRESSED_BYTES)
}

/// [`decompress`] with a chosen `limit` on the bytes produced. Plain bytes have no limit: they are there.
///
/// # Errors
/// A truncated or corrupt stream, or one of more than `limit` bytes.
pub fn decompress_within(bytes: &[u8], limit: u64) -> Result<Cow<'_, [u8]>, DecompressError> {
    if bytes.starts_with(&GZIP_MAGIC) {
        gunzip(bytes, limit).map(Cow::Owned)
    } else if bytes.starts_with(&ZSTD_MAGIC) {
        unzstd(bytes, limit).map(Cow::Owned)
    } else {
        Ok(Cow::Borrowed(bytes))
    }
}

fn gunzip(bytes: &[u8], limit: u64) -> Result<Vec<u8>, DecompressError> {
    let mut out = Vec::new();
    append("gzip", MultiGzDecoder::new(bytes), &mut out, limit)?;
    Ok(out)
}

/// [`decompress`] for a reader that reports all it finds as [`Errors`] of the file called `name`.
pub(crate) fn decompress_named<'a>(name: &str, bytes: &'a [u8]) -> Result<Cow<'a, [u8]>, Errors> {
    decompress(bytes).map_err(|error| match error {
        DecompressError::Corrupt { format, reason } => {
            let found = format!("truncated or corrupt {format} ({reason})");
            Errors::whole_file(name, "stream", found, "a whole one")
        }
        DecompressError::TooLarge { format, limit } => {
            let expected = format!("at most {limit} bytes once decompressed");
            Errors::whole_file(name, "stream", format_args!("too large {format}"), expected)
        }
    })
}

/// The decoder reads one frame at a time and leaves comparing its checksum to us.
fn unzstd(mut rest: &[u8], limit: u64) -> Result<Vec<u8>, DecompressError> {
    let mut out = Vec::new();
    while !rest.is_empty() {
        let mut frame = StreamingDecoder::new(&mut rest).map_err(|error| corrupt("zstd", &error))?;
        append("zstd", &mut frame, &mut out, limit)?;
        let stored = frame.decoder.get_checksum_from_data();
        if stored.is_some() && stored != frame.decoder.get_calculated_checksum() {
            return Err(corrupt("zstd", &"checksum mismatch"));
        }
    }
    Ok(out)
}

/// Reads all of `reader` to the end of `out`, which may grow to `limit` bytes.
fn append(
    format: &'static str,
    reader: impl Read,
    out: &mut Vec<u8>,
    limit: u64,
) -> Result<(), DecompressError> {
    let room = limit.saturating_sub(out.len() as u64);
    let taken = reader
        .take(room.saturating_add(1)) // one byte more, to tell a full stream from one that is too long
        .read_to_end(out)
        .map_err(|error| corrupt(format, &error))?;
    if taken as u64 > room { Err(DecompressError::TooLarge { format, limit }) } else { Ok(()) }
}

fn corrupt(format: &'static str, reason: &dyn fmt::Display) -> DecompressError {
    DecompressError::Corrupt { format, reason: reason.to_string() }
}
