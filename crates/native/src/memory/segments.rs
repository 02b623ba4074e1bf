//! Memory of other nodes: words that a processor writes where they belong, with no handler of the receiver.
//!
//! This module must never know rings or policies.

use tempest::world::{Node, Transfer};
use tempest::{NodeId, Place};

use crate::processor::core::Processor;

impl Processor {
    /// A node as other nodes reach its segments: in one process, as itself.
    #[inline]
    pub(crate) fn memory_of(&self, node: NodeId) -> &Node {
        &self.world.nodes[node.0 as usize].resident.node
    }

    /// A thread's deposit: the words are in place when this returns.
    #[inline]
    pub(crate) fn deposit_now(&self, to: NodeId, place: Place, words: &[u64]) {
        let at = self.tracer.time(&self.world);
        if !self.write(to, place, words) {
            return;
        }
        let remote = to != self.node().id;
        self.gauge().count_deposit(remote.then_some(size_of_val(words) as u64));
        self.trace_deposit(at, to, words);
        self.memory_of(to).count_deposit(place, words.len(), |waiter| {
            self.end_wait(to, waiter);
        });
    }

    /// Writes the words of a transfer to their places on a node. False, and the run is over, if they do not fit there.
    pub(crate) fn scatter(&self, to: NodeId, transfer: Transfer<'_>) -> bool {
        transfer.placed().all(|(place, words)| self.write(to, place, words))
    }

    pub(crate) fn count_transfer(&self, to: NodeId, transfer: Transfer<'_>) {
        self.gauge().count_transfer((to != self.node().id).then_some(size_of_val(transfer.words) as u64));
    }

    /// Writes words into the memory of a node. False, and the run is over, if they do not fit where they should go.
    pub(crate) fn write(&self, to: NodeId, place: Place, words: &[u64]) -> bool {
        let written = self.memory_of(to).write(self.node().id, place, words);
        written.map_err(|bad| self.fail(bad.to_string())).is_ok()
    }
}
