//! Bytes that never change again, and that several processes read: a file without a name, sealed against every change.
//!
//! # Why the bytes are a slice
//!
//! A reference to bytes assumes that they stay the same. The owner writes the file by system calls, maps nothing of it, and then *seals*
//! it: the system lets no process write to the file, change its length, or remove the seals. A mapping is made of a sealed file alone, and
//! may only be read. So no process of the system can change a byte of it.
//!
//! This module must never know the meaning of the bytes, nor how a descriptor comes to another process.

#![allow(unsafe_code, reason = "it maps a file that cannot change")]

use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use memmap2::{Mmap, MmapOptions};

use crate::backing::LINE;

/// Bytes that never change, in a file without a name (a memfd of Linux) that other processes [adopt](Self::adopt).
///
/// ```
/// use tradewind_segment::{FrozenFile, FrozenWriter};
///
/// # if cfg!(any(not(target_os = "linux"), miri)) { return Ok(()) }
/// let mut writer = FrozenWriter::new()?;
/// writer.piece(b"a graph")?;
/// let second = writer.piece(b"its weights")?;
/// let file = writer.freeze()?;
///
/// // Another process has received the descriptor and the place.
/// let adopted = FrozenFile::adopt(file.descriptor().try_clone_to_owned()?)?;
/// assert_eq!(&adopted.bytes()[second as usize..], b"its weights");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct FrozenFile {
    file: File,
    mapped: Mmap,
}

impl FrozenFile {
    /// Maps the file of another process.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidData`] if the file is not [frozen](FrozenWriter::freeze): its owner could change the bytes under the reads of
    /// this process.
    pub fn adopt(descriptor: OwnedFd) -> io::Result<Self> {
        let file = File::from(descriptor);
        if !system::is_frozen(&file) {
            let text =
                "a file to be read is not frozen: expected a memory file that is sealed against every change";
            return Err(io::Error::new(ErrorKind::InvalidData, text));
        }
        // The mapping is private, as older systems refuse a shared one of a sealed file; it shares the pages of the file nevertheless.
        //
        // SAFETY: the seals, which stay, let no process change the bytes or the length of the file, and the mapping itself may only be
        // read. So the bytes are the same as long as the mapping exists.
        let mapped = unsafe { MmapOptions::new().map_copy_read_only(&file) }?;
        Ok(Self { file, mapped })
    }

    /// The bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.mapped
    }

    /// The descriptor of the file, for another process.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl fmt::Debug for FrozenFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FrozenFile").field("bytes", &self.mapped.len()).finish_non_exhaustive()
    }
}

/// A file that is still written, piece by piece.
#[derive(Debug)]
pub struct FrozenWriter {
    file: File,
    len: u64,
}

impl FrozenWriter {
    /// Makes an empty file. The descriptor is closed in a program that this process executes.
    ///
    /// # Errors
    /// If the system refuses the file: every system other than Linux does so ([`ErrorKind::Unsupported`]).
    pub fn new() -> io::Result<Self> {
        Ok(Self { file: system::create()?, len: 0 })
    }

    /// Writes bytes at the end of the file, at a multiple of 64. Returns the place of the first.
    ///
    /// # Errors
    /// If the system has no room for them.
    pub fn piece(&mut self, bytes: &[u8]) -> io::Result<u64> {
        let at = self.len.next_multiple_of(LINE as u64);
        self.file.write_all(&[0; LINE][..(at - self.len) as usize])?;
        self.file.write_all(bytes)?;
        self.len = at + bytes.len() as u64;
        Ok(at)
    }

    /// Seals the file against every change, and maps it.
    ///
    /// # Errors
    /// If the system refuses; it refuses an empty file.
    pub fn freeze(self) -> io::Result<FrozenFile> {
        system::freeze(&self.file)?;
        FrozenFile::adopt(self.file.into())
    }
}

/// Files without a name.
#[cfg(all(target_os = "linux", not(miri)))]
mod system {
    use std::fs::File;
    use std::io;

    use rustix::fs::{SealFlags, fcntl_add_seals, fcntl_get_seals};

    pub(super) use crate::shared::system::create;

    /// The seals of a file that never changes.
    const FROZEN: SealFlags =
        SealFlags::GROW.union(SealFlags::SHRINK).union(SealFlags::WRITE).union(SealFlags::SEAL);

    pub(super) fn freeze(file: &File) -> io::Result<()> {
        Ok(fcntl_add_seals(file, FROZEN)?)
    }

    /// Whether a file never changes. Only a memory file has seals.
    pub(super) fn is_frozen(file: &File) -> bool {
        fcntl_get_seals(file).is_ok_and(|seals| seals.contains(FROZEN))
    }
}

/// No file without a name can be made and sealed on this system.
#[cfg(any(not(target_os = "linux"), miri))]
mod system {
    use std::fs::File;

    pub(super) use crate::shared::system::{create, seal as freeze};

    pub(super) fn is_frozen(_: &File) -> bool {
        false
    }
}

#[cfg(all(test, target_os = "linux", not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn pieces_stand_at_lines_and_are_read_in_another_place() {
        let mut writer = FrozenWriter::new().unwrap();
        let places: Vec<_> =
            (0..5_u8).map(|n| writer.piece(&vec![n; 40 * usize::from(n)]).unwrap()).collect();
        assert_eq!(places, [0, 0, 64, 192, 320]);
        let file = writer.freeze().unwrap();
        let adopted = FrozenFile::adopt(file.descriptor().try_clone_to_owned().unwrap()).unwrap();
        drop(file);
        for (n, place) in places.into_iter().enumerate() {
            assert!(adopted.bytes()[place as usize..][..40 * n].iter().all(|&byte| usize::from(byte) == n));
        }
        assert!(adopted.bytes().as_ptr().cast::<[u64; 8]>().is_aligned());
    }

    #[test]
    fn nobody_changes_a_frozen_file() {
        let mut writer = FrozenWriter::new().unwrap();
        writer.piece(b"fixed").unwrap();
        let file = writer.freeze().unwrap();
        let mut again = File::from(file.descriptor().try_clone_to_owned().unwrap());
        again.write_all(b"more").unwrap_err();
        again.set_len(1).unwrap_err();
        // SAFETY: nothing is mapped, as the file refuses a mapping that may be written.
        unsafe { memmap2::MmapMut::map_mut(&again) }.unwrap_err();
        assert_eq!(file.bytes(), b"fixed");
    }

    #[test]
    fn a_file_that_may_change_is_refused() {
        let error = FrozenFile::adopt(system::create().unwrap().into()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        let complete = crate::SharedFile::new().unwrap();
        complete.seal().unwrap();
        FrozenFile::adopt(complete.descriptor().try_clone_to_owned().unwrap()).unwrap_err();
    }
}
