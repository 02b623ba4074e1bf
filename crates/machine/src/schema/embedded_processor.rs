//! The processors inside a node's network device: section `[embedded_processor]`. Cycles in this section are cycles of these
//! processors' own clock. Pure data. This module must never know how many of them a policy uses, nor what they run.

use units::Frequency;

use super::parts::IdleBus;
use crate::reading::{own_clock, section};
use crate::{Capability, Primitives};

section! {
    /// A processor inside the network device of a node. All of them are alike.
    EmbeddedProcessor(section, can: &[Capability], bus: IdleBus<'_>) {
        /// The clock of an embedded processor.
        clock: Frequency = own_clock,
        /// The prices of the primitives in protocol handlers that an embedded processor runs.
        primitives: Primitives = |section, key| Primitives::section(section, key, can, bus),
    }
}
