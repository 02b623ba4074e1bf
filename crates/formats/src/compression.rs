//! Recognising and undoing gzip and zstd.
//!
//! It must never know what the bytes mean, nor trust a stream about its own size: the bound holds
//! whatever the stream claims, so that a small hostile file cannot fill the memory.

use std::{
    borrow::Cow,
    fmt,
    io::{self, Read, Write},
};

use flate2::read::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;

use crate::Errors;

/// How many bytes [`decompress`] will produce at most: 256 MiB, six times the largest matrix of the
/// Harwell-Boeing collection.
pub const MAX_DECOMPRESSED_BYTES: u64 = 256 << 20;

/// How many times its own length [`decompress`] lets a stream grow. Matrices and meshes as text become ten times
/// longer, a stream made to fill a memory a thousand times.
pub const MAX_GROWTH: u64 = 100;

/// How many bytes [`decompress`] will produce however short the stream is: 1 MiB.
const FREE_BYTES: u64 = 1 << 20;

/// The largest window of a zstd frame, which the decoder keeps in memory: 32 MiB, of which `zstd -19` uses a quarter.
const MAX_WINDOW: u64 = 32 << 20;

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
/// stream has them. A stream is read twice: first to its end or its bound with nothing kept, then into memory of just its
/// size, so that a stream that is refused takes no memory.
///
/// # Errors
/// A truncated or corrupt stream; or one of more than [`MAX_DECOMPRESSED_BYTES`], or of more than 1 MiB and
/// [`MAX_GROWTH`] times its own length.
pub fn decompress(bytes: &[u8]) -> Result<Cow<'_, [u8]>, DecompressError> {
    let growth = (bytes.len() as u64).saturating_mul(MAX_GROWTH);
    decompress_within(bytes, growth.clamp(FREE_BYTES, MAX_DECOMPRESSED_BYTES))
}

/// [`decompress`] with a chosen `limit` on the bytes produced. Plain bytes have no limit: they are there.
///
/// # Errors
/// A truncated or corrupt stream, or one of more than `limit` bytes.
pub fn decompress_within(bytes: &[u8], limit: u64) -> Result<Cow<'_, [u8]>, DecompressError> {
    let undo = match bytes {
        _ if bytes.starts_with(&GZIP_MAGIC) => gunzip,
        _ if bytes.starts_with(&ZSTD_MAGIC) => unzstd,
        _ => return Ok(Cow::Borrowed(bytes)),
    };
    let length = undo(bytes, limit, &mut io::sink())?;
    let mut plain = Vec::with_capacity(length as usize);
    undo(bytes, limit, &mut plain)?;
    Ok(Cow::Owned(plain))
}

/// [`decompress`] for a reader that reports all it finds as [`Errors`] of the file called `name`.
pub(crate) fn decompress_named<'a>(name: &str, bytes: &'a [u8]) -> Result<Cow<'a, [u8]>, Errors> {
    decompress(bytes).map_err(|error| match error {
        DecompressError::Corrupt { format, reason } => {
            let found = format!("stream truncated or corrupt ({reason})");
            Errors::whole_file(name, format, found, "a whole one")
        }
        DecompressError::TooLarge { format, limit } => {
            let expected = format!("at most {limit} bytes once decompressed");
            Errors::whole_file(name, format, "stream too large", expected)
        }
    })
}

/// Writes the bytes of a gzip stream; how many there are.
fn gunzip(bytes: &[u8], limit: u64, out: &mut dyn Write) -> Result<u64, DecompressError> {
    copy("gzip", MultiGzDecoder::new(bytes), limit, limit, out)
}

/// Writes the bytes of a zstd stream; how many there are. The decoder reads one frame at a time and leaves comparing its
/// checksum to us.
fn unzstd(mut rest: &[u8], limit: u64, out: &mut dyn Write) -> Result<u64, DecompressError> {
    let mut length = 0;
    while !rest.is_empty() {
        let mut frame = StreamingDecoder::new_with_max_window_size(&mut rest, MAX_WINDOW)
            .map_err(|error| corrupt("zstd", &error))?;
        length += copy("zstd", &mut frame, limit - length, limit, out)?;
        let stored = frame.decoder.get_checksum_from_data();
        if stored.is_some() && stored != frame.decoder.get_calculated_checksum() {
            return Err(corrupt("zstd", &"checksum mismatch"));
        }
    }
    Ok(length)
}

/// Writes all bytes of `reader`, which may be `room` of the `limit` of the whole stream; how many there are.
fn copy(
    format: &'static str,
    reader: impl Read,
    room: u64,
    limit: u64,
    out: &mut dyn Write,
) -> Result<u64, DecompressError> {
    // One byte more, to tell a full stream from one that is too long.
    let taken =
        io::copy(&mut reader.take(room.saturating_add(1)), out).map_err(|error| corrupt(format, &error))?;
    if taken > room { Err(DecompressError::TooLarge { format, limit }) } else { Ok(taken) }
}

fn corrupt(format: &'static str, reason: &dyn fmt::Display) -> DecompressError {
    DecompressError::Corrupt { format, reason: reason.to_string() }
}
