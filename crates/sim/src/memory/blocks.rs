//! The places of blocks of shared memory, the work of a handler on a block, and the lines that a device has yet to
//! write.
//!
//! This module must never know a protocol, nor which processor works on a block.

use std::ops::Range;

use hardware::Divisor;
use hardware::memory::NodeMemory;
use machine::{Cost, Machine};
use tempest::world::Node as Waist;
use tempest::{Block, Primitive};
use units::Time;

/// The places of the blocks of shared memory in a node's modelled addresses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks {
    base: u64,
    /// The bytes of a block.
    bytes: Divisor,
    /// The bytes of a line.
    line: Divisor,
    /// The number of tags of each block.
    tags: u64,
}

impl Blocks {
    /// The places of a program's blocks; `None` if it has none.
    pub(crate) fn of(node: &Waist, machine: &Machine) -> Option<Self> {
        let memory = node.memory()?;
        let bytes = u64::from(memory.layout().block_bytes());
        let (line, tag) = (machine.memory.line.get(), machine.memory.tag);
        let tags = tag.map_or(1, |tag| bytes.div_ceil(tag.get()));
        let [bytes, line] = [bytes, line].map(Divisor::new);
        Some(Self { base: memory.block_address(Block(0)), bytes, line, tags })
    }

    /// The number of tags that stand for a block.
    pub(super) fn tags(self) -> u64 {
        self.tags
    }

    /// The lines of a block. A block that is smaller than a line moves as one.
    pub(crate) fn lines(self, block: Block) -> Range<u64> {
        let from = self.base + u64::from(block.0) * self.bytes.get();
        let last = from + self.bytes.get() - 1;
        self.line.quotient(from)..self.line.quotient(last) + 1
    }

    /// The block of an address.
    pub(crate) fn block_at(self, address: u64) -> Block {
        Block(self.bytes.quotient(address - self.base) as u32)
    }
}

/// The work of a handler on one block: its price, and the lines that it moves.
#[derive(Clone, Debug)]
pub(crate) struct BlockWork {
    pub(crate) primitive: Primitive,
    pub(super) name: &'static str,
    pub(crate) cost: Cost,
    pub(crate) lines: Range<u64>,
    /// The processor's own time before each line, where lines go over the bus one by one.
    pub(crate) own: Option<Time>,
}

/// The lines that were placed in a node's memory and that its device has not yet asked to write.
///
/// The device asks for the bus line by line, so that other clients use it in between. A full device asks at once for
/// all lines beyond its room, and the processor that places them waits: so a bus that is in use all the time does not
/// leave the device behind.
#[derive(Debug)]
pub(super) struct Posted {
    lines: u64,
    /// The number of lines for which the device has room, at least 1.
    room: u64,
    /// The time at which the device asks for the next line.
    next: Time,
}

/// The times that follow from placing lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Placed {
    /// The time at which the device, which had no line, may write another.
    pub(super) next: Option<Time>,
    /// The time at which the device has room for the last of the lines.
    pub(super) taken: Time,
}

impl Posted {
    /// An empty buffer of a device that has room for `room` lines; `None` is any number.
    pub(super) fn new(room: Option<usize>) -> Self {
        Self { lines: 0, room: room.map_or(u64::MAX, |room| room as u64), next: Time::ZERO }
    }

    /// Adds lines. A device that had none writes the first of them now.
    pub(super) fn add(&mut self, lines: u64, system: &mut NodeMemory, now: Time) -> Placed {
        let had_none = self.lines == 0;
        self.lines += lines;
        let mut next = None;
        if had_none {
            self.next = now;
            next = self.write(system, now);
        }
        if self.lines <= self.room {
            return Placed { next, taken: now };
        }
        while self.lines > self.room {
            self.write_next(system, now);
        }
        Placed { next: next.map(|_| self.next), taken: self.next }
    }

    /// Writes the next line, if there is one and its time has come. Returns the time at which the device may write another.
    pub(super) fn write(&mut self, system: &mut NodeMemory, now: Time) -> Option<Time> {
        if self.next <= now && self.lines > 0 {
            self.write_next(system, now);
        }
        (self.lines > 0).then_some(self.next)
    }

