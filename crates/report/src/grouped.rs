//! Values by their keys, in the order in which the keys first come. This module must never know the meaning of a key.

use std::hash::Hash;

use indexmap::IndexMap;

/// The values of each key together.
pub(crate) fn grouped<K: Hash + Eq, V>(pairs: impl IntoIterator<Item = (K, V)>) -> IndexMap<K, Vec<V>> {
    let mut groups: IndexMap<K, Vec<V>> = IndexMap::new();
    for (key, value) in pairs {
        groups.entry(key).or_default().push(value);
    }
    groups
}
