//! The state of a seizure that its holder shares with servers that break in. This module must never know items.

use super::gate::AT_GATE;
use super::steps::Steps;
use crate::sync::{AtomicU64, UnsafeCell};
use crate::{Key, UserKey};

/// State of a seizure of a queue, shared by its holder and servers that break in.
#[derive(Debug)]
pub(super) struct Seat<K> {
    pub(super) steps: Steps,
    /// Number of the item during which a server broke in last. It is stored when the item's key is held on behalf of the seizure.
    pub(super) settled: AtomicU64,
    /// Index of the lane in which the key of the item `settled` is held, or `AT_GATE`.
    pub(super) place: AtomicU64,
    /// Key of the seizure's running item.
    pub(super) key: UnsafeCell<Key<K>>,
}

// SAFETY: the cell is written and read by one thread after another (see the head of `seizure`), and a key is `Send`.
unsafe impl<K: UserKey> Sync for Seat<K> {}

impl<K> Default for Seat<K> {
    fn default() -> Self {
        Self {
            steps: Steps::default(),
            settled: AtomicU64::new(0),
            place: AtomicU64::new(AT_GATE),
            key: UnsafeCell::new(Key::Sequential),
        }
    }
}
