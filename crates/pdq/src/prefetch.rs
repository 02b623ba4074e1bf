//! Hints to the host's memory. A hint changes nothing that a program can see.
//!
//! This module must never know the meaning of the prefetched values.

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
