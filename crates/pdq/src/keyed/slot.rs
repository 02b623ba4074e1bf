//! The memory of an entry that threads share, and the keys of a row of entries. This module must never know proofs.

use crate::Lawful;
use crate::sync::UnsafeCell;

/// Memory of an entry, or of a group of entries. The head of `keyed` says why threads may share it.
pub(super) struct Slot<T>(pub(super) UnsafeCell<T>);

// SAFETY: through a shared `Slot` an entry is reached only by `Keyed::reach`, one reference at a time and each
// ordered after the one before (see the head of `keyed`), and a group only by `Grouped::group`. So the `T` is used
// by one thread after another, which `T: Send` allows.
unsafe impl<T: Send> Sync for Slot<T> {}

pub(super) fn expect_keys<K: Lawful>(first: K, len: usize) {
    assert!(
        len == 0 || first.forward(len - 1).is_some(),
        "{len} keys from {first:#x?} up exceed the range of a key"
    );
}

pub(super) fn nth<K: Lawful>(first: K, at: usize) -> K {
    first.forward(at).expect("a dense table ends at a key that there is")
}
