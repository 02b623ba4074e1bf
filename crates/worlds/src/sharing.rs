//! The block size and the protocol of a run's shared memory. This module must never know the behaviour of a protocol.

use std::fmt;

use protocols::stache::STACHE;
use tempest::entry::{Coherence, Plan};

use crate::Target;

/// Default block size in bytes for programs that run on this host alone. A miss takes about as long there for any block
/// size, so that long blocks save misses (`docs/speed.md`).
const NATIVE_BLOCK: u32 = 128;

/// The block size and the protocol that keep a run's shared memory coherent. They matter only where the run's mechanism is
/// shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sharing {
    /// Bytes of a coherence block: a value of [`Plan::BLOCKS`].
    pub block: u32,
    /// The protocol that keeps the copies of blocks coherent.
    pub protocol: &'static Coherence,
}

impl Default for Sharing {
    fn default() -> Self {
        Self { block: Plan::BLOCK, protocol: &STACHE }
    }
}

impl Sharing {
    /// The size of a block in bytes where none is asked for: 128 where this host is the only target, and
    /// [`Plan::BLOCK`] where a model is among the targets, so that all have blocks of one size.
    pub fn usual_block<'t>(targets: impl IntoIterator<Item = &'t Target>) -> u32 {
        if targets.into_iter().all(Target::is_native) { NATIVE_BLOCK } else { Plan::BLOCK }
    }
}

impl fmt::Display for Sharing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "blocks of {} bytes, kept coherent by {}", self.block, self.protocol)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_longer_where_no_model_runs() {
        let model = Target::find("hurricane", &[]).expect("it is shipped");
        assert_eq!(Sharing::usual_block([&Target::Native]), 128);
        assert_eq!(Sharing::usual_block([&Target::Native, &model]), 64);
        assert_eq!(Sharing::usual_block([&model]), 64);
    }
}
