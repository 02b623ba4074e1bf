//! The modelled addresses of the entries of a node's keyed tables.
//!
//! Tables lie one after the other in the order in which the installation makes them, which is the same on every node
//! and in every run. A sparse table, whose entries come into being when they are first reached, has an address range of
//! its own, in which an entry's number decides its address. This module must never know the content of an entry, nor
//! which processor reaches it.

use std::ops::Range;

use crate::data::address::{AddressRange, PAGE};

/// The size of the address range of a sparse table, in bytes.
const SPARSE_ROOM: u64 = 1 << 40;

/// The modelled address ranges of a node's keyed tables.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    /// The address ranges of the tables that have all their entries from the start.
    dense: Vec<Range<u64>>,
    /// The number of sparse tables that have an address range.
    sparse: u64,
    /// The size in bytes of the entries of the next table; `None` if the protocol has stated none.
    next_entry: Option<u64>,
}

/// The modelled address range of a keyed table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    first: u64,
    /// The number of entries for which the range has addresses.
    count: u64,
    /// The size of an entry in bytes.
    bytes: u64,
}

impl Tables {
    /// Sets the size in bytes of the entries of the next table.
    ///
    /// # Panics
    /// If the size is 0.
    pub(crate) fn state_entry(&mut self, bytes: u32) {
        assert!(bytes > 0, "entries of 0 bytes: expected at least 1");
        self.next_entry = Some(bytes.into());
    }

    /// Returns the size in bytes of an entry `T` of the next table: the stated size, or else the size of `T` in whole
    /// words of 8 bytes.
    fn take_entry<T>(&mut self) -> u64 {
        self.next_entry.take().unwrap_or_else(|| size_of::<T>().max(1).next_multiple_of(8) as u64)
    }

    /// Reserves the address range of a table with `len` entries of type `T`.
    pub(crate) fn add<T>(&mut self, len: usize) -> Room {
        let (bytes, count) = (self.take_entry::<T>(), len.max(1) as u64);
        let before = self.dense.last().map_or(AddressRange::Entries.first(), |table| table.end);
        let first = before.next_multiple_of(PAGE);
        self.dense.push(first..first + count * bytes);
        Room { first, count, bytes }
    }

    /// Reserves the address range of a sparse table, which has an entry of type `T` for every number.
    pub(crate) fn add_sparse<T>(&mut self) -> Room {
        let bytes = self.take_entry::<T>();
        self.sparse += 1;
        let first = AddressRange::Entries.end() - self.sparse * SPARSE_ROOM;
        Room { first, count: SPARSE_ROOM / bytes, bytes }
    }

    /// The address ranges of the tables that have all their entries from the start, in the order in which the
    /// installation made the tables.
    pub(crate) fn dense(&self) -> &[Range<u64>] {
        &self.dense
    }
}

impl Room {
    /// The modelled address of the entry `number`, and the size of an entry in bytes. In a sparse table, numbers that
    /// differ by a multiple of `count` share an address.
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
