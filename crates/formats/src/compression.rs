//! Recognising and undoing gzip and zstd, and naming other compressions.
//!
//! A stream is recognised by its first bytes, and a name that contradicts them is a mistake. This module must never
//! know the meaning of the bytes, nor trust a stream about its own size: the bound holds for any stated size, so that a
//! small hostile file cannot fill the memory.

use std::{
    borrow::Cow,
    fmt,
    io::{self, Read, Write},
};

use flate2::bufread::GzDecoder;
use ruzstd::decoding::StreamingDecoder;

use crate::{Errors, errors::Excerpt};

/// Maximum number of bytes that [`decompress`] produces: 256 MiB, six times the largest matrix of the
/// Harwell-Boeing collection.
pub const MAX_DECOMPRESSED_BYTES: u64 = 256 << 20;

/// Maximum growth of a stream in [`decompress`], as a multiple of its length. Matrices and meshes as text become ten
/// times longer, a stream made to fill a memory a thousand times.
pub const MAX_GROWTH: u64 = 100;

/// Number of bytes that [`decompress`] produces even for the shortest stream: 1 MiB.
const FREE_BYTES: u64 = 1 << 20;

/// The largest window of a zstd frame, which the decoder keeps in memory: 32 MiB, of which `zstd -19` uses a quarter.
const MAX_WINDOW: u64 = 32 << 20;

/// First bytes of a gzip member (RFC 1952, section 2.3.1).
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
/// First bytes of a zstd frame (RFC 8878, section 3.1.1).
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// First bytes of a zstd frame that holds nothing of the content (RFC 8878, section 3.1.2), but for the lower half of the first.
const SKIPPED_MAGIC: [u8; 4] = [0x50, 0x2a, 0x4d, 0x18];

/// A way to compress a file.
struct Packing {
    name: &'static str,
    magic: &'static [u8],
    ending: &'static str,
    /// The command that undoes the compression, if this crate does not.
    command: Option<&'static str>,
}

impl Packing {
    fn begins(&self, bytes: &[u8]) -> bool {
        // A text may begin with the letters of bzip2, but not with the digits of pi behind them.
        let is_text = self.name == "bzip2" && bytes.get(4..10) != Some(b"1AY&SY");
        let is_skipped = self.name == "zstd" && skipped(bytes).is_some();
        bytes.starts_with(self.magic) && !is_text || is_skipped
    }
}

/// All compressions that are undone or named.
const PACKINGS: [Packing; 7] = [
    Packing { name: "gzip", magic: &GZIP_MAGIC, ending: ".gz", command: None },
    Packing { name: "zstd", magic: &ZSTD_MAGIC, ending: ".zst", command: None },
    Packing { name: "xz", magic: b"\xfd7zXZ\0", ending: ".xz", command: Some("xz -dk") },
    Packing { name: "bzip2", magic: b"BZh", ending: ".bz2", command: Some("bunzip2 -k") },
    Packing { name: "lz4", magic: &[0x04, 0x22, 0x4d, 0x18], ending: ".lz4", command: Some("lz4 -dk") },
    Packing { name: "zip", magic: b"PK\x03\x04", ending: ".zip", command: Some("unzip") },
    Packing { name: "compress", magic: &[0x1f, 0x9d], ending: ".z", command: Some("gunzip -k") },
];

/// Why a compressed stream gave no bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecompressError {
    /// The stream ends early, is damaged, or fails its own checksum.
    Corrupt {
        /// Name of the compression: "gzip" or "zstd".
        format: &'static str,
        /// The decoder's own words.
        reason: String,
    },
    /// The stream holds more than the allowed number of bytes.
    TooLarge {
        /// Name of the compression: "gzip" or "zstd".
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

/// Undoes gzip or zstd, recognised by their first bytes; any other bytes are returned unchanged.
///
/// Streams of several members or frames give their concatenation. Checksums are verified where the stream has them. A
/// stream is read twice: first to its end or its bound with nothing kept, then into memory of exactly its size, so that
/// a refused stream takes no memory.
///
/// # Errors
/// A truncated or corrupt stream; or one with a result of more than [`MAX_DECOMPRESSED_BYTES`], or of more than 1 MiB
/// and [`MAX_GROWTH`] times its own length.
pub fn decompress(bytes: &[u8]) -> Result<Cow<'_, [u8]>, DecompressError> {
    let growth = (bytes.len() as u64).saturating_mul(MAX_GROWTH);
    decompress_within(bytes, growth.clamp(FREE_BYTES, MAX_DECOMPRESSED_BYTES))
}

