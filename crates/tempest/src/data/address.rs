//! The map of a node's modelled addresses: the range of each kind of memory, and the addresses of objects in a range.
//!
//! Addresses belong to one node, and no two objects of a node share one. They are the same in every run of the
//! same program: no address comes from the host, and none depends on the order in which threads or handlers ask for
//! memory. A segment, a word of shared memory and an entry of a table have addresses that follow from their numbers.
//! An object with a name instead of a number begins at a page that follows from the name. This module must never know
//! caches, or which processor accesses an address.

use crate::plain::random::mix;

/// The number of bytes of a page: the unit in which a range places its contents.
pub(crate) const PAGE: u64 = 4096;

/// The number of address bits of a range. `Segments` and `Shared` divide one such range between them.
const BITS: u32 = 58;

/// A kind of memory of a node, with its own range of addresses in a simulation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AddressRange {
    /// Segments, one after the other in the order of their numbers. The first page holds none, so that no address is 0.
    Segments,
    /// The node's copy of shared memory.
    Shared,
    /// Private arrays, each of which one thread alone accesses.
    Private,
    /// The entries of [`Keyed`](crate::Keyed) tables, which hold the state of protocols.
    Entries,
    /// The runtime's data for dispatching events to processors.
    Dispatch,
    /// The tables of the network interface, and outgoing words that lie in no other range.
    Interface,
}

impl AddressRange {
    /// All ranges, in ascending order of their addresses.
    pub const ALL: [Self; 6] =
        [Self::Segments, Self::Shared, Self::Private, Self::Entries, Self::Dispatch, Self::Interface];

    /// The lowest address of this range.
    pub const fn first(self) -> u64 {
        match self {
            Self::Segments => 0,
            Self::Shared => 1 << 40,
            Self::Private => 1 << BITS,
            Self::Entries => 2 << BITS,
            Self::Dispatch => 3 << BITS,
            Self::Interface => 4 << BITS,
        }
    }

    /// The address behind the last address of this range.
    pub(crate) const fn end(self) -> u64 {
        match self {
            Self::Segments => Self::Shared.first(),
            Self::Shared => Self::Private.first(),
            Self::Private => Self::Entries.first(),
            Self::Entries => Self::Dispatch.first(),
            Self::Dispatch => Self::Interface.first(),
            Self::Interface => 5 << BITS,
        }
    }

    /// Returns the range that contains `address`.
    #[inline]
    pub const fn of(address: u64) -> Self {
        match address >> BITS {
            0 if address < Self::Shared.first() => Self::Segments,
            0 => Self::Shared,
            1 => Self::Private,
            2 => Self::Entries,
            3 => Self::Dispatch,
            _ => Self::Interface,
        }
    }

    /// Returns the address of the page in this range that a hash of `name` and `number` selects, the same in every run.
    /// Two different pairs get the same page, or pages less than a gigabyte apart, with a probability of about 2^-26.
    pub fn page_named(self, name: &str, number: u64) -> u64 {
        // FNV-1a: equal on every host.
        let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        self.page_of(mix(number).wrapping_add(name.bytes().fold(0xcbf2_9ce4_8422_2325, hash)))
    }

    /// Returns the address of the page in this range that a hash of `seed` selects, the same in every run. Two
    /// different seeds get the same page, or pages less than a gigabyte apart, with a probability of about 2^-26.
    pub fn page_of(self, seed: u64) -> u64 {
        // The upper half of the range stays free, so that nothing reaches beyond the range.
        self.first() + (mix(seed) >> (u64::BITS - BITS + 1)) / PAGE * PAGE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_follow_one_another_and_know_their_addresses() {
        let firsts = AddressRange::ALL.map(AddressRange::first);
        assert!(firsts.is_sorted());
        for (at, range) in AddressRange::ALL.into_iter().enumerate() {
            let last = range.end() - 1;
            assert!(firsts.get(at + 1).is_none_or(|next| *next == range.end()));
            assert_eq!([range.first(), last].map(AddressRange::of), [range; 2]);
            // A cache keeps the number of a line beside five other bits.
            assert!(last >> (u64::BITS - 2) == 0);
        }
    }

    #[test]
    fn a_page_lies_in_its_range_and_follows_from_its_seed() {
        for seed in (0..1000).chain([u64::MAX]) {
            let page = AddressRange::Private.page_of(seed);
            assert_eq!((AddressRange::of(page), page % PAGE), (AddressRange::Private, 0));
            assert_eq!(page, AddressRange::Private.page_of(seed));
        }
        let mut colours: Vec<u64> =
            (0..4000).map(|seed| AddressRange::Entries.page_of(seed) / PAGE % 64).collect();
        colours.sort_unstable();
        let most = colours.chunk_by(|a, b| a == b).map(<[u64]>::len).max();
        // 62.5 on average, with a standard deviation of 7.8.
        assert!(most < Some(100), "pages gather at one place of a cache of 64 pages: {most:?}");
    }
}
