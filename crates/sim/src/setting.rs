//! The parts of a run that never change: the machine, the policy, and the values that follow from both.
//!
//! This module must never know an instant.

use machine::{Capability, Machine};
use tempest::Policy;

use crate::prices::PriceLists;

/// The machine, the policy, and the values that follow from both, for a whole run.
pub(crate) struct Setting {
    pub(crate) machine: Machine,
    pub(crate) policy: Policy,
    pub(crate) prices: PriceLists,
}

impl Setting {
    /// Checks that the machine has a capability that a program asks for.
    ///
    /// # Panics
    /// If the machine cannot. The run then ends with this message.
    pub(crate) fn expect_capability(&self, capability: Capability) {
        let machine = &self.machine;
        assert!(
            machine.can.contains(&capability),
            "the program needs `{capability}`, which machine `{}` lacks (it has: {})",
            machine.name,
            machine.can.iter().map(|can| can.name()).collect::<Vec<_>>().join(", ")
        );
    }

    /// Whether the hardware keeps the caches and the interfaces of a node coherent.
    pub(crate) fn is_coherent(&self) -> bool {
        is_coherent(&self.machine)
    }

    /// Whether interfaces have staging buffers.
    pub(crate) fn has_staging(&self) -> bool {
        has_staging(&self.machine)
    }
}

/// Whether the hardware of a machine keeps the caches and the interfaces of a node coherent.
pub(crate) fn is_coherent(machine: &Machine) -> bool {
    machine.node_memory.as_ref().is_none_or(|memory| memory.cache.coherent)
}

/// Whether the interfaces of a machine have staging buffers.
pub(crate) fn has_staging(machine: &Machine) -> bool {
    machine.node_memory.as_ref().is_some_and(|memory| memory.staging.is_some())
}
