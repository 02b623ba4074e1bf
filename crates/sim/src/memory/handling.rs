//! A processor at work on a block of shared memory for a handler.
//!
//! The interface carries out a handler's work on a block over the bus, line by line, each at its own instant. This module must
//! never know a protocol.

use machine::Transaction;
use tempest::{Block, Primitive};
use units::Time;

use super::at_work::AtWork;
use super::blocks::{BlockWork, Placed};
use crate::measure::anatomy::Taken;
use crate::prices::Price;
use crate::processor::ledger::Bucket;

impl AtWork<'_> {
    /// The work on a block that the handler begins.
    pub(crate) fn work_on(&self, primitive: Primitive, block: Block) -> BlockWork {
        let &Price { name, cost, .. } =
            self.prices.price(self.core.list(), primitive, self.core.purpose().class);
        let lines = self.memory.blocks.map_or(0..1, |blocks| blocks.lines(block));
        let alone = match primitive {
            Primitive::FetchBlock => Some(self.memory.alone.fetch),
            Primitive::Purge => Some(self.memory.time_alone(Transaction::Invalidate)),
            _ => None,
        };
        let own = alone.filter(|_| self.memory.system.is_some()).map(|bus| cost.line.saturating_sub(bus));
        BlockWork { primitive, name, cost, lines, own }
    }

    /// Charges the work on a block as a whole. Nothing waits until placed lines are in memory, but the processor waits
    /// while the device has no room for them. Returns the time at which the device may write the next of them.
    pub(crate) fn spend_block(&mut self, work: &BlockWork) -> Option<Time> {
        let count = work.lines.end - work.lines.start;
        let (mut next, mut taken) = (None, self.now);
        if work.primitive == Primitive::PlaceBlock
            && let Some(system) = self.memory.system.as_deref_mut()
        {
            system.place_block(work.lines.clone());
            Placed { next, taken } = self.memory.posted.add(count, system, self.now);
        }
        let path = work.cost.path_of(count);
        let whole = path.max(taken.saturating_sub(self.now));
        self.core.clock.advance(whole);
        self.book_block((work.primitive, work.name), whole, path);
        next
    }

    /// Books a part of the work on a block that took the time `taken`. `alone` is its time from memory on an idle bus. Caches
    /// may supply lines sooner, and other clients may use the bus.
    pub(super) fn book_block(
        &mut self,
        (primitive, name): (Primitive, &'static str),
        taken: Time,
        alone: Time,
    ) {
        self.core.ledger.book(Bucket::Overhead, taken.min(alone));
        self.core.ledger.book(Bucket::Memory, taken.saturating_sub(alone));
        self.anatomy.count_step(self.core.purpose().kind, Taken::primitive(primitive), (name, 0), taken);
    }

    /// Ends the work on a block.
    pub(crate) fn end_block(&mut self, work: &BlockWork) {
        self.core.clock.owe_time(work.cost.occupancy);
        let (taken, once) = (Taken::primitive(work.primitive), (work.name, 1));
        self.anatomy.count_step(self.core.purpose().kind, taken, once, Time::ZERO);
    }
}
