//! Memory that several processes map: a file that has no name and exists as long as a process has its descriptor or a
//! mapping of it.
//!
//! # Why another process cannot break a mapping
//!
//! An access behind the end of a file ends a process. The process that makes the file therefore *seals* it when its memory is
//! complete: the system then lets no process change its length, nor remove the seals. Another process takes part only in a
//! sealed file, and maps only pieces within its length.
//!
//! This module must never know the contents of the file, nor how a descriptor comes to another process.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::backing::{Backing, Pages};
use crate::mapping::Division;
use crate::{Form, Mapping};

/// Memory that several processes map: a file without a name (a memfd of Linux). Its owner allocates pieces of it, one behind
/// the other, by [`MemorySource`](crate::MemorySource). Other processes [adopt](Self::adopt) the file and
/// [map](Self::map) the same pieces.
///
/// ```
/// use std::sync::{Arc, atomic::{AtomicU64, Ordering}};
/// use tradewind_segment::{Form, MemorySource, Pages, SharedFile, Width};
///
/// # if cfg!(any(not(target_os = "linux"), miri)) { return Ok(()) }
/// let file = Arc::new(SharedFile::new()?);
/// let eight = || [(Form::elements(Width::Eight), 80)];
/// let mapping = Arc::new(MemorySource::Shared(Arc::clone(&file)).mapping(eight(), Pages::Usual));
/// let place = mapping.place_in_file().expect("it lies in a file");
/// file.seal()?;
///
/// // Another process has received the descriptor and the place.
/// let adopted = SharedFile::adopt(file.descriptor().try_clone_to_owned()?)?;
/// let there = Arc::new(adopted.map(place, eight())?);
/// there.words::<AtomicU64>(0).expect("words of 8 bytes")[3].store(7, Ordering::Relaxed);
/// assert_eq!(mapping.words::<AtomicU64>(0).expect("words of 8 bytes")[3].load(Ordering::Relaxed), 7);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct SharedFile {
    file: File,
    extent: Mutex<Extent>,
}

/// The size of a file, and whether it is final.
#[derive(Clone, Copy, Debug)]
struct Extent {
    /// Number of bytes: whole pages of the system in a file of this process.
    len: u64,
    sealed: bool,
}

impl SharedFile {
    /// Makes an empty file. The descriptor is closed in a program that this process executes.
    ///
    /// # Errors
    /// If the system refuses the file: every system other than Linux does so ([`ErrorKind::Unsupported`]).
    pub fn new() -> io::Result<Self> {
        let (file, extent) = (system::create()?, Extent { len: 0, sealed: false });
        Ok(Self { file, extent: Mutex::new(extent) })
    }

    /// Takes part in the file of another process. The length of the file is read once.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidData`] if the file is not [sealed](Self::seal): its owner could shorten it under the accesses of this
    /// process.
    pub fn adopt(descriptor: OwnedFd) -> io::Result<Self> {
        let file = File::from(descriptor);
        if !system::is_sealed(&file) {
            let text = "a file to be shared is not sealed: expected a memory file whose length is sealed against change";
            return Err(io::Error::new(ErrorKind::InvalidData, text));
        }
        let extent = Extent { len: file.metadata()?.len(), sealed: true };
        Ok(Self { file, extent: Mutex::new(extent) })
    }

