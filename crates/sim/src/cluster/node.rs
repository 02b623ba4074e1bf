//! The parts of one node, at one instant.
//!
//! This module must never know how a part works.

use std::ops::Range;
use std::sync::Arc;

use tempest::world::Node as Waist;
use units::Time;

use crate::dispatch::{Dispatcher, View};
use crate::link::port::Port;
use crate::memory::Memory;
use crate::memory::trains::Trains;
use crate::processor::core::Core;
use crate::processor::threads::Threads;

/// A modelled node. The parts that every message touches stand side by side, and the memory system behind them, in this
/// order: of very many nodes hardly any lies in a near cache of the host.
#[repr(C, align(64))]
pub(crate) struct Node {
    pub(crate) waist: Arc<Waist>,
    /// The first of the node's processors, which are `first_core..first_core + cores` of the machine.
    pub(crate) first_core: usize,
    pub(crate) cores: usize,
    /// Whether each processor injects all that it sends, without a lock, and no other part need know of a send. It never changes.
    pub(crate) sends_at_once: bool,
    pub(crate) trains: Trains,
    pub(crate) threads: Threads,
    pub(crate) dispatch: Dispatcher,
    pub(crate) port: Port,
    pub(crate) memory: Memory,
}

impl Node {
    /// Range of the node's processors in the machine.
    pub(crate) fn all(&self) -> Range<usize> {
        self.first_core..self.first_core + self.cores
    }

    /// The node at the instant `now`, as its dispatch sees it. `running` is the processor of the machine whose fiber runs, and
    /// `room` says whether the interface has room.
    pub(super) fn view<'a>(
        &self,
        cores: &'a [Core],
        now: Time,
        running: Option<usize>,
        room: bool,
    ) -> View<'a> {
        let all = self.all();
        let running = running.filter(|core| all.contains(core)).map(|core| core - all.start);
        View { now, cores: &cores[all], running, room }
    }

    /// The node's shared memory.
    ///
    /// # Panics
    /// If the node's program has no shared memory.
    pub(crate) fn shared_memory(&self) -> &tempest::Memory {
        self.waist.memory().expect("blocks and rights to them are of shared memory")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A message touches most of a node and of its processor, and a machine may have a million of each.
    #[test]
    fn a_node_with_two_processors_takes_less_than_two_kibibytes_in_place() {
        let (node, core) = (size_of::<Node>(), size_of::<Core>());
        assert!(node + 2 * core <= 1792, "a node of {node} bytes with processors of {core}");
    }
}
