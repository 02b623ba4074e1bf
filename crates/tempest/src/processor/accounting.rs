//! The methods by which a world charges modelled time to the thread or handler that runs now.
//!
//! This module must never know the cost of anything.

use crate::Access;
use crate::plain::access::Touch;
use crate::plain::{MemoryEvents, Work};

/// The interface to a simulator's clock and prices, for the thread or handler that runs now on a processor. A world
/// whose work takes real time does not implement it.
pub trait Accounting {
    /// Charges the running thread or handler for `work`.
    fn charge(&self, work: Work);

    /// Runs all events that are due before this processor's clock. The next operation on shared state then takes place
    /// after all work that was charged to the processor.
    fn synchronize(&self);

    /// Notes that the thread passes a loop back-edge, under a policy that never polls at back-edges. The simulator
    /// first runs all events up to this processor's clock: a back-edge takes no modelled time, so a thread that only
    /// loops would otherwise stop the simulation.
    fn pass_by(&self);

    /// Charges for a run of accesses to this node's memory.
    fn touch(&self, touch: Touch);

    /// Charges for one access to this node's memory: to the element at `address` on the modelled machine, which lies in
    /// one cache line.
    fn touch_one(&self, address: u64, access: Access);

    /// Waits until all cache lines that this processor has flushed are in memory, and charges the time.
    fn drain(&self);

    /// Prepares an access to the word of shared memory at `address` on the modelled machine: runs all events before
    /// this processor's clock that may affect the access. A thread calls this before it tests its node's right to the
    /// word. In a run of words with one test it also calls this before the [`access`](Self::access) to each further
    /// word.
    fn approach(&self, address: u64, access: Access);

    /// Charges for an access to the word of shared memory at `address` on the modelled machine. The thread has tested
    /// its node's right to the word and has done the access.
    fn access(&self, address: u64, access: Access);

    /// Charges for bringing `bytes` bytes of handlers' data, such as a table entry, into the processor's cache with the
    /// right to store. They begin at the address `first` on the modelled machine. The instructions that use the data
    /// are charged separately.
    fn reach(&self, first: u64, bytes: u64);

    /// Whether hardware keeps processors' caches and network interfaces coherent.
    fn is_coherent(&self) -> bool;

    /// The counters of this node's memory system since the run began.
    fn memory_events(&self) -> MemoryEvents;
}
