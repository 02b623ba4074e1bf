//! What never changes in a run: the machine, the policy, and what follows from both.
//!
//! Must never know an instant.

use machine::{Capability, Machine};
use tempest::Policy;

use crate::prices::PriceLists;

/// What never changes in a run.
pub(crate) struct Setting {
    pub(crate) machine: Machine,
    pub(crate) policy: Policy,
    pub(crate) prices: PriceLists,
}

impl Setting {
    /// Insists that the machine can do what a program asks for.
    ///
    /// # Panics
    /// If it cannot, which ends the run with that message.
    pub(crate) fn expect_capability(&self, capability: Capability) {
        let machine = &self.machine;
        assert!(machine.can.contains(&capability), "machine `{}` has no `{capability}`", machine.name);
    }

    /// Whether caches and interfaces of the machine keep each other up to date by themselves.
    pub(crate) fn is_coherent(&self) -> bool {
        self.machine.node_memory.as_ref().is_none_or(|memory| memory.cache.coherent)
    }
}
