//! What never changes in a run: the machine, the policy, and what follows from both.
//!
//! Must never know an instant.

use machine::Machine;
use tempest::Policy;

use crate::prices::PriceLists;

/// What never changes in a run.
pub(crate) struct Setting {
    pub(crate) machine: Machine,
    pub(crate) policy: Policy,
    pub(crate) prices: PriceLists,
    /// Whether nodes have a network processor at work: all that concerns one is skipped where there is none.
    pub(crate) assisted: bool,
    /// Whether processors of a node share their threads.
    pub(crate) shares_threads: bool,
    /// Whether the policy changes the roles of processors while a program runs.
    pub(crate) adapts: bool,
}
