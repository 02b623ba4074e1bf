//! The places of blocks of shared memory, the work of a handler on one of them, and the lines that a device has yet to write.
//!
//! This module must never know a protocol, nor which processor works on a block.

use std::ops::Range;

use hardware::memory::NodeMemory;
use machine::{Cost, Machine};
use tempest::world::Node as Waist;
use tempest::{Block, Primitive};
use units::Time;

/// The places of the blocks of shared memory in a node's modelled addresses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks {
    base: u64,
    bytes: u64,
    line: u64,
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
        Some(Self { base: memory.block_address(Block(0)), bytes, line, tags })
    }

    /// The number of tags that stand for a block.
    pub(super) fn tags(self) -> u64 {
        self.tags
    }

    /// The lines of a block. A block that is smaller than a line moves as one.
    pub(crate) fn lines(self, block: Block) -> Range<u64> {
        let from = self.base + u64::from(block.0) * self.bytes;
        from / self.line..(from + self.bytes).div_ceil(self.line)
    }

    /// The block of an address.
    pub(crate) fn block_at(self, address: u64) -> Block {
        Block(((address - self.base) / self.bytes) as u32)
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

/// The number of lines that were placed in a node's memory and that its device has not yet asked to write.
#[derive(Debug, Default)]
pub(super) struct Posted(u64);

impl Posted {
    /// Adds lines. A device that had none writes the first of them now. Returns the time at which it may write another.
    pub(super) fn add(&mut self, lines: u64, system: &mut NodeMemory, now: Time) -> Option<Time> {
        let writes = self.0 == 0;
        self.0 += lines;
        if writes { self.write(system, now) } else { None }
    }

    /// Writes the next line, if there is one. The device asks for the bus line by line. Returns the time at which it may write
    /// another.
    pub(super) fn write(&mut self, system: &mut NodeMemory, now: Time) -> Option<Time> {
        self.0 = self.0.checked_sub(1)?;
        let next = system.write_line(now);
        (self.0 > 0).then_some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{described, ns};
    use units::Bytes;

    #[test]
    fn a_block_has_whole_lines_and_one_at_least() {
        let blocks = Blocks { base: 4096, bytes: 128, line: 32, tags: 1 };
        assert_eq!((blocks.lines(Block(0)), blocks.lines(Block(2))), (128..132, 136..140));
        assert_eq!(blocks.block_at(4096 + 128 + 127), Block(1));
        let small = Blocks { bytes: 16, ..blocks };
        assert_eq!((small.lines(Block(0)), small.lines(Block(1))), (128..129, 128..129));
    }

    #[test]
    fn a_device_writes_what_is_placed_line_by_line_and_asks_again_while_there_is_more() {
        let (mut posted, mut system) = (Posted::default(), NodeMemory::new(&described(), Bytes::new(32), 1));
        let second = posted.add(2, &mut system, ns(10)).expect("one more line");
        assert!(second > ns(10));
        assert_eq!(posted.add(1, &mut system, ns(10)), None, "the device is at work already");
        let third = posted.write(&mut system, second).expect("one more line");
        assert!(third > second);
        assert_eq!(posted.write(&mut system, third), None, "that was the last");
        assert_eq!(posted.write(&mut system, third + ns(1)), None);
        assert_eq!(system.counts().memory_writes, 3);
    }
}
