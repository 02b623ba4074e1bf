//! Digests of files, and the version of a command. This module must never know the record.

use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Read};
use std::path::Path;

/// The bytes that are read at a time for a digest.
const CHUNK: usize = 1 << 20;

/// The version of a command: that of its package and a digest of its file, so that a model that was changed counts as
/// another.
///
/// # Errors
///
/// If the file cannot be read.
pub fn version(package: &str, executable: &Path) -> io::Result<String> {
    Ok(format!("{package} {}", digest(File::open(executable)?)?))
}

/// The digest of everything that can be read, as 16 hexadecimal digits: equal within one build of the command, which is all that a
/// record asks for, since its keys name the build.
///
/// # Errors
///
/// If it cannot be read to its end.
pub fn digest(mut bytes: impl Read) -> io::Result<String> {
    let mut digest = DefaultHasher::new();
    let mut chunk = Vec::with_capacity(CHUNK);
    loop {
        chunk.clear();
        // However the stream is divided, equal bytes make equal chunks.
        if bytes.by_ref().take(CHUNK as u64).read_to_end(&mut chunk)? == 0 {
            return Ok(format!("{:016x}", digest.finish()));
        }
        digest.write(&chunk);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_change_far_from_the_end_of_a_file_changes_its_digest() {
        // As in an executable: a constant, then sections padded by zeros, then tables of ones.
        let file = |constant: u8| {
            let sections = std::iter::repeat_n([[0_u8; 4096], [0xff; 4096]], 4).flatten().flatten();
            std::iter::once(constant).chain(sections).collect::<Vec<_>>()
        };
        let digests: std::collections::BTreeSet<_> =
            (0..=255).map(|constant| digest(&file(constant)[..]).unwrap()).collect();
        assert_eq!(digests.len(), 256);
    }

    #[test]
    fn equal_bytes_have_equal_digests_whatever_pieces_they_come_in() {
        let bytes: Vec<u8> = (0..100_000_u32).map(|it| it as u8).collect();
        let (one, other) = bytes.split_at(33_333);
        assert_eq!(digest(&bytes[..]).unwrap(), digest(one.chain(other)).unwrap());
        assert_ne!(digest(&[0_u8; 15][..]).unwrap(), digest(&[0_u8; 16][..]).unwrap());
    }

    #[test]
    fn another_executable_is_another_version() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tool");
        let digest = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            version("0.1.0", &path).unwrap()
        };
        let (one, other) = (digest(&[1; 5000]), digest(&[[1; 4999].as_slice(), &[2]].concat()));
        assert!(one != other && one.starts_with("0.1.0 "), "{one} {other}");
    }
}
