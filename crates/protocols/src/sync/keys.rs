//! The keys of synchronization: one for each kind, far from the small numbers that programs use and from those of blocks.

use tempest::Key;

const FIRST: u64 = 1 << 63;

/// How far a node is in a dissemination barrier.
pub(super) const DISSEMINATION: Key = Key::User(FIRST);

/// How far a node is in a collective along the tree.
pub(super) const COLLECTIVES: Key = Key::User(FIRST + 1);

/// Who has come to a barrier through shared memory.
pub(super) const SHARED_BARRIER: Key = Key::User(FIRST + 2);

/// Which thread of a node has a lock. Two arrays of locks share these keys, which only makes them wait for each other's
/// bookkeeping.
pub(super) const fn lock(index: u32) -> Key {
    Key::User(FIRST | 1 << 32 | index as u64)
}
