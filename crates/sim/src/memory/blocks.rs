//! What threads and handlers do to shared memory, where time is concerned.
//!
//! An access that its tag allows is a load or store of the processor's cache: a hit takes its issue, as in a program's own
//! count of operations; anything else waits for the node's bus. An access that is not allowed is a fault, an event of its node. What
//! a handler does to a block, the interface does over the same bus.
//!
//! Where a machine's memory system is not known in detail, an access is a hit, but for the one that a fault ends: its line
//! comes from memory.
//!
//! # How far a thread runs ahead
//!
//! An access that needs the bus happens when engine time has come up to the processor's clock. So does a store, or an atomic
//! access, to a line that another processor or the device has wanted: no such line is hit by a store after it has been taken
//! away.
//!
//! A store to a line that no other client has wanted yet, and a load that hits, may come earlier in engine time than on the
//! processor's clock, by at most the [lead](crate::setting::Setting::lead). The first client that takes the line of such a
//! store waits until the store's time. A load may hit a line that is taken away in between. The lead is the time of one
//! transaction, from cache to cache: a load so much later would have had to fetch what the other processor stored.
//!
//! Must never know a protocol, nor what a program's words mean.

use std::ops::Range;

use hardware::memory::{Keep, NodeMemory};
use machine::{Class, Cost, Machine, Transaction};
use tempest::policy::Servers;
use tempest::world::{DispatchKey, Node, Packet};
use tempest::{Block, Primitive, Stage, Tag};
use units::Time;

use crate::agenda::Happening;
use crate::api::Edge;
use crate::cluster::Cluster;
use crate::link::cargo::{Cargo, Origin};
use crate::measure::anatomy::Taken;
use crate::processor::core::{Bucket, Core, Event};

/// Where the blocks of shared memory are among the modelled addresses of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks {
    base: u64,
    bytes: u64,
    line: u64,
}

impl Blocks {
    /// Those of a program, if it has any.
    pub(crate) fn of(node: &Node, machine: &Machine) -> Option<Self> {
        let memory = node.memory()?;
        let bytes = memory.layout().block_bytes().into();
        Some(Self { base: memory.block_address(Block(0)), bytes, line: machine.memory.line.get() })
    }

    /// The lines of a block. One that is smaller than a line moves as one.
    fn lines(self, block: Block) -> Range<u64> {
        let from = self.base + u64::from(block.0) * self.bytes;
        from / self.line..(from + self.bytes).div_ceil(self.line)
    }

    fn block_at(self, address: u64) -> Block {
        Block(((address - self.base) / self.bytes) as u32)
    }
}

/// What it takes to do something to a block.
struct BlockPrice {
    primitive: Primitive,
    name: &'static str,
    cost: Cost,
    lines: Range<u64>,
}

impl Edge {
    /// A handler does something to a block. Lines go over the bus one after the other, each at its own instant.
    pub(crate) fn handle_block(&self, primitive: Primitive, block: Block) {
        self.settle();
        let price = self.state().price_of_block(self.core(), primitive, block);
        let own = self.state().own_time_of_lines(self.core(), &price);
        match own {
            None => self.state().spend_block(self.core(), &price),
            Some(own) => self.handle_lines(&price, own),
        }
        self.state().end_block(self.core(), &price);
    }

    fn handle_lines(&self, price: &BlockPrice, own: Time) {
        let mut before = price.cost.path + own;
        for line in price.lines.clone() {
            self.state().cores[self.core()].ahead += before;
            self.settle();
            let taken = self.go_through_bus(|memory, now| match price.primitive {
                Primitive::FetchBlock => memory.fetch_line(line, now),
                _ => memory.purge_line(line, now),
            });
            self.state().book_block(self.core(), price, before + taken, before - own + price.cost.line);
            before = own;
        }
    }

    /// The thread's access is not allowed: an event of its node says so.
    pub(crate) fn report_fault(&self, packet: &Packet) {
        self.faulted.set(true);
        self.settle();
        let mut state = self.state();
        let node = state.cores[self.core()].node;
        let flight = state.local_event(node, *packet, Origin::Fault, None);
        if state.calls_routine() {
            let key = state.key_of(node, packet);
            state.fill_slot(self.core(), key, Event::Message { flight });
        } else {
            state.join_dispatch_queue(node, flight);
        }
    }

