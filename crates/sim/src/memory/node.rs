//! The memory of one node: caches, bus and banks where the machine describes them, and the places of data in it.
//!
//! This module must never know which thread or handler uses it.

use std::ops::Range;
use std::sync::Arc;

use hardware::memory::{Keep, NodeMemory};
use machine::{Machine, Transaction, Transactions};
use tempest::Tag;
use tempest::outcome::MemoryEvents;
use tempest::world::Node as Waist;
use units::Time;

use super::arrived::Arrived;
use super::blocks::{Blocks, Posted};
use super::lowering::Lowerings;
use super::slots;

/// The memory of a node.
pub(crate) struct Memory {
    /// The caches, bus and banks; `None` where the machine does not describe them.
    pub(super) system: Option<Box<NodeMemory>>,
    /// The number of processors that have caches: those after them have none.
    cached: usize,
    /// The times of transactions on an idle bus, which are the same for all nodes of a machine.
    pub(super) alone: Arc<Alone>,
    /// The places of the blocks of shared memory, if the program has any.
    pub(super) blocks: Option<Blocks>,
    /// The time of a line from memory, where the machine does not describe caches.
    pub(super) read: Time,
    /// The lines that have arrived in memory, where the machine does not describe caches.
    pub(super) arrived: Arrived,
    /// The time by which threads may load from shared memory ahead of engine time.
    pub(super) lead: Time,
    pub(crate) lowerings: Lowerings,
    pub(super) posted: Posted,
}

/// The processors of a node that have caches, which are its first ones.
#[derive(Clone, Debug)]
pub(crate) struct Cached {
    pub(crate) count: usize,
    /// Range of these processors that are inside the network device.
    pub(crate) inside: Range<usize>,
}

impl Cached {
    /// The caches, bus and banks of each node before the first instant; `None` where the machine does not describe them.
    pub(crate) fn system(&self, machine: &Machine) -> Option<NodeMemory> {
        let system = NodeMemory::new(machine.node_memory.as_ref()?, machine.memory.line, self.count);
        let polls = machine.network_processor.as_ref().filter(|network| !network.idle_bus.is_empty());
        let system = match polls.and_then(|network| Some((network.idle_bus, network.idle_poll?))) {
            Some((transactions, poll)) => system.with_poller(transactions, poll),
            None => system,
        };
        let supply = machine.embedded_processor.as_ref().and_then(|embedded| embedded.supply);
        Some(match supply {
            Some(supply) if !self.inside.is_empty() => system.with_device_group(self.inside.clone(), supply),
            _ => system,
        })
    }
}

/// The times of transactions on an idle bus.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Alone {
    /// The time of each kind of transaction, by the [number](Transactions::by_number) of the kind.
    of: [Time; Transactions::NUMBERS],
    /// The time of a device's fetch of a line.
    pub(super) fetch: Time,
}

/// The time of each kind of transaction, by the number of the kind.
fn times(of: impl Fn(Transaction) -> Time) -> [Time; Transactions::NUMBERS] {
    let mut times = [Time::ZERO; Transactions::NUMBERS];
    times.iter_mut().zip(Transaction::ALL).for_each(|(time, kind)| *time = of(kind));
    times
}

impl Alone {
    pub(crate) fn on(machine: &Machine) -> Self {
        let line = machine.memory.line;
        machine.node_memory.as_ref().map_or_else(Self::default, |costs| Self {
            of: times(|kind| costs.uncontended(kind, line)),
            fetch: costs.uncontended_fetch(line),
        })
    }
}

impl Memory {
    /// Lets a processor that has begun to idle poll over the bus from `now` on, if its polls use the bus.
    pub(crate) fn begin_polls(&mut self, now: Time) {
        if let Some(system) = self.polled() {
            system.begin_polls(now);
        }
    }

    /// Ends the polls of a processor that idles no longer.
    pub(crate) fn stop_polls(&mut self, now: Time) {
        if let Some(system) = self.polled() {
            system.stop_polls(now);
        }
    }

    /// Whether idle network processors poll over the bus.
    #[inline]
    pub(crate) fn has_poller(&self) -> bool {
        self.system.as_ref().is_some_and(|system| system.has_poller())
    }

    fn polled(&mut self) -> Option<&mut NodeMemory> {
        self.system.as_deref_mut().filter(|system| system.has_poller())
    }

    /// The memory of a node whose first `cached` processors have caches, before the first instant. Its caches, bus and banks are a
    /// clone of `system`, and `alone` has the times of transactions on an idle bus. `first` is the first processor that runs handlers. It has made the tables of the program, one after the other.
    pub(crate) fn new(
        machine: &Machine,
        (system, alone): (Option<&NodeMemory>, &Arc<Alone>),
        cached: usize,
        (first, waist): (usize, &Waist),
    ) -> Self {
        let costs = machine.node_memory.as_ref();
        let lead =
            |costs: &machine::NodeMemory| costs.uncontended(Transaction::Transfer, machine.memory.line);
        let mut system = system.map(|system| Box::new(system.clone()));
        if let Some(system) = system.as_deref_mut().filter(|_| first < cached) {
            waist.tables().iter().for_each(|table| {
                system.write_before(first, system.line_of(table.start)..system.line_of(table.end - 1) + 1);
            });
        }
        if let Some(system) = system.as_deref_mut() {
            slots::open_before(system, waist);
        }
        Self {
            system,
            alone: Arc::clone(alone),
            blocks: Blocks::of(waist, machine),
            cached,
            read: machine.memory.read,
            arrived: Arrived::new(machine.memory.line),
            lead: costs.map_or(machine.memory.read, lead),
            lowerings: Lowerings::default(),
            posted: Posted::new(machine.interface.write_buffer),
        }
    }