/// [`decompress`] with a chosen `limit` on the bytes produced. Plain bytes have no limit: they are there.
///
/// # Errors
/// A truncated or corrupt stream, or a result of more than `limit` bytes.
pub fn decompress_within(bytes: &[u8], limit: u64) -> Result<Cow<'_, [u8]>, DecompressError> {
    let undo = match bytes {
        _ if bytes.starts_with(&GZIP_MAGIC) => gunzip,
        _ if bytes.starts_with(&ZSTD_MAGIC) || skipped(bytes).is_some() => unzstd,
        _ => return Ok(Cow::Borrowed(bytes)),
    };
    let length = undo(bytes, limit, &mut io::sink())?;
    let mut plain = Vec::with_capacity(length as usize);
    undo(bytes, limit, &mut plain)?;
    Ok(Cow::Owned(plain))
}

/// [`decompress`] for a reader that reports all it finds as [`Errors`] of the file called `name`. A compression that is
/// not undone, or that is another than the name tells, is an error too.
pub(crate) fn decompress_named<'a>(name: &str, bytes: &'a [u8]) -> Result<Cow<'a, [u8]>, Errors> {
    let found = PACKINGS.iter().find(|packing| packing.begins(bytes));
    if let Some((packing, command)) = found.and_then(|packing| Some((packing, packing.command?))) {
        let expected = format!("plain, gzip or zstd; {command} {name} unpacks it");
        return Err(Errors::whole_file(name, "compression", packing.name, expected));
    }
    let lower = name.to_ascii_lowercase();
    let told = PACKINGS.iter().find(|packing| lower.ends_with(packing.ending));
    if let Some(told) = told.filter(|told| found.is_none_or(|found| found.name != told.name)) {
        return Err(misnamed(name, bytes, told, found));
    }
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

/// The mistake of a file whose name tells another compression than its content.
fn misnamed(name: &str, bytes: &[u8], told: &Packing, found: Option<&Packing>) -> Errors {
    let Some(found) = found else {
        let start = &bytes[..bytes.len().min(16)];
        let start = &start[..start.iter().position(|&byte| byte == b'\n').unwrap_or(start.len())];
        let expected =
            format!("a {} stream; a file that is not compressed has no {}", told.name, told.ending);
        return Errors::whole_file(name, "start", Excerpt(start), expected);
    };
    let expected = format!("a name that ends in {}, as the content is a {} stream", found.ending, found.name);
    Errors::whole_file(name, "name", told.ending, expected)
}

/// Writes the bytes of a gzip stream; how many there are. Zeros behind the last member are passed over: tapes and block
/// devices put them there.
fn gunzip(mut rest: &[u8], limit: u64, out: &mut dyn Write) -> Result<u64, DecompressError> {
    let mut length = 0;
    while rest.iter().any(|&byte| byte != 0) {
        if !rest.starts_with(&GZIP_MAGIC) {
            let reason =
                format!("{} bytes behind the last member, which are neither one nor zeros", rest.len());
            return Err(corrupt("gzip", &reason));
        }
        length += copy("gzip", GzDecoder::new(&mut rest), limit - length, limit, out)?;
    }
    Ok(length)
}

/// Writes the bytes of a zstd stream; how many there are. The decoder reads one frame at a time and leaves comparing its
/// checksum to us.
fn unzstd(mut rest: &[u8], limit: u64, out: &mut dyn Write) -> Result<u64, DecompressError> {
    let mut length = 0;
    while !rest.is_empty() {
        if let Some(behind) = skipped(rest) {
            rest = behind.ok_or_else(|| corrupt("zstd", &"a skippable frame is cut"))?;
            continue;
        }
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

/// The bytes behind a zstd frame without content; the inner `None` if it is cut, the outer if there is no such frame. A
/// program that writes frames in parallel puts their lengths into such frames.
fn skipped(bytes: &[u8]) -> Option<Option<&[u8]>> {
    let (magic, rest) = bytes.split_first_chunk::<4>()?;
    let magic = [magic[0] & 0xf0, magic[1], magic[2], magic[3]];
    (magic == SKIPPED_MAGIC).then(|| {
        let (length, content) = rest.split_first_chunk()?;
        content.get(u32::from_le_bytes(*length) as usize..)
    })
}

/// Writes all bytes of `reader`, which may be `room` of the `limit` of the whole stream; how many there are.
fn copy(
    format: &'static str,
    reader: impl Read,
    room: u64,
    limit: u64,
    out: &mut dyn Write,
) -> Result<u64, DecompressError> {
    // A byte more, to distinguish a full stream from one that is too long.
    let taken =
        io::copy(&mut reader.take(room.saturating_add(1)), out).map_err(|error| corrupt(format, &error))?;
    if taken > room { Err(DecompressError::TooLarge { format, limit }) } else { Ok(taken) }
}

fn corrupt(format: &'static str, reason: &dyn fmt::Display) -> DecompressError {
    DecompressError::Corrupt { format, reason: reason.to_string() }
}
