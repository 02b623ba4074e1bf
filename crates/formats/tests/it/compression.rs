//! Compressed streams: whole, joined, cut, damaged and too large.

use std::{borrow::Cow, io::Write};

use flate2::{Compression, write::GzEncoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use tradewind_formats::{DecompressError, decompress, decompress_within};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("a Vec takes all that is written");
    encoder.finish().expect("a Vec takes all that is written")
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

fn text() -> Vec<u8> {
    (0..400).flat_map(|i| format!("{i} {} {}\n", i * i, i % 7).into_bytes()).collect()
}

#[test]
fn plain_bytes_are_not_copied() {
    for plain in [&b""[..], b"%%MatrixMarket", b"\x1f", b"\x28\xb5\x2f"] {
        assert!(matches!(decompress(plain), Ok(Cow::Borrowed(same)) if same == plain));
    }
}

#[test]
fn both_formats_are_recognised_whole_and_joined() {
    let text = text();
    for compressed in [gzip(&text), zstd(&text)] {
        assert_eq!(decompress(&compressed).expect("whole").as_ref(), text);
        let twice = decompress(&compressed.repeat(2)).expect("two streams, one after the other").into_owned();
        assert_eq!(twice, text.repeat(2));
    }
}

/// Tapes and block devices pad a file so, and `gzip -t` says nothing of it.
#[test]
fn zeros_behind_the_last_gzip_member_are_passed_over() {
    let text = text();
    for zeros in [1, 511, 4096] {
        let padded = [gzip(&text), vec![0; zeros]].concat();
        assert_eq!(decompress(&padded).expect("whole").as_ref(), text);
        let between = [gzip(&text), vec![0; zeros], gzip(&text)].concat();
        assert!(decompress(&between).is_err(), "a member behind them is not");
    }
    let followed = [gzip(&text), b"text".to_vec()].concat();
    let error = decompress(&followed).expect_err("more than zeros").to_string();
    assert!(error.contains("4 bytes behind the last member, which are neither one nor zeros"), "{error}");
}

#[test]
fn zstd_frames_without_content_are_passed_over() {
    let (text, empty) = (text(), [&b"\x5d\x2a\x4d\x18\x03\0\0\0abc"[..]].concat());
    let around = [empty.clone(), zstd(&text), empty.clone(), zstd(&text)].concat();
    assert_eq!(decompress(&around).expect("whole").as_ref(), text.repeat(2));
    assert!(decompress(&empty[..9]).is_err(), "cut");
}

#[test]
fn every_truncation_is_noticed() {
    let text = text();
    for (compressed, magic) in [(gzip(&text), 2), (zstd(&text), 4)] {
        for length in magic..compressed.len() {
            let error = decompress(&compressed[..length]).expect_err("cut");
            assert!(error.to_string().starts_with("truncated or corrupt "), "{error}");
        }
    }
}

#[test]
fn damage_is_noticed() {
    let text = text();
    for mut compressed in [gzip(&text), zstd(&text)] {
        let last = compressed.len() - 1; // in the checksum of zstd, in the length of gzip
        for at in [compressed.len() / 2, last] {
            compressed[at] ^= 1;
            assert!(matches!(decompress(&compressed), Err(DecompressError::Corrupt { .. })), "byte {at}");
            compressed[at] ^= 1;
        }
    }
}

#[test]
fn the_bound_holds() {
    let zeros = vec![0; 100_000];
    for (compressed, format) in
        [(gzip(&zeros), "gzip"), (zstd(&zeros), "zstd"), (zstd(&zeros[1..]).repeat(2), "zstd")]
    {
        let limit = 99_999;
        assert_eq!(decompress_within(&compressed, limit), Err(DecompressError::TooLarge { format, limit }));
    }
    assert!(decompress_within(&gzip(&zeros), 100_000).is_ok());
    assert!(decompress_within(&zstd(&zeros), 100_000).is_ok());
}

#[test]
fn a_stream_grows_a_hundredfold_at_most() {
    let zeros = vec![0; 20 << 20];
    for (compressed, format) in [(gzip(&zeros), "gzip"), (zstd(&zeros), "zstd")] {
        let limit = (100 * compressed.len() as u64).max(1 << 20);
        assert!(limit < zeros.len() as u64);
        assert_eq!(decompress(&compressed), Err(DecompressError::TooLarge { format, limit }));
    }
    let blanks = vec![b' '; 1 << 20];
    assert_eq!(decompress(&gzip(&blanks)).expect("a short text may repeat itself").as_ref(), blanks);
}
