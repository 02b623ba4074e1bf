//! The modelled worlds: their promises, their parts under whole programs, and the results of the studies.

mod adders;
mod computing;
mod dispatch;
mod doubling;
mod endless;
mod entries;
mod every;
#[path = "../../../machine/tests/it/folder.rs"]
mod folder;
mod horizon;
mod host;
mod keys;
mod lines;
mod many;
mod memory;
mod network;
mod overflow;
mod pairs;
mod private;
mod promises;
mod random;
mod receipt;
mod roles;
mod setup;
mod shared_memory;
#[path = "../../../machine/tests/it/slower.rs"]
mod slower;
mod software;
mod stacks;
mod switched;
mod traffic;
mod utilization;
mod wire;
