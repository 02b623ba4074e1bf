//! The modelled addresses of the entries of a node's tables.
//!
//! Tables lie one after the other in the order in which the installation makes them, which is the same on every node and in every
//! run. A table whose entries come into being when they are reached has a room of its own, in which an entry's number decides its
//! place. This module must never know the content of an entry, nor which processor reaches it.

use std::ops::Range;

use crate::data::address::{AddressRange, PAGE};

/// The size of the room of a sparse table.
const SPARSE_ROOM: u64 = 1 << 40;

/// The places of a node's tables.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    /// The places of the tables that have all their entries from the start.
    dense: Vec<Range<u64>>,
    /// The number of sparse tables.
    sparse: u64,
    /// The size of the entries of the table that is made next, if it has been stated.
    next_entry: Option<u64>,
}

/// The place of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    first: u64,
    /// The number of places of entries.
    count: u64,
    /// The size of an entry.
    bytes: u64,
}

impl Tables {
    /// States the size of the entries of the table that is made next.
    pub(crate) fn state_entry(&mut self, bytes: u32) {
        assert!(bytes > 0, "entries of 0 bytes: expected at least 1");
        self.next_entry = Some(bytes.into());
    }

    /// The size of the entries `T` of the table that is made now: whole words, unless the size has been stated.
    fn take_entry<T>(&mut self) -> u64 {
        self.next_entry.take().unwrap_or_else(|| size_of::<T>().max(1).next_multiple_of(8) as u64)
    }

    /// The place of a table with `len` entries `T`.
    pub(crate) fn add<T>(&mut self, len: usize) -> Room {
        let (bytes, count) = (self.take_entry::<T>(), len.max(1) as u64);
        let before = self.dense.last().map_or(AddressRange::Entries.first(), |table| table.end);
        let first = before.next_multiple_of(PAGE);
        self.dense.push(first..first + count * bytes);
        Room { first, count, bytes }
    }

    /// The place of a table with an entry `T` for every number.
    pub(crate) fn add_sparse<T>(&mut self) -> Room {
        let bytes = self.take_entry::<T>();
        self.sparse += 1;
        let first = AddressRange::Entries.end() - self.sparse * SPARSE_ROOM;
        Room { first, count: SPARSE_ROOM / bytes, bytes }
    }

    /// The places of the tables that have all their entries from the start, in the order in which they were made.
    pub(crate) fn dense(&self) -> &[Range<u64>] {
        &self.dense
    }
}

impl Room {
    /// The address of the entry of a number, and its size. Numbers that a sparse table has no separate room for share places.
    pub(crate) fn of(&self, number: u64) -> (u64, u64) {
        (self.first + number % self.count * self.bytes, self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_lie_apart_and_entries_one_after_the_other() {
        let mut tables = Tables::default();
        let words = tables.add::<u64>(1000);
        tables.state_entry(16);
        let [records, bytes] = [tables.add::<u64>(3), tables.add::<u8>(0)];
        let sparse = [tables.add_sparse::<[u32; 3]>(), tables.add_sparse::<u64>()];
        let first = AddressRange::Entries.first();
        assert_eq!((words.of(0), words.of(999)), ((first, 8), (first + 7992, 8)));
        assert_eq!((records.of(2), bytes.of(0)), ((first + 2 * PAGE + 32, 16), (first + 3 * PAGE, 8)));
        assert_eq!(tables.dense().len(), 3);
        assert!(tables.dense().is_sorted_by(|one, next| one.end <= next.start));
        for table in sparse {
            let (address, size) = table.of(u64::MAX);
            assert_eq!(AddressRange::of(address + size - 1), AddressRange::Entries);
            assert!(address > tables.dense()[2].end);
        }
        assert_eq!(sparse[0].of(5).0 - sparse[0].of(3).0, 32, "the room of an entry is in whole words");
        assert!(sparse[0].of(0).0 - sparse[1].of(0).0 == SPARSE_ROOM);
    }

    #[test]
    #[should_panic = "entries of 0 bytes: expected at least 1"]
    fn entries_have_a_size() {
        Tables::default().state_entry(0);
    }
}