    fn write_next(&mut self, system: &mut NodeMemory, now: Time) {
        self.lines -= 1;
        self.next = system.write_line(self.next.max(now), now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl BlockWork {
        /// A fetch of some lines, at a price of zero.
        pub(crate) fn of_lines(lines: Range<u64>) -> Self {
            Self {
                primitive: Primitive::FetchBlock,
                name: "fetch_block",
                cost: Cost::default(),
                lines,
                own: None,
            }
        }
    }
    use crate::testing::{described, ns};
    use units::Bytes;

    #[test]
    fn a_block_has_whole_lines_and_one_at_least() {
        let [bytes, line] = [128, 32].map(Divisor::new);
        let blocks = Blocks { base: 4096, bytes, line, tags: 1 };
        assert_eq!((blocks.lines(Block(0)), blocks.lines(Block(2))), (128..132, 136..140));
        assert_eq!(blocks.block_at(4096 + 128 + 127), Block(1));
        let [bytes, line] = [96, 24].map(Divisor::new);
        let divided = Blocks { base: 4800, bytes, line, tags: 1 };
        assert_eq!((divided.lines(Block(0)), divided.lines(Block(2))), (200..204, 208..212), "by a division");
        assert_eq!(divided.block_at(4800 + 96 + 95), Block(1), "by a division");
        let small = Blocks { bytes: Divisor::new(16), ..blocks };
        assert_eq!((small.lines(Block(0)), small.lines(Block(1))), (128..129, 128..129));
    }

    #[test]
    fn a_device_writes_what_is_placed_line_by_line_and_asks_again_while_there_is_more() {
        let (mut posted, mut system) = (Posted::new(None), NodeMemory::new(&described(), Bytes::new(32), 1));
        let second = posted.add(2, &mut system, ns(10)).next.expect("one more line");
        assert!(second > ns(10));
        let added = posted.add(1, &mut system, ns(10));
        assert_eq!(added, Placed { next: None, taken: ns(10) }, "the device is at work already");
        let third = posted.write(&mut system, second).expect("one more line");
        assert!(third > second);
        assert_eq!(posted.write(&mut system, third), None, "that was the last");
        assert_eq!(posted.write(&mut system, third + ns(1)), None);
        assert_eq!(system.counts().memory_writes, 3);
    }

    #[test]
    fn a_device_that_is_full_asks_at_once_and_whoever_places_lines_waits() {
        let (mut posted, mut system) =
            (Posted::new(Some(2)), NodeMemory::new(&described(), Bytes::new(32), 1));
        let first = posted.add(3, &mut system, ns(10));
        assert_eq!(first.taken, ns(10), "one is on the bus, and two have room");
        let second = posted.add(2, &mut system, ns(10));
        assert_eq!((second.next, system.counts().memory_writes), (None, 3));
        let next = first.next.expect("more lines");
        assert!(second.taken > next);
        assert_eq!(posted.write(&mut system, next), Some(second.taken), "it has asked for the next already");
        assert_eq!(system.counts().memory_writes, 3);
        posted.write(&mut system, second.taken);
        assert_eq!(system.counts().memory_writes, 4);
        // As much as it has room for may be left.
        let at = second.taken + ns(1000);
        assert_eq!(posted.add(9, &mut system, at).next, None);
        assert_eq!(system.counts().memory_writes, 14 - 2);
    }

    /// Clients fetch a block and place another, again and again, as fast as the bus lets them.
    #[test]
    fn a_bus_in_use_all_the_time_moves_as_many_lines_for_a_device_as_for_those_that_fetch() {
        const ROUNDS: u64 = 400;
        for clients in [1, 8, 32] {
            let (mut costs, room) = (described(), 4);
            costs.banks.count = 64;
            let (mut posted, mut system) =
                (Posted::new(Some(room)), NodeMemory::new(&costs, Bytes::new(32), 1));
            // The time at which each client makes its next request, and the number of lines that it has fetched.
            let mut next = vec![(Time::ZERO, 0); clients];
            let mut device = None;
            while let Some(&first) = next.iter().filter(|client| client.1 < 4 * ROUNDS).min() {
                if let Some(at) = device.filter(|&at| at <= first.0) {
                    device = posted.write(&mut system, at);
                    continue;
                }
                let who = next.iter().position(|&client| client == first).expect("it is one of them");
                let (at, fetched) = first;
                let end = system.fetch_line(who as u64 * (ROUNDS * 4 + 1) + fetched, at);
                next[who] = (end, fetched + 1);
                if fetched % 4 == 3 {
                    let placed = posted.add(4, &mut system, at);
                    device = device.or(placed.next);
                    next[who].0 = end.max(placed.taken);
                }
            }
            let end = next.iter().map(|client| client.0).max().expect("there are some");
            let (address, data) = system.bus_busy_at(end);
            let used = address.max(data.unwrap_or_default()).as_nanoseconds() / end.as_nanoseconds();
            assert!(used <= 1.0 && (clients == 1 || used > 0.9), "{clients} clients use {used} of the bus");
            let lines = clients as u64 * ROUNDS * 4;
            let counts = system.counts();
            assert_eq!(counts.memory_reads, lines);
            assert_eq!(counts.memory_writes + posted.lines, lines, "no line is lost");
            assert!(posted.lines <= room as u64);
        }
    }
}
