//! Synchronization keys: the resources that an item's handler touches, and thus the items that must not overlap with
//! it.
//!
//! This module decides conflicts between keys and nothing else. It must never know the meaning of a key (a block
//! address, a row, a connection), nor which queue asks.

use std::fmt;
use std::hash::Hash;

use crate::spread::spread;

/// Requirements on a user key: it can be copied, compared and hashed. Every type with these traits is a user key.
///
/// Equal keys must feed a `Hasher` the same words. A type that breaks this rule, or whose equality contradicts itself, loses the
/// queue's exclusion and order, but no memory safety. A [`Keyed`](crate::Keyed) table hands out `&mut`, so it asks for a promise:
/// see [`Lawful`](crate::Lawful).
///
/// The queue compares and hashes keys inside its critical sections. `eq` and `hash` must be short, and must not use the queue. They
/// must not panic either: the panic goes on through the call, and the key of the item that was under way may stay taken for ever.
/// Later calls may then panic, or find nothing to run. Each item is still dropped exactly once, at the latest with the queue.
pub trait UserKey: Copy + Eq + Hash {}

impl<K: Copy + Eq + Hash> UserKey for K {}

/// Key of an item: the name of the data that the item's handler touches.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Key<K = u64> {
    /// A user key: names some data, such as an entry of a table. Items of equal user keys run one at a time, in arrival order.
    User(K),
    /// Every resource. The item runs alone: it starts after every older item is done, and before any younger one.
    Sequential,
    /// No resource that needs protection. Conflicts only with [`Key::Sequential`].
    NoSync,
}

impl<K: UserKey> Key<K> {
    /// Whether an item with key `self` and an item with key `other` must not overlap and must keep their arrival order.
    pub fn conflicts(self, other: Self) -> bool {
        match (self, other) {
            (Self::Sequential, _) | (_, Self::Sequential) => true,
            (Self::User(a), Self::User(b)) => a == b,
            _ => false,
        }
    }

    /// Returns the index, from 0 to `partitions` - 1, of the static partition that serves this key: 0 for all but user keys.
    ///
    /// A user key of one word `k` goes to `⌊partitions · frac(k / φ)⌋` (Fibonacci hashing). Keys that are multiples of a power
    /// of two, as addresses are, thereby spread evenly over all partitions, which `k % partitions` would not do. A key of several
    /// words is hashed word by word, as its `Hash` feeds them; so a key that feeds one word only has the partition of that word.
    ///
    /// # Panics
    ///
    /// If `partitions` is 0.
    pub fn partition(self, partitions: usize) -> usize {
        assert!(partitions > 0, "a key needs at least one partition to belong to");
        match self {
            // One partition is the common case; it should cost nothing.
            Self::User(key) if partitions > 1 => {
                let scaled = u128::from(spread(&key)) * partitions as u128;
                usize::try_from(scaled >> 64).expect("a fraction of a number fits that number's type")
            }
            _ => 0,
        }
    }
}

/// Shows a user key by its `Debug` implementation, with numbers in hexadecimal.
impl<K: fmt::Debug> fmt::Display for Key<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User(key) => write!(f, "{key:#x?}"),
            Self::Sequential => f.pad("SEQUENTIAL"),
            Self::NoSync => f.pad("NOSYNC"),
        }
    }
}
