//! Memory of other nodes: words that a processor writes to their destination without a handler of the receiver.
//!
//! This module must never know rings or policies.

use tempest::world::{Node, Transfer};
use tempest::{NodeId, Place};

use crate::link::resume;
use crate::parts::endpoint::Endpoint;

/// The node whose segments other nodes access: all nodes are in one process.
#[inline]
pub(crate) fn memory_of(endpoint: &Endpoint, node: NodeId) -> &Node {
    &endpoint.world().nodes[node.0 as usize].resident.node
}

/// Makes a thread's deposit. The words are in place when this returns.
#[inline]
pub(crate) fn deposit_now(endpoint: &Endpoint, to: NodeId, place: Place, words: &[u64]) {
    let at = endpoint.tracer.time();
    if !write(endpoint, to, place, words) {
        return;
    }
    let remote = to != endpoint.node().id;
    endpoint.gauge().count_deposit(remote.then_some(size_of_val(words) as u64));
    endpoint.tracer.deposit(at, to, words);
    memory_of(endpoint, to).count_deposit(place, words.len(), |waiter| {
        resume::end_wait(endpoint, to, waiter);
    });
}

/// Writes the words of a transfer to their places on a node. If they do not fit there, ends the run and returns false.
pub(crate) fn scatter(endpoint: &Endpoint, to: NodeId, transfer: Transfer<'_>) -> bool {
    transfer.placed().all(|(place, words)| write(endpoint, to, place, words))
}

pub(crate) fn count_transfer(endpoint: &Endpoint, to: NodeId, transfer: Transfer<'_>) {
    endpoint.gauge().count_transfer((to != endpoint.node().id).then_some(size_of_val(transfer.words) as u64));
}

/// Writes words into the memory of a node. If they do not fit at `place`, ends the run and returns false.
pub(crate) fn write(endpoint: &Endpoint, to: NodeId, place: Place, words: &[u64]) -> bool {
    let written = memory_of(endpoint, to).write(endpoint.node().id, place, words);
    written.map_err(|bad| endpoint.fail(bad.to_string())).is_ok()
}
