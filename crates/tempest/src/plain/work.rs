//! Work: the cost of a step, counted by the program and priced by the machine.
//!
//! Programs count operations; protocols charge named primitives. The native world ignores both, because the host does
//! the work itself. A simulator turns each into time by the prices of its machine file. No price stands here.

use crate::Block;

/// The operations of a computing step, by kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Operations {
    /// Number of floating-point operations in the step.
    pub flops: u32,
    /// Number of integer and branch operations in the step.
    pub integers: u32,
    /// Number of loads in the step that hit the cache.
    pub loads: u32,
    /// Number of stores in the step that hit the cache.
    pub stores: u32,
}

impl Operations {
    /// No operations: the value from which a program builds a count, such as `Operations::NONE.flops(2)`.
    pub const NONE: Self = Self { flops: 0, integers: 0, loads: 0, stores: 0 };

    /// Returns this step with its floating-point operations set to `count`.
    pub const fn flops(self, count: u32) -> Self {
        Self { flops: count, ..self }
    }
    /// Returns this step with its integer and branch operations set to `count`.
    pub const fn integers(self, count: u32) -> Self {
        Self { integers: count, ..self }
    }
    /// Returns this step with its loads set to `count`.
    pub const fn loads(self, count: u32) -> Self {
        Self { loads: count, ..self }
    }
    /// Returns this step with its stores set to `count`.
    pub const fn stores(self, count: u32) -> Self {
        Self { stores: count, ..self }
    }
    /// Returns the operations of this step, repeated `times` times.
    ///
    /// # Panics
    /// If the result has more than 4,294,967,295 operations of a kind. A longer computation is charged in parts.
    pub const fn times(self, times: u32) -> Self {
        Self {
            flops: counted(self.flops.checked_mul(times)),
            integers: counted(self.integers.checked_mul(times)),
            loads: counted(self.loads.checked_mul(times)),
            stores: counted(self.stores.checked_mul(times)),
        }
    }
    /// Returns the operations of this step and of `other` together.
    ///
    /// # Panics
    /// If the result has more than 4,294,967,295 operations of a kind. A longer computation is charged in parts.
    pub const fn and(self, other: Self) -> Self {
        Self {
            flops: counted(self.flops.checked_add(other.flops)),
            integers: counted(self.integers.checked_add(other.integers)),
            loads: counted(self.loads.checked_add(other.loads)),
            stores: counted(self.stores.checked_add(other.stores)),
        }
    }
}

/// Returns the number of operations. Panics if `operations` is `None`, because the number was too large.
#[inline]
const fn counted(operations: Option<u32>) -> u32 {
    operations.expect(
        "a charge has no more than 4294967295 operations of a kind: charge a longer computation in parts",
    )
}

/// A named step of a protocol. The machine gives it two prices: time on the path of the event, and time for which the
/// processor stays busy afterwards.
///
/// A world itself charges `Dispatch`, `DispatchFault`, `DetectMiss`, `SendHeader`, `SendWord`, `StartTransfer` and
/// `Resume` where they happen; protocols charge the others. A protocol charges its work on a block as [`Work::Block`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Primitive {
    /// Hands a message to a processor and starts the message's handler.
    Dispatch,
    /// Finds that an access to shared memory is not allowed, on the processor that attempts the access.
    DetectMiss,
    /// Hands an access fault to a processor and starts the fault's handler.
    DispatchFault,
    /// Reads which access to shared memory faulted.
    ReadFaultState,
    /// Starts a message: writes the destination and the handler.
    SendHeader,
    /// Moves one word of a message into the network interface.
    SendWord,
    /// Describes a block transfer to the network interface, which then moves the data.
    StartTransfer,
    /// Reads one message out of the network interface.
    Extract,
    /// Writes a message into a queue between a compute processor and the network processor.
    HandOver,
    /// Takes a message out of a queue between a compute processor and the network processor.
    Take,
    /// Records a global access (to another node's memory) in the table of outstanding requests.
    Issue,
    /// Records that the answer to a global access (to another node's memory) has arrived.
    Complete,
    /// Adds to the count of stored data on the node that receives a store.
    CountStore,
    /// Reads a word of memory on behalf of another node.
    FetchWord,
    /// Writes a word of memory on behalf of another node.
    PlaceWord,
    /// Looks up and updates a directory entry.
    DirectoryLookup,
    /// Changes a block's access tag.
    SetTag,
    /// Reads a block from memory into a message.
    FetchBlock,
    /// Writes a block from a message into memory.
    PlaceBlock,
    /// Finds a frame for a page and maps the page.
    MapPage,
    /// Removes a block's lines from the processors' caches.
    Purge,
    /// Makes a blocked thread ready to run.
    Resume,
    /// Translates the address of a global access to an address of this node's memory.
    Translate,
    /// Translates an address again, just after its first translation, at lower cost.
    TranslateAgain,
    /// Queues a request that a node cannot serve yet.
    Defer,
}

/// A unit of charged work: operations of a step, or protocol primitives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    /// The operations of a computing step.
    Compute(Operations),
    /// A protocol primitive, repeated this number of times.
    Primitive(Primitive, u32),
    /// A protocol primitive on a block of shared memory: [`Primitive::FetchBlock`],
    /// [`PlaceBlock`](Primitive::PlaceBlock) or [`Purge`](Primitive::Purge). The cost depends on the block's length. A
    /// simulator may carry the work out on a bus.
    Block(Primitive, Block),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic = "a charge has no more than 4294967295 operations of a kind"]
    fn charges_have_an_end() {
        let most = Operations::NONE.loads(u32::MAX);
        assert_eq!(most.times(1), most);
        let _ = most.times(2);
    }
}
