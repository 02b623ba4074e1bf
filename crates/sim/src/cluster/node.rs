//! One node at one instant: its parts side by side.
//!
//! Must never know how a part works.

use std::sync::Arc;

use tempest::world::Node as Waist;

use crate::dispatch::Dispatcher;
use crate::link::Port;
use crate::memory::Memory;
use crate::processor::threads::Threads;

/// One node.
pub(crate) struct Node {
    pub(crate) waist: Arc<Waist>,
    /// The node's processors are `first_core..first_core + cores` of the machine.
    pub(crate) first_core: usize,
    pub(crate) cores: usize,
    pub(crate) threads: Threads,
    pub(crate) dispatch: Dispatcher,
    pub(crate) port: Port,
    pub(crate) memory: Memory,
    /// The place of this node's events among simultaneous ones of other nodes: drawn from the seed.
    pub(crate) tie: u32,
}
