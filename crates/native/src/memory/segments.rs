//! Memory of other nodes: words that a processor writes to their destination without a handler of the receiver.
//!
//! This module must never know rings or policies.

use tempest::world::{Node, Transfer};
use tempest::{NodeId, Place};

use crate::link::resume;
use crate::parts::own_threads::OwnThreads;
use crate::parts::seat::Seat;

/// The node whose segments other nodes access: all nodes are in one process.
#[inline]
pub(crate) fn memory_of(seat: &Seat, node: NodeId) -> &Node {
    &seat.world().nodes[node.0 as usize].resident.node
}

/// Makes a thread's deposit. The words are in place when this returns.
#[inline]
pub(crate) fn deposit_now(seat: &Seat, threads: &OwnThreads, to: NodeId, place: Place, words: &[u64]) {
    let at = seat.tracer.time();
    if !write(seat, to, place, words) {
        return;
    }
    let remote = to != seat.node().id;
    seat.gauge().count_deposit(remote.then_some(size_of_val(words) as u64));
    seat.tracer.deposit(at, to, words);
    memory_of(seat, to).count_deposit(place, words.len(), |waiter| {
        resume::end_wait(seat, threads, to, waiter);
    });
}

/// Writes the words of a transfer to their places on a node. If they do not fit there, ends the run and returns false.
pub(crate) fn scatter(seat: &Seat, to: NodeId, transfer: Transfer<'_>) -> bool {
    transfer.placed().all(|(place, words)| write(seat, to, place, words))
}

pub(crate) fn count_transfer(seat: &Seat, to: NodeId, transfer: Transfer<'_>) {
    seat.gauge().count_transfer((to != seat.node().id).then_some(size_of_val(transfer.words) as u64));
}

/// Writes words into the memory of a node. If they do not fit at `place`, ends the run and returns false.
pub(crate) fn write(seat: &Seat, to: NodeId, place: Place, words: &[u64]) -> bool {
    let written = memory_of(seat, to).write(seat.node().id, place, words);
    written.map_err(|bad| seat.fail(bad.to_string())).is_ok()
}
