//! Tables of a protocol's state. Code reaches an entry only while it holds the entry's key.
//!
//! This module must never know how a node dispatches events.

use std::fmt;

use pdq::DispatcherId;

use crate::Key;
use crate::data::tables::Room;
use crate::plain::key::{DispatchKey, Proof};
use crate::plain::key::{Group, Name, Space};

/// A table with one entry of type `T` for each number of a protocol's [key space](Space), or for each block of shared
/// memory.
///
/// A handler, or a thread in [`hold`](crate::Thread::hold), gets `&mut T` without a lock for the entry whose key it
/// holds ([`Handler::with`](crate::Handler::with)). A table belongs to one node and one protocol instance; a key of
/// another instance does not open it, even if the number is equal. Methods of [`Setup`](crate::Setup) whose names begin
/// with `keyed` make tables.
pub struct Keyed<T> {
    group: Group,
    entries: pdq::Keyed<T, Name>,
    /// The range of modelled addresses of the entries.
    room: Room,
}

impl<T> Keyed<T> {
    /// Makes a table indexed by key, with an entry for each key number from 0 to `len` - 1 of `group`, a key space of
    /// one protocol instance or the blocks of a shared memory. `init` makes the entry of a number; `room` is the
    /// entries' range of modelled addresses.
    pub(crate) fn dense(
        dispatcher: DispatcherId,
        group: Group,
        (len, room): (usize, Room),
        mut init: impl FnMut(u64) -> T,
    ) -> Self {
        let entries = pdq::Keyed::dense(dispatcher, group.name(0), len, |name: Name| init(name.number()));
        Self { group, entries, room }
    }

    /// Makes a table for the key numbers from 0 to `len` - 1 of `group`. Handlers make and drop its entries in runs of
    /// `each` consecutive numbers. A run has entries from the start if `is_open` returns true for its first number;
    /// `init` makes the entry of a number.
    pub(crate) fn grouped(
        dispatcher: DispatcherId,
        group: Group,
        (len, room): (usize, Room),
        each: usize,
        init: impl Fn(u64) -> T + Send + Sync + 'static,
        mut is_open: impl FnMut(u64) -> bool,
    ) -> Self {
        let init = move |name: Name| init(name.number());
        let is_open = |name: Name| is_open(name.number());
        let entries = pdq::Keyed::grouped(dispatcher, group.name(0), len, each, init, is_open);
        Self { group, entries, room }
    }

    /// Makes a table for every key number of `space`. `init` makes the entry of a number when code first reaches it.
    pub(crate) fn sparse(
        dispatcher: DispatcherId,
        (space, room): (Space, Room),
        init: impl Fn(u64) -> T + Send + Sync + 'static,
    ) -> Self {
        let group = Group::of(space);
        // Without this check, an entry under a key of another instance would be made and never reached again.
        let entries = pdq::Keyed::sparse(dispatcher, move |name: Name| {
            assert!(
                name.is_of(group),
                "key {name:?} is outside the table: it has keys like {:?}",
                group.name(0)
            );
            init(name.number())
        });
        Self { group, entries, room }
    }

    /// Returns the key of entry `number`; in a table of blocks of shared memory, the key of block `number`.
    #[inline]
    pub fn key(&self, number: u64) -> Key {
        Key::from_resolved(pdq::Key::User(self.group.name(number)))
    }

    /// Prefetches the first cache line of entry `number` into the host's cache, for a handler that will reach the entry
    /// soon. Does nothing if the table has no such entry, or makes entries on first use.
    #[inline]
    pub fn prefetch(&self, number: u64) {
        self.entries.prefetch(self.group.name(number));
    }

    /// The modelled address and size in bytes of the entry of `key`; `None` if the key has no entry in the table.
    pub(crate) fn place(&self, key: DispatchKey) -> Option<(u64, u64)> {
        let DispatchKey::User(name) = key else { return None };
        name.is_of(self.group).then(|| self.room.of(name.number()))
    }

