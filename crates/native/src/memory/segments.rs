//! Segments of other nodes: words that a processor writes to their destination without a handler of the receiver.
//!
//! This module must never know rings or policies.

use tempest::world::{Segments, Transfer};
use tempest::{NodeId, Place};

use crate::control::message::Control;
use crate::control::tell::tell;
use crate::link::resume;
use crate::parts::endpoint::Endpoint;

/// The segments of a node.
#[inline]
pub(crate) fn segments_of(endpoint: &Endpoint, node: NodeId) -> &Segments {
    &endpoint.node().links.view_of(node).segments
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
    match segments_of(endpoint, to).count_deposit(place, words.len()) {
        Ok(false) => {}
        Ok(true) => end_waits(endpoint, to, place),
        Err(full) => endpoint.fail(format!("{full}, on {to}")),
    }
}

/// Has a node look for threads whose awaited count of deposits has been reached.
#[cold]
fn end_waits(endpoint: &Endpoint, node: NodeId, place: Place) {
    if node == endpoint.node().id {
        resume::end_waits_for_deposits(endpoint, place.segment);
    } else {
        tell(endpoint, node, Control::Deposited(place.segment));
    }
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
    let written = segments_of(endpoint, to).write((endpoint.node().id, to), place, words);
    written.map_err(|bad| endpoint.fail(bad.to_string())).is_ok()
}
