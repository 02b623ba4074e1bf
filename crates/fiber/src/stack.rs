//! Stacks, cut from large mappings, each above a guard page of its own.
//!
//! A *slab* is one mapping with room for [`SLAB_STACKS`] slots. A slot is, from its lowest address up: a guard page,
//! the usable bytes, and up to a page by which its stack begins lower than its neighbour's (its *colour*):
//!
//! ```text
//! limit                                        base     end of the slot
//! | guard | <- usable, grows down ------------- | colour |
//! ```
//!
//! *Guards.* Linux from 6.13 on marks a page as a guard in the page tables (`MADV_GUARD_INSTALL`), and the slab stays one
//! mapping, however many stacks it has. Where that is refused, a page loses its access rights, which splits the mapping: two
//! mappings for each stack, of which Linux by default grants a process 65 530 (`vm.max_map_count`).
//!
//! *Colours.* A scheduler of many fibers touches the top few lines of every stack. If all tops were equally far from
//! the beginning of a page, these lines would compete for a few sets of the cache. A stack that begins low in its page
//! makes even a small fiber reach into the next page. For very many fibers the colours are therefore spread over less
//! than a page.
//!
//! This module must never know what runs on a stack.

use std::ffi::{c_int, c_void};
use std::io;
use std::ops::Range;
use std::ptr::{self, NonNull};

use corosensei::stack::valgrind::ValgrindStackRegistration;
use corosensei::stack::{self, MIN_STACK_SIZE, StackPointer};

/// Stacks of one mapping. They cost address space, and nothing else before they are touched.
const SLAB_STACKS: usize = 64;

/// The flag of a mapping that takes no memory before it is touched: FreeBSD has none, and never takes any.
#[cfg(not(target_os = "freebsd"))]
pub(crate) const NO_RESERVE: c_int = libc::MAP_NORESERVE;
#[cfg(target_os = "freebsd")]
pub(crate) const NO_RESERVE: c_int = 0;

/// The flag of a mapping for stacks, where it has no other effect: on FreeBSD a mapping with this flag grows by itself, and macOS has none.
#[cfg(target_os = "linux")]
const FOR_STACKS: c_int = libc::MAP_STACK;
#[cfg(not(target_os = "linux"))]
const FOR_STACKS: c_int = 0;

/// Bytes of a line of the cache, at least: by multiples of it stacks differ in colour.
const LINE: usize = 64;

/// Lines from one colour to the next: odd, so that all multiples of [`LINE`] within a page come up, and neighbours are
/// further apart than the lines that a suspended fiber has in use.
const COLOUR_LINES: usize = 9;

/// A slot of a slab. Its holder must not keep it longer than the slab.
pub(crate) struct Stack {
    base: StackPointer,
    limit: StackPointer,
    /// Bytes of a page, and so of the guard.
    page: usize,
    /// Tells valgrind, where that runs.
    _registration: ValgrindStackRegistration,
}

// SAFETY: the lowest page between `limit` and `base` is a guard (`Slab::cut` makes it one or gives no stack out), and above it
// are at least `MIN_STACK_SIZE` bytes that nothing else uses: slots do not overlap and each is cut once. Both ends are
// multiples of a page or of a line, hence of 16. That the slab lives as long is up to `Shared` in `pool.rs`.
unsafe impl stack::Stack for Stack {
    #[inline]
    fn base(&self) -> StackPointer {
        self.base
    }

    #[inline]
    fn limit(&self) -> StackPointer {
        self.limit
    }
}

/// Extent of a stack: addresses only.
#[derive(Clone, Copy)]
pub(crate) struct Extent {
    limit: usize,
    /// The lowest address that may be touched.
    lowest: usize,
    base: usize,
}

impl Stack {
    /// Extent of this stack.
    pub(crate) fn extent(&self) -> Extent {
        let limit = self.limit.get();
        Extent { limit, lowest: limit + self.page, base: self.base.get() }
    }
}

impl Extent {
    /// The addresses of its guard.
    pub(crate) fn guard(&self) -> Range<usize> {
        self.limit..self.lowest
    }

    /// The lowest address that may be touched.
    #[inline]
    pub(crate) fn lowest(&self) -> usize {
        self.lowest
    }

    /// Usable bytes, in whole pages. The rest of the slot is a page less the colour.
    pub(crate) fn bytes(&self) -> usize {
        let page = self.lowest - self.limit;
        (self.base - self.lowest - 1) / page * page
    }
}