    /// The modelled address and size in bytes of the entry `number`.
    pub(crate) fn place_of(&self, number: u64) -> (u64, u64) {
        self.room.of(number)
    }

    /// Returns the entry of the key that `proof` shows to be held.
    ///
    /// # Panics
    /// If no key is held, or a key without an entry in the table.
    #[inline]
    pub(crate) fn get<'t>(&'t self, proof: &'t mut Proof<'_>) -> &'t mut T {
        assert!(
            proof.key() != DispatchKey::NoSync,
            "a message without a key reaches no entry of a `Keyed` table: expected `#[message(key = …)]`"
        );
        self.entries.get(proof)
    }

    /// Returns the entry `number`. `proof` must be of the sequential key: nothing else runs on the node.
    pub(crate) fn get_any<'t>(&'t self, proof: &'t mut Proof<'_>, number: u64) -> &'t mut T {
        self.entries.get_any(proof, self.group.name(number))
    }

    /// Whether the key that `proof` shows to be held has an entry in the table.
    pub(crate) fn has_entry(&self, proof: &Proof<'_>) -> bool {
        self.entries.has_entry(proof)
    }

    /// Whether the table has an entry `number`. `proof` must be of the sequential key: nothing else runs on the node.
    pub(crate) fn has_any(&self, proof: &Proof<'_>, number: u64) -> bool {
        self.entries.has_any(proof, self.group.name(number))
    }

    /// Makes the run of entries to which the entry `number` belongs, if `open` is true; otherwise drops this run.
    /// `proof` must be of the sequential key: nothing else runs on the node.
    pub(crate) fn set_open(&self, proof: &mut Proof<'_>, number: u64, open: bool) {
        let name = self.group.name(number);
        if open { self.entries.open_group(proof, name) } else { self.entries.close_group(proof, name) }
    }

    /// Returns all entries that exist, in ascending order of their numbers. `proof` must be of the sequential key:
    /// nothing else runs on the node.
    pub(crate) fn entries<'t>(&'t self, proof: &'t mut Proof<'_>) -> impl Iterator<Item = (u64, &'t mut T)> {
        self.entries.entries(proof).map(|(name, entry)| (name.number(), entry))
    }
}

impl<T> fmt::Debug for Keyed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The entries belong to the holders of their keys and cannot be shown.
        f.debug_struct("Keyed").field("first", &self.group.name(0)).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::tables::Tables;
    use crate::plain::key::Serial;

    const ONE: Space = Space::PROGRAM;

    fn two() -> Space {
        Space::of_protocol(2)
    }

    fn table_of_one(serial: &Serial) -> [Keyed<u64>; 2] {
        let mut tables = Tables::default();
        let dense = Keyed::dense(serial.id(), Group::of(ONE), (8, tables.add::<u64>(8)), |number| number);
        [dense, Keyed::sparse(serial.id(), (ONE, tables.add_sparse::<u64>()), |number| number)]
    }

    #[test]
    fn an_entry_is_reached_under_its_own_key() {
        let mut serial = Serial::with_keys(DispatcherId::fresh());
        for table in table_of_one(&serial) {
            assert_eq!(table.key(5), ONE.key(5));
            assert_eq!(*table.get(&mut serial.hold(table.key(5).resolve(two()))), 5);
            assert_eq!(*table.get(&mut serial.hold(Key::User(6).resolve(ONE))), 6);
        }
    }

    #[test]
    fn a_key_of_another_instance_reaches_nothing() {
        let mut serial = Serial::with_keys(DispatcherId::fresh());
        for table in table_of_one(&serial) {
            for (key, name) in [(Key::User(5), "0x5 of protocol 2"), (Key::Block(crate::Block(5)), "block 5")]
            {
                let get = || _ = table.get(&mut serial.hold(key.resolve(two())));
                let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(get)).unwrap_err();
                let text: &String = panic.downcast_ref().expect("a panic with a message");
                assert!(text.starts_with(&format!("key {name} is outside the table: it has ")), "{text}");
            }
        }
    }
}
