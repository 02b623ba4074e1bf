//! Where blocks of shared memory lie, what a handler's work on one consists of, and the lines that a device still has to write.
//!
//! Must never know a protocol, nor which processor works on a block.

use std::ops::Range;

use hardware::memory::NodeMemory;
use machine::{Cost, Machine};
use tempest::world::Node as Waist;
use tempest::{Block, Primitive};
use units::Time;

/// The places of the blocks of shared memory among the modelled addresses of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks {
    base: u64,
    bytes: u64,
    line: u64,
}

impl Blocks {
    /// The places of a program's blocks, if it has any.
    pub(crate) fn of(node: &Waist, machine: &Machine) -> Option<Self> {
        let memory = node.memory()?;
        let bytes = memory.layout().block_bytes().into();
        Some(Self { base: memory.block_address(Block(0)), bytes, line: machine.memory.line.get() })
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

/// A handler's work on one block: its price, and the lines that it moves.
#[derive(Clone, Debug)]
pub(crate) struct BlockWork {
    pub(crate) primitive: Primitive,
    pub(super) name: &'static str,
    pub(crate) cost: Cost,
    pub(crate) lines: Range<u64>,
    /// The processor's own time before it asks for each line, where lines go over the bus one by one.
    pub(crate) own: Option<Time>,
}

/// The lines that have been placed in a node's memory and that its device has not asked to write yet.
#[derive(Debug, Default)]
pub(super) struct Posted(u64);

impl Posted {
    /// Adds lines. If the device had none it writes the first of them now; the answer says when it may write another.
    pub(super) fn add(&mut self, lines: u64, system: &mut NodeMemory, now: Time) -> Option<Time> {
        let writes = self.0 == 0;
        self.0 += lines;
        if writes { self.write(system, now) } else { None }
    }

    /// Writes the next line, if there is one: the device asks for the bus line by line. The answer says when it may write another.
    pub(super) fn write(&mut self, system: &mut NodeMemory, now: Time) -> Option<Time> {
        self.0 = self.0.checked_sub(1)?;
        let next = system.write_line(now);
        (self.0 > 0).then_some(next)
    }
}
