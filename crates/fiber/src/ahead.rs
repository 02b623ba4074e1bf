//! Prefetching of any value into the host's caches, for a simulator: it changes nothing that a program can see.
//!
//! This module must never know the meaning of a value.

/// The bytes of a cache line.
const LINE: usize = 64;

/// Asks for the cache lines of a value ahead of their use, so that several are under way at a time. It is worth while for a program
/// that knows some time ahead which values it will touch, and has more of them than fit the near caches.
///
/// ```
/// let far = vec![7_u64; 100];
/// tradewind_fiber::prefetch_value(&far[..]);
/// assert_eq!(far[99], 7);
/// ```
#[inline]
pub fn prefetch_value<T: ?Sized>(value: &T) {
    let start = std::ptr::from_ref(value).cast::<u8>();
    let bytes = size_of_val(value) + start.addr() % LINE;
    (0..bytes.div_ceil(LINE)).for_each(|line| line_at(start.wrapping_add(line * LINE)));
}

/// Asks for the line at `at` ahead of reading it.
#[inline]
fn line_at(at: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch is no access, whatever the address: it changes no visible state and never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) };
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = at;
}
