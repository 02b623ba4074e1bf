//! Tables of a protocol's state, whose entries are reached by holding their keys.
//!
//! This module must never know which part dispatches.

use std::fmt;

use pdq::DispatcherId;

use crate::Key;
use crate::data::tables::Room;
use crate::plain::key::{DispatchKey, Proof};
use crate::plain::key::{Group, Name, Space};

/// A table with one `T` for each number of a protocol's [space](Space), or for each block of shared memory.
///
/// A handler or a hold reaches the entry whose key it holds ([`Handler::with`](crate::Handler::with)): `&mut T`, without a lock.
/// A table belongs to one node and to one protocol instance. A key of another instance does not open it, even if the number
/// is the same. The methods of [`Setup`](crate::Setup) whose names begin with `keyed` make tables.
pub struct Keyed<T> {
    group: Group,
    entries: pdq::Keyed<T, Name>,
    /// The modelled place of the entries.
    room: Room,
}

impl<T> Keyed<T> {
    /// Makes a table with an entry for each of the first `len` numbers of a group.
    pub(crate) fn dense(
        dispatcher: DispatcherId,
        group: Group,
        (len, room): (usize, Room),
        mut init: impl FnMut(u64) -> T,
    ) -> Self {
        let entries = pdq::Keyed::dense(dispatcher, group.name(0), len, |name: Name| init(name.number()));
        Self { group, entries, room }
    }

    /// Makes a table with entries for the first `len` numbers of a group, which come and go `each` at a time. Those for whose
    /// first number `is_open` returns true are there from the start.
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

    /// Makes a table whose entries come into being when they are first reached.
    pub(crate) fn sparse(
        dispatcher: DispatcherId,
        (space, room): (Space, Room),
        init: impl Fn(u64) -> T + Send + Sync + 'static,
    ) -> Self {
        let group = Group::of(space);
        // An entry under the key of another instance would never be reached under its own.
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

    /// The key of an entry: that of a number, or of a block by its index.
    #[inline]
    pub fn key(&self, number: u64) -> Key {
        Key::from_resolved(pdq::Key::User(self.group.name(number)))
    }

    /// Prefetches the first cache line of an entry, for a handler that will reach it a little later. Does
    /// nothing if the table has no such entry, or is sparse.
    #[inline]
    pub fn prefetch(&self, number: u64) {
        self.entries.prefetch(self.group.name(number));
    }

    /// The modelled address of the entry whose key is held, and its size; `None` if the key has no entry in the table.
    pub(crate) fn place(&self, key: DispatchKey) -> Option<(u64, u64)> {
        let DispatchKey::User(name) = key else { return None };
        name.is_of(self.group).then(|| self.room.of(name.number()))
    }

    /// The modelled address of the entry of any number, and its size.
    pub(crate) fn place_of(&self, number: u64) -> (u64, u64) {
        self.room.of(number)
    }

    /// The entry whose key is held.
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

    /// The entry of any number, under a sequential proof.
    pub(crate) fn get_any<'t>(&'t self, proof: &'t mut Proof<'_>, number: u64) -> &'t mut T {
        self.entries.get_any(proof, self.group.name(number))
    }

    /// Whether the number whose key is held has an entry.
    pub(crate) fn has_entry(&self, proof: &Proof<'_>) -> bool {
        self.entries.has_entry(proof)
    }

    /// Whether a number has an entry, under a sequential proof.
    pub(crate) fn has_any(&self, proof: &Proof<'_>, number: u64) -> bool {
        self.entries.has_any(proof, self.group.name(number))
    }

    /// Makes or drops the entries of a number's group, under a sequential proof.
    pub(crate) fn set_open(&self, proof: &mut Proof<'_>, number: u64, open: bool) {
        let name = self.group.name(number);
        if open { self.entries.open_group(proof, name) } else { self.entries.close_group(proof, name) }
    }

    /// All entries that exist, in ascending order of their numbers, under a sequential proof.
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
