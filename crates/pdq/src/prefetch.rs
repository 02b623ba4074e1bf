//! Hints to the host's memory. A hint changes nothing that a program can see.
//!
//! This module must never know the meaning of the prefetched values.

/// Number of bytes of a cache line.
const LINE: usize = 64;

/// Prefetches the cache lines of `value`, so that several are under way at a time. It pays for a program that knows some time
/// ahead which values it will touch, and has more of them than fit the near caches.
///
/// ```
/// let far = vec![7_u64; 100];
/// tradewind_pdq::prefetch(&far[..]);
/// assert_eq!(far[99], 7);
/// ```
#[inline]
pub fn prefetch<T: ?Sized>(value: &T) {
    let start = std::ptr::from_ref(value).cast::<u8>();
    let bytes = size_of_val(value) + start.addr() % LINE;
    (0..bytes.div_ceil(LINE)).for_each(|line| line_at(start.wrapping_add(line * LINE)));
}

/// Prefetches the cache line at address `at` for a read.
#[inline]
pub(crate) fn line_at<T>(at: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing that a program can see and writes nothing, whatever the address: it is no access,
        // so it races with none. SSE, which has it, belongs to x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) };
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = at;
}
