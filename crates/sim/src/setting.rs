//! What never changes in a run: the machine, the policy, and what follows from both.
//!
//! Must never know an instant.

use hardware::Prices;
use machine::Machine;
use tempest::Policy;

/// What never changes in a run.
pub(crate) struct Setting {
    pub(crate) machine: Machine,
    pub(crate) policy: Policy,
    /// What a program's own operations take.
    pub(crate) prices: Prices,
}
