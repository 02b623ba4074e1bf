//! The memory of a mapping: from the heap, pages of the system, or pages of a file that other processes map too.
//!
//! This module must never know the meaning of the bytes.

#![allow(
    unsafe_code,
    reason = "it allocates and frees bytes of the heap, and gives pages back to the system"
)]

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::ptr::NonNull;

#[cfg(all(target_os = "linux", not(miri)))]
use memmap2::UncheckedAdvice;
use memmap2::{MmapMut, MmapOptions, MmapRaw};

/// The size of pages that the system is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pages {
    /// The usual pages, of 4 KiB on most systems: for memory of which only parts may be touched.
    Usual,
    /// Huge pages where the system has them, of 2 MiB on most: for memory that is touched all over. A system that has none
    /// gives usual ones.
    Huge,
}

/// Alignment of mappings and their stretches, in bytes: enough for every word, and a cache line, so that two stretches
/// never share one.
pub(crate) const LINE: usize = 64;

/// From this number of bytes on, memory comes from the system; below, a mapping would waste pages and system calls.
const MAPPED: usize = 128 << 10;

/// From this number of bytes on, huge pages are requested: below, they are mostly unused.
const HUGE: usize = 4 << 20;

/// Bytes, zero at first, at an address that never changes.
pub(crate) enum Backing {
    /// Memory of the heap: address and requested layout.
    Heap(NonNull<u8>, Layout),
    /// Memory of the system, which belongs to this process alone.
    Mapped(MmapRaw),
    /// Memory of a file that other processes may map too, and the place in the file at which it begins.
    Shared(MmapRaw, u64),
}

impl Backing {
    /// Allocates bytes.
    ///
    /// # Panics
    /// If the system has no room for them.
    pub(crate) fn new(bytes: usize, pages: Pages) -> Self {
        if bytes >= MAPPED { Self::mapped(bytes, pages) } else { Self::heap(bytes) }
    }

    fn heap(bytes: usize) -> Self {
        let layout = Layout::from_size_align(bytes.max(LINE), LINE).expect("it is less than a mapping");
        // SAFETY: the layout has a size, of at least a line.
        let first = unsafe { alloc_zeroed(layout) };
        Self::Heap(NonNull::new(first).unwrap_or_else(|| handle_alloc_error(layout)), layout)
    }

    fn mapped(bytes: usize, pages: Pages) -> Self {
        let mapped = MmapMut::map_anon(bytes).unwrap_or_else(|error| no_room(bytes, &error));
        let mapped = MmapRaw::from(mapped);
        ask_for(&mapped, pages);
        Self::Mapped(mapped)
    }

    /// Maps `bytes` bytes of a file from byte `at` on. The caller has checked that the file has them and never becomes shorter.
    ///
    /// # Errors
    /// If the system has no room for them, or the file may not be written.
    pub(crate) fn shared(file: &File, at: u64, bytes: usize, pages: Pages) -> io::Result<Self> {
        let mapped = MmapOptions::new().offset(at).len(bytes.max(1)).map_raw(file)?;
        ask_for(&mapped, pages);
        Ok(Self::Shared(mapped, at))
    }

    /// The place in the file of the first byte; `None` if the memory belongs to this process alone.
    pub(crate) fn place_in_file(&self) -> Option<u64> {
        match self {
            Self::Heap(..) | Self::Mapped(_) => None,
            Self::Shared(_, at) => Some(*at),
        }
    }

    /// Gives the memory of bytes back to the system, so that they are zero. False, and nothing has changed, if they are not whole
    /// pages of the system, or the system cannot do that.
    ///
    /// # Panics
    /// If the backing ends before the last of the bytes.
    #[cfg(all(target_os = "linux", not(miri)))]
    pub(crate) fn give_back(&self, bytes: &Range<usize>) -> bool {
        let (mapped, advice) = match self {
            Self::Heap(..) => return false,
            Self::Mapped(mapped) => (mapped, UncheckedAdvice::DontNeed),
            // Punches a hole into the file, whose length stays.
            Self::Shared(mapped, _) => (mapped, UncheckedAdvice::Remove),
        };
        assert!(bytes.start <= bytes.end && bytes.end <= mapped.len(), "bytes of the mapping");
        let page = rustix::param::page_size();
        // A mapping begins at a page.
        if !bytes.start.is_multiple_of(page) || !bytes.end.is_multiple_of(page) {
            return false;
        }
        // SAFETY: the system replaces whole pages of this mapping by pages of zeros: those of a private one, which has no
        // file, or those of the file of a shared one. So a load of a word finds its value or 0. It is as if every word
        // were stored 0, at some moment of the call. No reference assumes the bytes unchanged meanwhile: only atomics are
        // derived from them (see the head of `mapping`).
        unsafe { mapped.unchecked_advise_range(advice, bytes.start, bytes.len()) }.is_ok()
    }

    /// Elsewhere, and under Miri, memory stays.
    #[cfg(any(not(target_os = "linux"), miri))]
    pub(crate) fn give_back(&self, _: &Range<usize>) -> bool {
        false
    }

    /// The address of the first byte.
    pub(crate) fn first(&self) -> NonNull<u8> {
        match self {
            Self::Heap(first, _) => *first,
            Self::Mapped(mapped) | Self::Shared(mapped, _) => {
                NonNull::new(mapped.as_mut_ptr()).expect("nothing is mapped at address 0")
            }
        }
    }
}

impl Drop for Backing {
    fn drop(&mut self) {
        if let Self::Heap(first, layout) = self {
            // SAFETY: `heap` allocated it with this layout, and nothing else frees it.
            unsafe { dealloc(first.as_ptr(), *layout) }
        }
    }
}

/// Asks the system for huge pages, if `pages` says that and the memory has room for several of them.
fn ask_for(mapped: &MmapRaw, pages: Pages) {
    #[cfg(all(target_os = "linux", not(miri)))]
    if pages == Pages::Huge && mapped.len() >= HUGE {
        // A system without huge pages refuses, and gives usual ones.
        let _ = mapped.advise(memmap2::Advice::HugePage);
    }
    #[cfg(any(not(target_os = "linux"), miri))]
    let _ = (mapped, pages, HUGE);
}

/// Panics because the system gives no mapping of `bytes` bytes.
pub(crate) fn no_room(bytes: usize, error: &io::Error) -> ! {
    panic!("the system has no room for a mapping of {bytes} bytes: {error}")
}