    /// Brings engine time up to the thread's clock if its next access must not come before.
    pub(crate) fn settle_for(&self, address: u64, store: bool) {
        if self.state().is_far_ahead(self.core(), address, store) {
            self.settle();
        }
    }

    /// Accounts for a word that the thread has loaded or stored.
    pub(crate) fn access_word(&self, address: u64, store: bool) {
        let faulted = self.faulted.take();
        if !faulted && self.state().hits(self.core(), address, store) {
            return;
        }
        // A store that misses has been settled; its request goes out as it is issued.
        if faulted || !store {
            self.settle();
        }
        self.state().miss(self.core(), address, store, faulted);
    }
}

impl Cluster {
    /// Whether the thread on `core` has run so far ahead that everything earlier must happen before its next access.
    fn is_far_ahead(&self, core: usize, address: u64, store: bool) -> bool {
        let Core { ahead, node, number, .. } = self.cores[core];
        if ahead > self.setting.lead {
            return true;
        }
        let private = |memory: &NodeMemory| memory.is_private(usize::from(number), memory.line_of(address));
        store && !ahead.is_zero() && !self.nodes[node].memory.system.as_deref().is_none_or(private)
    }

    /// A thread on `core` issues an access, where one that faulted has been issued before: whether the word is in the cache, in a
    /// state for this access. All are where caches are not modelled.
    fn hits(&mut self, core: usize, address: u64, store: bool) -> bool {
        self.measure.anatomy.count_access();
        let work = &self.setting.machine.processor.work;
        let issue = if store { work.store } else { work.load };
        self.cores[core].spend(Bucket::Compute, issue);
        let Core { node, number, ahead, .. } = self.cores[core];
        let Some(memory) = &mut self.nodes[node].memory.system else { return true };
        let line = memory.line_of(address);
        memory.hits(number.into(), line, store, self.agenda.now + ahead)
    }

    /// An access of a thread on `core`, whose time is now, waits for its line: one that faulted first, or whose line is not in
    /// the cache.
    fn miss(&mut self, core: usize, address: u64, store: bool, faulted: bool) {
        if faulted {
            self.measure.anatomy.count_access();
        }
        let (now, keep) = (self.agenda.now, self.keep_at(core, address));
        let Core { node, number, kind, .. } = self.cores[core];
        let time = match &mut self.nodes[node].memory.system {
            None => self.setting.machine.memory.read,
            Some(memory) => {
                let (who, line) = (number.into(), memory.line_of(address));
                // A handler may have run since the processor looked.
                let hits = memory.hits(who, line, store, now);
                if hits { Time::ZERO } else { memory.miss_of(who, line, store, keep, now) - now }
            }
        };
        self.cores[core].spend(Bucket::Memory, time);
        let (taken, name) =
            if faulted { (Taken::Complete, Stage::COMPLETE) } else { (Taken::Miss, Stage::MISS) };
        self.measure.anatomy.count_step(kind, taken, (name, 1), time);
    }

    /// In what state a line may stay in a cache: as the node's right to its block is now.
    fn keep_at(&self, core: usize, address: u64) -> Keep {
        let memory = self.nodes[self.cores[core].node].waist.memory();
        let tag = memory.zip(self.blocks).map(|(memory, blocks)| memory.tag(blocks.block_at(address)));
        match tag {
            Some(Tag::Invalid) => Keep::Nothing,
            Some(Tag::ReadOnly) => Keep::Shared,
            Some(Tag::Writable) | None => Keep::Any,
        }
    }

    /// The price of what the handler on `core` does to a block, and the block's lines.
    fn price_of_block(&self, core: usize, primitive: Primitive, block: Block) -> BlockPrice {
        let (name, cost) = self.named_price(core, primitive, self.cores[core].class);
        BlockPrice { primitive, name, cost, lines: self.blocks.map_or(0..1, |blocks| blocks.lines(block)) }
    }

