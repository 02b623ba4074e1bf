//! Where blocks of shared memory lie, what a handler does to one, and the lines that a device still has to write.
//!
//! What a handler does to a block, the interface does over the bus, line by line, each at its own instant. Must never know a
//! protocol.

use std::ops::Range;

use hardware::memory::NodeMemory;
use machine::{Cost, Machine, Transaction};
use tempest::world::Node as Waist;
use tempest::{Block, Primitive};
use units::Time;

use super::at_work::AtWork;
use crate::measure::anatomy::Taken;
use crate::processor::ledger::Bucket;

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
    name: &'static str,
    pub(crate) cost: Cost,
    pub(crate) lines: Range<u64>,
    /// The processor's own time before it asks for each line, where lines go over the bus one by one.
    pub(crate) own: Option<Time>,
}

impl AtWork<'_> {
    /// The work that the handler begins on a block.
    pub(crate) fn work_on(&self, primitive: Primitive, block: Block) -> BlockWork {
        let (name, cost) = self.prices.named(self.core.list(), primitive, self.core.purpose().class);
        let lines = self.memory.blocks.map_or(0..1, |blocks| blocks.lines(block));
        let alone = match primitive {
            Primitive::FetchBlock => Some(self.memory.alone.fetch),
            Primitive::Purge => Some(self.memory.time_alone(Transaction::Invalidate)),
            _ => None,
        };
        let own = alone.filter(|_| self.memory.system.is_some()).map(|bus| cost.line.saturating_sub(bus));
        BlockWork { primitive, name, cost, lines, own }
    }

    /// Spends the price of work on a block as a whole: nobody waits for the lines that are placed. Answers when the device may
    /// write the next of them.
    pub(crate) fn spend_block(&mut self, work: &BlockWork) -> Option<Time> {
        let count = work.lines.end - work.lines.start;
        let mut next = None;
        if work.primitive == Primitive::PlaceBlock
            && let Some(system) = self.memory.system.as_deref_mut()
        {
            system.place_block(work.lines.clone());
            next = self.memory.posted.add(count, system, self.now);
        }
        let path = work.cost.path_of(count);
        self.core.clock.advance(path);
        self.book_block(work, path, path);
        next
    }

    /// Books a part of the work on a block that took so long, and would take `alone` from memory on an idle bus: caches may
    /// supply sooner, and the bus may be in use.
    pub(crate) fn book_block(&mut self, work: &BlockWork, taken: Time, alone: Time) {
        self.core.ledger.book(Bucket::Overhead, taken.min(alone));
        self.core.ledger.book(Bucket::Memory, taken.saturating_sub(alone));
        self.anatomy.count_step(
            self.core.purpose().kind,
            Taken::Primitive(work.primitive),
            (work.name, 0),
            taken,
        );
    }

    /// The work on a block is done.
    pub(crate) fn end_block(&mut self, work: &BlockWork) {
        self.core.clock.owe_time(work.cost.occupancy);
        let (taken, once) = (Taken::Primitive(work.primitive), (work.name, 1));
        self.anatomy.count_step(self.core.purpose().kind, taken, once, Time::ZERO);
    }
}

/// The lines that have been placed in a node's memory and that its device has not asked to write yet.
#[derive(Debug, Default)]
pub(super) struct Posted(u64);

impl Posted {
    /// Adds lines. If the device had none it writes the first of them now; the answer says when it may write another.
    fn add(&mut self, lines: u64, system: &mut NodeMemory, now: Time) -> Option<Time> {
        let writes = self.0 == 0;
        self.0 += lines;
        if writes { self.write(system, now) } else { None }
    }

    /// Writes the next line, if there is one: the device asks for the bus line by line. The answer says when it may write another.
    fn write(&mut self, system: &mut NodeMemory, now: Time) -> Option<Time> {
        self.0 = self.0.checked_sub(1)?;
        let next = system.write_line(now);
        (self.0 > 0).then_some(next)
    }
}

impl super::Memory {
    /// The device writes the next line that has been placed. The answer says when it may write another.
    pub(crate) fn write_posted(&mut self, now: Time) -> Option<Time> {
        let system = self.system.as_deref_mut()?;
        self.posted.write(system, now)
    }
}
