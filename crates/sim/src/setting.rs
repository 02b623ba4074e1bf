//! What never changes in a run: the machine, the policy, and what follows from both.
//!
//! Must never know an instant.

use hardware::Prices;
use machine::{Machine, NodeMemory, Transaction};
use tempest::Policy;
use units::Time;

/// What never changes in a run.
pub(crate) struct Setting {
    pub(crate) machine: Machine,
    pub(crate) policy: Policy,
    /// What a program's own operations take.
    pub(crate) prices: Prices,
    /// Whether nodes have a network processor at work: all that concerns one is skipped where there is none.
    pub(crate) assisted: bool,
    /// Whether processors of a node share their threads.
    pub(crate) shares_threads: bool,
    /// Whether the policy changes the roles of processors while a program runs.
    pub(crate) adapts: bool,
    /// Whether several processors of a node run handlers, each with a cache of its own for directory entries.
    pub(crate) shares_entries: bool,
    /// How far ahead of engine time a thread may load from shared memory.
    pub(crate) lead: Time,
}

/// How far ahead of engine time threads of a machine may load from shared memory: by one transaction.
pub(crate) fn lead(machine: &Machine) -> Time {
    let transfer = |memory: &NodeMemory| memory.uncontended(Transaction::Transfer, machine.memory.line);
    machine.node_memory.as_ref().map_or(machine.memory.read, transfer)
}
