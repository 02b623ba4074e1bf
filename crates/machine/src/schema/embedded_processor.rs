//! The processors inside a node's network device: section `[embedded_processor]`. Cycles in this section are cycles of
//! these processors' own clock. Pure data. This module must never know how many of them a policy uses, nor the handlers
//! that they run.

use units::{Frequency, Time};

use super::idle_bus::IdleBus;
use crate::reading::{own_clock, required_if, section};
use crate::{Capability, Primitives};

section! {
    /// A processor inside the network device of a node. All of them are alike.
    EmbeddedProcessor(section, can: &[Capability], bus: IdleBus<'_>) {
        /// The clock of an embedded processor.
        clock: Frequency = own_clock,
        /// The time of a line from the cache of one embedded processor to the cache of another, inside the device and off the bus.
        /// Embedded processors have caches like the node's processors. `None`: no cache snoops.
        supply: Option<Time> = required_if(matches!(bus, IdleBus::Known(memory, _) if memory.cache.coherent)),
        /// The prices of the primitives in protocol handlers that an embedded processor runs.
        primitives: Primitives = |section, key| Primitives::section(section, key, can, bus),
    }
}
