//! Work: what a step costs, counted by the program and priced by the machine.
//!
//! Programs count operations; protocols charge named primitives. The native world ignores both (the host does
//! the work itself); a model turns each into time by the prices in its machine file. No price stands here.

use crate::Block;

/// Operations of a computing step, per kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Operations {
    /// Floating-point operations.
    pub flops: u32,
    /// Integer and branch operations.
    pub integers: u32,
    /// Loads that hit the cache.
    pub loads: u32,
    /// Stores that hit the cache.
    pub stores: u32,
}

impl Operations {
    /// Nothing at all: the start of a count.
    pub const NONE: Self = Self { flops: 0, integers: 0, loads: 0, stores: 0 };

    /// The same with `count` floating-point operations.
    pub const fn flops(self, count: u32) -> Self {
        Self { flops: count, ..self }
    }
    /// The same with `count` integer and branch operations.
    pub const fn integers(self, count: u32) -> Self {
        Self { integers: count, ..self }
    }
    /// The same with `count` loads.
    pub const fn loads(self, count: u32) -> Self {
        Self { loads: count, ..self }
    }
    /// The same with `count` stores.
    pub const fn stores(self, count: u32) -> Self {
        Self { stores: count, ..self }
    }
    /// This step done `times` times.
    pub const fn times(self, times: u32) -> Self {
        Self {
            flops: self.flops * times,
            integers: self.integers * times,
            loads: self.loads * times,
            stores: self.stores * times,
        }
    }
    /// This step followed by another.
    pub const fn and(self, other: Self) -> Self {
        Self {
            flops: self.flops + other.flops,
            integers: self.integers + other.integers,
            loads: self.loads + other.loads,
            stores: self.stores + other.stores,
        }
    }
}

/// A named step of a protocol, priced by the machine with an on-path cost and an off-path occupancy.
///
/// Worlds charge `Dispatch`, `DispatchFault`, `DetectMiss`, `SendHeader`, `SendWord`, `StartTransfer` and `Resume` themselves,
/// where those happen; a protocol charges the rest. What it does to a block it charges as [`Work::Block`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Primitive {
    /// Hand an event to a processor and start its handler.
    Dispatch,
    /// Find that an access is not allowed, on the processor that makes it.
    DetectMiss,
    /// Hand an access fault to a processor and start its handler.
    DispatchFault,
    /// Read which access faulted.
    ReadFaultState,
    /// Start a message: destination and handler.
    SendHeader,
    /// Move one word of a message into the network interface.
    SendWord,
    /// Describe a block transfer to the network interface, which then moves the data.
    StartTransfer,
    /// Read one message out of the network interface.
    Extract,
    /// Write a message into the queue to the node's other kind of processor.
    HandOver,
    /// Take a message out of that queue.
    Take,
    /// Bookkeeping of a global access at its issue.
    Issue,
    /// Bookkeeping of a global access when its answer is there.
    Complete,
    /// Add to the counter of stored data at the target.
    CountStore,
    /// Read a word of memory on behalf of another node.
    FetchWord,
    /// Write a word of memory on behalf of another node.
    PlaceWord,
    /// Look up and update a directory entry.
    DirectoryLookup,
    /// Change a block's access tag.
    SetTag,
    /// Read a block from memory into a message.
    FetchBlock,
    /// Write a block from a message into memory.
    PlaceBlock,
    /// Find a frame for a page and map it.
    MapPage,
    /// Remove a block's lines from the processors' caches.
    Purge,
    /// Let a waiting thread go on.
    Resume,
    /// Translate an address.
    Translate,
    /// Translate an address that was used just before.
    TranslateAgain,
    /// Put a request aside that cannot be served yet.
    Defer,
}

/// One charge: operations of a step, a number of protocol primitives, or the first look at what was placed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    /// Computing.
    Compute(Operations),
    /// `count` times a protocol primitive.
    Primitive(Primitive, u32),
    /// A protocol primitive done to a block of shared memory: [`Primitive::FetchBlock`], [`PlaceBlock`](Primitive::PlaceBlock) or
    /// [`Purge`](Primitive::Purge). What it takes depends on the block's length, and a model may put it on a bus.
    Block(Primitive, Block),
    /// Reading so many consecutive words for the first time after a transfer or deposit placed them: they come from
    /// memory. Charge it beside the loads, which are priced as hits.
    FirstRead(u32),
}

impl From<Operations> for Work {
    fn from(operations: Operations) -> Self {
        Work::Compute(operations)
    }
}

impl From<Primitive> for Work {
    fn from(primitive: Primitive) -> Self {
        Work::Primitive(primitive, 1)
    }
}