    /// What of a price is `core`'s own time before it asks for each line, where lines go over the bus one by one; `None` where
    /// they do not.
    fn own_time_of_lines(&self, core: usize, price: &BlockPrice) -> Option<Time> {
        self.nodes[self.cores[core].node].memory.system.as_ref()?;
        let (costs, line) = (self.setting.machine.node_memory.as_ref()?, self.setting.machine.memory.line);
        let bus = match price.primitive {
            Primitive::FetchBlock => costs.uncontended_fetch(line),
            Primitive::Purge => costs.uncontended(Transaction::Invalidate, line),
            _ => return None,
        };
        Some(price.cost.line.saturating_sub(bus))
    }

    /// A handler on `core`, whose time is now, does something to a block as a whole: what is placed nobody waits for.
    fn spend_block(&mut self, core: usize, price: &BlockPrice) {
        let (node, lines) = (self.cores[core].node, price.lines.clone());
        let count = lines.end - lines.start;
        if price.primitive == Primitive::PlaceBlock
            && let Some(memory) = &mut self.nodes[node].memory.system
        {
            memory.place_block(lines);
            let writes = self.nodes[node].memory.posted == 0;
            self.nodes[node].memory.posted += count;
            if writes {
                self.write_posted(node);
            }
        }
        let path = price.cost.path_of(count);
        self.cores[core].ahead += path;
        self.book_block(core, price, path, path);
    }

    /// The device of a node writes the next of the lines that have been placed; it asks for the bus line by line.
    pub(crate) fn write_posted(&mut self, node: usize) {
        let (now, place) = (self.agenda.now, &mut self.nodes[node]);
        let Some(memory) = place.memory.system.as_mut().filter(|_| place.memory.posted > 0) else { return };
        let next = memory.write_line(now);
        place.memory.posted -= 1;
        let tie = place.tie;
        if place.memory.posted > 0 {
            self.agenda.events.push(next, tie, Happening::Post { node: node as u32 });
        }
    }

    /// A part of what is done to a block took so long, and would take `alone` from memory on an idle bus: caches may supply
    /// sooner, and the bus may be in use.
    fn book_block(&mut self, core: usize, price: &BlockPrice, taken: Time, alone: Time) {
        let state = &mut self.cores[core];
        state.book(Bucket::Overhead, taken.min(alone));
        state.book(Bucket::Memory, taken.saturating_sub(alone));
        self.measure.anatomy.count_step(
            state.kind,
            Taken::Primitive(price.primitive),
            (price.name, 0),
            taken,
        );
    }

    /// What is done to a block has been done.
    fn end_block(&mut self, core: usize, price: &BlockPrice) {
        let state = &mut self.cores[core];
        state.tail += price.cost.occupancy;
        self.measure.anatomy.count_step(
            state.kind,
            Taken::Primitive(price.primitive),
            (price.name, 1),
            Time::ZERO,
        );
    }

    /// Whether a message is about a block of shared memory, by its key.
    pub(crate) fn is_about_block(&self, node: usize, packet: &Packet) -> bool {
        let is_block = |key| matches!(key, DispatchKey::User(name) if name.block().is_some());
        self.blocks.is_some() && is_block(self.key_of(node, packet))
    }

    /// Insists that somebody runs the handler of what a program sends: a state machine runs those of the system only.
    pub(crate) fn expect_server(&self, core: usize, cargo: &Cargo) {
        if self.setting.policy.servers != Servers::Hardware {
            return;
        }
        let node = self.cores[core].node;
        if let Cargo::Message(packet) | Cargo::Transfer(_, _, packet, _) = cargo
            && self.class_of_cargo(node, cargo) == Class::User
        {
            let (machine, policy) = (&self.setting.machine.name, &self.setting.policy);
            let message = self.nodes[node].waist.message_name(packet.id());
            let why = format!(
                "machine `{machine}` under policy `{policy}` runs protocol handlers in hardware, and `{message}` is a \
                 message of the program: use mechanism `shared-memory`"
            );
            // Unwinds to the engine as a panic does, but nothing is broken that a back trace would help to find.
            std::panic::resume_unwind(Box::new(why))
        }
    }
}
