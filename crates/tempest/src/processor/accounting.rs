//! The methods by which a world charges modelled time to the thread or handler that runs now.
//!
//! This module must never know the cost of anything.

use crate::Access;
use crate::plain::access::Touch;
use crate::plain::{MemoryEvents, Work};

/// The accounts of the thread or handler that runs now on a processor of a model. A world whose work takes real time has none.
pub trait Accounting {
    /// Accounts for work.
    fn charge(&self, work: Work);

    /// Orders the next effect after all work charged before.
    fn synchronize(&self);

    /// Notes that the thread passes a back-edge, under a policy that polls at none. The model first goes on to this
    /// processor's clock: the back-edge takes no time, so a thread that does nothing else would stop the model.
    fn pass_by(&self);

    /// Accounts for a run of accesses to this node's memory.
    fn touch(&self, touch: Touch);

    /// Accounts for one access to this node's memory, to an element that lies in one line.
    fn touch_one(&self, address: u64, access: Access);

    /// Accounts for waiting until all flushed lines are in memory.
    fn drain(&self);

    /// Prepares an access to a word of shared memory at a modelled address; called before the test of its tag, or, for a word
    /// whose tag has been tested with that of an earlier one, before that word is accounted for. The model first runs all
    /// events before this processor's clock that the access must not miss.
    fn approach(&self, address: u64, access: Access);

    /// Accounts for an access to a word of shared memory at a modelled address. The tag allowed the access, and it has been
    /// done.
    fn access(&self, address: u64, access: Access);

    /// Accounts for the use of handlers' data, such as an entry of a table: `bytes` bytes from the modelled address
    /// `first` on are in the cache of the processor, which may store to them. The instructions of the use are
    /// accounted for apart.
    fn reach(&self, first: u64, bytes: u64);

    /// Whether caches and interfaces keep each other up to date by themselves.
    fn is_coherent(&self) -> bool;

    /// The counters of this node's memory system.
    fn memory_events(&self) -> MemoryEvents;
}