    /// The number of tags that stand for a block of shared memory.
    pub(super) fn tags(&self) -> u64 {
        self.blocks.map_or(1, Blocks::tags)
    }

    /// Sets the time by which threads may load from shared memory ahead of engine time. The default is one transaction from
    /// cache to cache.
    pub(crate) fn lead_by(&mut self, lead: Time) {
        self.lead = lead;
    }

    /// The caches, bus and banks; `None` where the machine does not describe them.
    #[inline]
    pub(crate) fn system(&mut self) -> Option<&mut NodeMemory> {
        self.system.as_deref_mut()
    }

    /// The caches, bus and banks; `None` where the machine does not describe them.
    #[inline]
    pub(crate) fn modelled(&self) -> Option<&NodeMemory> {
        self.system.as_deref()
    }

    /// Prefetches into the host's caches the state that a message touches where the machine describes no bus.
    pub(crate) fn prefetch(&self) {
        fiber::prefetch_value(&self.system);
    }

    /// The time of a transaction on an idle bus.
    #[inline]
    pub(crate) fn time_alone(&self, transaction: Transaction) -> Time {
        self.alone.of[transaction as usize]
    }

    /// The time of transactions on an idle bus, one after the other; `None` where there are none, or the machine describes no
    /// bus.
    #[inline]
    pub(super) fn time_of(&self, transactions: Transactions) -> Option<Time> {
        if transactions.is_empty() || self.system.is_none() {
            return None;
        }
        Some(transactions.by_number().map(|(kind, count)| self.alone.of[kind] * count).sum())
    }

    /// The extra time of transactions from `at` on, compared with an idle bus.
    pub(super) fn delay(&mut self, transactions: Transactions, at: Time, now: Time) -> Time {
        if transactions.is_empty() {
            return Time::ZERO;
        }
        let Some(system) = self.system.as_mut() else { return Time::ZERO };
        let alone = system.uncontended(transactions);
        system.make(transactions, at, now) - (at + alone)
    }

    /// The state in which a line may stay in a cache. It follows from the node's present right to the line's block.
    pub(crate) fn keep_at(&self, waist: &Waist, address: u64) -> Keep {
        let tag =
            waist.memory().zip(self.blocks).map(|(memory, blocks)| memory.tag(blocks.block_at(address)));
        match tag {
            Some(Tag::Invalid) => Keep::Nothing,
            Some(Tag::ReadOnly) => Keep::Shared,
            Some(Tag::Writable) | None => Keep::Any,
        }
    }

    /// The lines of bytes that a processor uses, from the address `first` on; `None` if the processor has no cache.
    pub(super) fn lines_of(&self, processor: usize, first: u64, bytes: u64) -> Option<Range<u64>> {
        let system = self.system.as_deref().filter(|_| processor < self.cached)?;
        Some(system.line_of(first)..system.line_of(first + bytes - 1) + 1)
    }

    /// Puts bytes that have come through the interface, without a staging buffer, in memory. Where the machine describes caches,
    /// they lose their lines, and the device writes line after line over the bus: returns the time at which it may write another.
    pub(crate) fn put(&mut self, address: u64, bytes: u64, now: Time) -> Option<Time> {
        let Some(system) = self.system.as_deref_mut() else {
            self.arrived.add(address, bytes);
            return None;
        };
        let lines = system.lines(address, bytes).map(|(line, _)| line);
        let count = lines.inspect(|&line| system.overwrite(line)).count();
        self.posted.add(count as u64, system, now).next
    }

    /// Lets the device write the next line that was placed in memory. Returns the time at which it may write another.
    pub(crate) fn write_posted(&mut self, now: Time) -> Option<Time> {
        let system = self.system.as_deref_mut()?;
        self.posted.write(system, now)
    }

    /// The counts of the memory system since the start, without the counts of the staging buffer.
    pub(crate) fn events(&self) -> MemoryEvents {
        let Some(system) = &self.system else { return MemoryEvents::default() };
        let counts = system.counts();
        MemoryEvents {
            bus_transactions: counts.transactions,
            bus_bytes: counts.bus_bytes,
            memory_reads: counts.memory_reads,
            memory_writes: counts.memory_writes,
            misses: counts.misses,
            cache_supplies: counts.cache_supplies,
            buffer_supplies: counts.buffer_supplies,
            write_backs: counts.write_backs,
            evictions: counts.capacity_evictions + counts.conflict_evictions,
            kept_blocks: counts.kept_blocks,
            kept_lines: counts.kept_lines,
            pushes: counts.pushes,
            displaced: counts.displaced,
            slot_lookups: counts.slot_lookups,
            slot_misses: counts.slot_misses,
            merges: counts.merges,
            stale_loads: counts.stale_loads,
            stale_sends: counts.stale_sends,
            overwritten: counts.overwritten,
            ..MemoryEvents::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Memory {
        /// The memory of a node with caches for two processors.
        pub(crate) fn described(costs: &machine::NodeMemory) -> Self {
            let line = units::Bytes::new(32);
            let of = times(|kind| costs.uncontended(kind, line));
            Self {
                system: Some(Box::new(NodeMemory::new(costs, line, 2))),
                alone: Alone { of, fetch: costs.uncontended_fetch(line) }.into(),
                ..Self::plain(Time::ZERO)
            }
        }

        /// The memory of a node without caches, whose lines take `read` from memory.
        pub(crate) fn plain(read: Time) -> Self {
            Self {
                system: None,
                alone: Arc::default(),
                blocks: None,
                cached: 2,
                read,
                arrived: Arrived::new(units::Bytes::new(32)),
                lead: read,
                lowerings: Lowerings::default(),
                posted: Posted::new(None),
            }
        }
    }
}
