//! Commands to an interface with a staging buffer: a transfer or a deposit, and the memory at either end of it by its addresses.
//!
//! This module must never know lines, blocks or packets.

use std::rc::Rc;

/// Stretches of memory that a transfer reads or writes one after the other: the address and the number of bytes of each. Bytes are known
/// by their offset in the transfer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Stretches(Rc<[(u64, u64)]>);

impl FromIterator<(u64, u64)> for Stretches {
    fn from_iter<I: IntoIterator<Item = (u64, u64)>>(all: I) -> Self {
        Self(all.into_iter().collect())
    }
}

impl Stretches {
    /// The stretches that hold `bytes` bytes from an offset on, each as far as it holds some of them.
    pub(super) fn of(&self, offset: u64, bytes: u64) -> impl Iterator<Item = (u64, u64)> {
        let (mut before, end) = (0, offset + bytes);
        self.0.iter().filter_map(move |&(address, len)| {
            let first = before;
            before += len;
            let (from, to) = (offset.max(first), end.min(before));
            (from < to).then(|| (address + from - first, to - from))
        })
    }

    /// The number of the stretch that has a byte, from 0; `None` if none has.
    pub(super) fn number_at(&self, offset: u64) -> Option<usize> {
        let mut end = 0;
        self.0.iter().position(|&(_, len)| {
            end += len;
            offset < end
        })
    }

    /// The address of a byte, and the number of bytes from there to the end of its stretch. Behind the last byte: the
    /// end of the last stretch, and 0.
    pub(super) fn at(&self, offset: u64) -> (u64, u64) {
        let behind = self.0.last().map_or((0, 0), |&(address, len)| (address + len, 0));
        self.of(offset, u64::MAX - offset).next().unwrap_or(behind)
    }
}

/// The words of a command at its source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// They lie in segments, at these addresses.
    Segments(Stretches),
    /// They lie in memory, in no segment.
    Elsewhere,
    /// A processor has written them into the interface, with the command.
    Command,
}

/// A transfer or a deposit, as a command to an interface.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Command {
    /// The flight that is delivered when the transfer is in place.
    pub(crate) flight: u32,
    /// The number of the flow, which orders it among all flows of its source.
    pub(crate) number: u64,
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) source: Source,
    /// The words' places at the destination.
    pub(crate) target: Stretches,
    /// For each stretch at the destination the line of its receive slot there.
    pub(crate) slots: Rc<[u64]>,
    pub(crate) bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_of_a_transfer_has_an_address_and_a_stretch() {
        let list: Stretches = [(0, 24), (4096, 80)].into_iter().collect();
        assert_eq!(list.of(16, 16).collect::<Vec<_>>(), [(16, 8), (4096, 8)]);
        assert_eq!((list.at(24), list.at(104)), ((4096, 80), (4176, 0)));
        assert_eq!([0, 23, 24, 104].map(|byte| list.number_at(byte)), [Some(0), Some(0), Some(1), None]);
    }
}
