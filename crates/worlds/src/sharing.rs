//! The block size and the protocol of a run's shared memory. This module must never know what a protocol does.

use std::fmt;

use protocols::stache::STACHE;
use tempest::entry::{Coherence, Plan};

/// The block size and the protocol that keep a run's shared memory coherent. They matter only where the run's mechanism is
/// shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sharing {
    /// Bytes of a coherence block: one of [`Plan::BLOCKS`].
    pub block: u32,
    /// The protocol that keeps the copies of blocks coherent.
    pub protocol: &'static Coherence,
}

impl Default for Sharing {
    fn default() -> Self {
        Self { block: Plan::BLOCK, protocol: &STACHE }
    }
}

impl fmt::Display for Sharing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "blocks of {} bytes, kept coherent by {}", self.block, self.protocol)
    }
}