    /// The descriptor of the file, for another process.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Seals the file: no process can make it longer or shorter from now on, or remove the seals. An allocation afterwards
    /// panics. Nothing happens if the file is sealed already.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn seal(&self) -> io::Result<()> {
        let mut extent = self.extent();
        if !extent.sealed {
            system::seal(&self.file)?;
            extent.sealed = true;
        }
        Ok(())
    }

    /// Maps a piece that another process has allocated, which begins at byte `at` of the file: a stretch for each form, of as
    /// many bytes as stand beside it. The forms must be the other process's: words of another width would be torn.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if the piece does not begin at a page of the system, or the file ends before the last of its
    /// bytes; the system's error if it has no room for the mapping.
    pub fn map(&self, at: u64, forms: impl IntoIterator<Item = (Form, usize)>) -> io::Result<Mapping> {
        let (division, len) = (Division::of(forms), self.len());
        let bytes = division.as_ref().map_or(u64::MAX, |division| division.bytes.max(1) as u64);
        let fits = at.checked_add(bytes).is_some_and(|end| end <= len);
        match division.filter(|_| fits && at.is_multiple_of(system::page_size())) {
            Some(division) => {
                let backing = Backing::shared(&self.file, at, division.bytes, Pages::Usual)?;
                Ok(Mapping::at(backing, division))
            }
            None => Err(io::Error::new(
                ErrorKind::InvalidInput,
                format!(
                    "a piece of {bytes} bytes at byte {at} of a shared file of {len} bytes: expected a multiple of {} \
                     and a piece within the file",
                    system::page_size()
                ),
            )),
        }
    }

    /// Allocates a mapping at the end of the file, as [`MemorySource`](crate::MemorySource) does.
    ///
    /// # Errors
    /// If the system has no room for it, or the file is sealed. The file is as before then.
    pub fn mapping(
        &self,
        forms: impl IntoIterator<Item = (Form, usize)>,
        pages: Pages,
    ) -> io::Result<Mapping> {
        let division = Division::of(forms).ok_or(ErrorKind::FileTooLarge)?;
        Ok(Mapping::at(self.allocate(division.bytes, pages)?, division))
    }

    /// The length of the file in bytes.
    #[allow(clippy::len_without_is_empty, reason = "a file is of use when something has been allocated")]
    pub fn len(&self) -> u64 {
        self.extent().len
    }

    /// Allocates `bytes` bytes at the end of the file, in whole pages of the system, at least one.
    ///
    /// # Errors
    /// If the system has no room for them, or the file is sealed. The file is as before then.
    pub(crate) fn allocate(&self, bytes: usize, pages: Pages) -> io::Result<Backing> {
        let mut extent = self.extent();
        if extent.sealed {
            return Err(io::Error::new(ErrorKind::PermissionDenied, "the shared file is sealed"));
        }
        let at = extent.len;
        let piece = (bytes.max(1) as u64).checked_next_multiple_of(system::page_size());
        let end = piece.and_then(|piece| at.checked_add(piece)).ok_or(ErrorKind::FileTooLarge)?;
        self.file.set_len(end)?;
        let backing = Backing::shared(&self.file, at, bytes, pages).inspect_err(|_| {
            // The bytes stay unused if this fails.
            let _ = self.file.set_len(at);
        })?;
        extent.len = end;
        Ok(backing)
    }

    fn extent(&self) -> MutexGuard<'_, Extent> {
        // A panic elsewhere cannot leave the extent half-changed: no caller's code runs under the lock.
        self.extent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Files without a name.
#[cfg(all(target_os = "linux", not(miri)))]
pub(crate) mod system {
    use std::fs::File;
    use std::io;

    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, fcntl_get_seals, memfd_create};

    /// The seals of a complete file: it can neither become longer nor shorter, and these seals stay.
    const COMPLETE: SealFlags = SealFlags::GROW.union(SealFlags::SHRINK).union(SealFlags::SEAL);

    pub(crate) fn create() -> io::Result<File> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        Ok(File::from(memfd_create("segment", flags)?))
    }

    pub(crate) fn seal(file: &File) -> io::Result<()> {
        Ok(fcntl_add_seals(file, COMPLETE)?)
    }

    /// Whether a file is complete. Only a memory file has seals.
    pub(super) fn is_sealed(file: &File) -> bool {
        fcntl_get_seals(file).is_ok_and(|seals| seals.contains(COMPLETE))
    }

    pub(super) fn page_size() -> u64 {
        rustix::param::page_size() as u64
    }
}

/// No file without a name can be made and sealed on this system.
#[cfg(any(not(target_os = "linux"), miri))]
pub(crate) mod system {
    use std::fs::File;
    use std::io::{self, ErrorKind};

    fn unsupported<T>() -> io::Result<T> {
        let text = "memory that several processes map needs sealed memory files: expected Linux";
        Err(io::Error::new(ErrorKind::Unsupported, text))
    }

    pub(crate) fn create() -> io::Result<File> {
        unsupported()
    }

    pub(crate) fn seal(_: &File) -> io::Result<()> {
        unsupported()
    }

    pub(super) fn is_sealed(_: &File) -> bool {
        false
    }

    pub(super) fn page_size() -> u64 {
        4096
    }
}