/// One mapping. Dropping it unmaps the stacks cut from it.
pub(crate) struct Slab {
    start: NonNull<c_void>,
    page: usize,
    /// Bytes of a slot.
    slot: usize,
    /// Bytes over which the colours are spread, at most a page.
    spread: usize,
    /// Number of slots handed out.
    cut: usize,
}

impl Slab {
    /// Maps room for stacks of at least `stack_bytes`, whose colours are spread over `spread` bytes: a power of two, of which
    /// at least a line and at most a page counts.
    ///
    /// # Errors
    /// The system's, when it will not.
    pub(crate) fn map(stack_bytes: usize, spread: usize) -> io::Result<Slab> {
        let page = page_bytes();
        let usable = stack_bytes.max(MIN_STACK_SIZE).checked_next_multiple_of(page);
        // A page for the guard, one for the colours.
        let slot = usable.and_then(|usable| usable.checked_add(2 * page));
        let bytes = slot.and_then(|slot| slot.checked_mul(SLAB_STACKS));
        let (Some(slot), Some(bytes)) = (slot, bytes) else { return Err(io::ErrorKind::OutOfMemory.into()) };
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | NO_RESERVE | FOR_STACKS;
        // SAFETY: a new mapping at an address of the system's choice; nothing of ours lies there.
        let start =
            unsafe { libc::mmap(ptr::null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        let start = match NonNull::new(start) {
            Some(start) if start.as_ptr() != libc::MAP_FAILED => start,
            _ => return Err(io::Error::last_os_error()),
        };
        let slab = Slab { start, page, slot, spread: spread.clamp(LINE, page), cut: 0 };
        slab.refuse_huge_pages();
        Ok(slab)
    }

    /// The next slot, or `None` when all are cut.
    ///
    /// # Errors
    /// The system's, when it makes no guard.
    pub(crate) fn cut(&mut self, nth: usize) -> io::Result<Option<Stack>> {
        if self.cut == SLAB_STACKS {
            return Ok(None);
        }
        // SAFETY: slot `cut` lies within the mapping, which `map` made of `SLAB_STACKS` slots.
        let low = unsafe { self.start.byte_add(self.cut * self.slot) };
        guard(low, self.page)?;
        self.cut += 1;
        let colour = nth * COLOUR_LINES * LINE % self.spread;
        let end = low.addr().checked_add(self.slot - colour).expect("a mapping ends below the last address");
        let _registration = ValgrindStackRegistration::new(low.as_ptr().cast(), self.slot - colour);
        Ok(Some(Stack { base: end, limit: low.addr(), page: self.page, _registration }))
    }

    /// Refuses huge pages: one touched page would bring in a whole huge page, most of it unused.
    fn refuse_huge_pages(&self) {
        #[cfg(target_os = "linux")]
        // SAFETY: advice on the whole of a mapping that is ours and not in use yet. If it is refused, nothing changes.
        unsafe {
            libc::madvise(self.start.as_ptr(), self.slot * SLAB_STACKS, libc::MADV_NOHUGEPAGE);
        }
    }
}

impl Drop for Slab {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and no stack of it is in use: see `Shared` in `pool.rs`.
        unsafe { libc::munmap(self.start.as_ptr(), self.slot * SLAB_STACKS) };
    }
}

/// Takes the page at `low` all access: touching it kills the process (`overflow.rs` says first whose stack it was).
fn guard(low: NonNull<c_void>, page: usize) -> io::Result<()> {
    if is_marked_guard(low, page) {
        return Ok(());
    }
    // SAFETY: a page of a slot, not in use yet, of a mapping of ours.
    match unsafe { libc::mprotect(low.as_ptr(), page, libc::PROT_NONE) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Whether the system has marked the page at `low` as a guard in its tables.
#[cfg(target_os = "linux")]
fn is_marked_guard(low: NonNull<c_void>, page: usize) -> bool {
    /// From `linux/mman.h`; kernels that do not know it refuse it and change nothing.
    const MADV_GUARD_INSTALL: i32 = 102;
    // SAFETY: as `guard` says of the page.
    unsafe { libc::madvise(low.as_ptr(), page, MADV_GUARD_INSTALL) == 0 }
}

#[cfg(not(target_os = "linux"))]
fn is_marked_guard(_: NonNull<c_void>, _: usize) -> bool {
    false
}

/// Bytes of a page of the system's.
pub(crate) fn page_bytes() -> usize {
    // SAFETY: asks the system for a constant.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(bytes).expect("a page has a size")
}
