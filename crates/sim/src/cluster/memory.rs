//! The memory of a node, where it meets messages, keys and the agenda.
//!
//! This module must never know a protocol.

use tempest::Place;
use tempest::outcome::MemoryEvents;
use tempest::world::{Downgrade, Held};
use units::Time;

use super::Cluster;
use super::node::Node;
use crate::happening::Happening;
use crate::link::flights::Origin;
use crate::memory::at_work::AtWork;
use crate::memory::blocks::BlockWork;
use crate::memory::lowering::PutOff;
use crate::prices::WORD_BYTES;
use crate::processor::core::{Event, Job};

/// Waits, from the present time on, for the line of an access of the thread on `core`. `store` says whether the access
/// stores, `faulted` whether it has faulted before. The line stays in the cache in the state that the node's present
/// right to its block allows.
#[inline]
pub(crate) fn miss(cluster: &mut Cluster, core: usize, address: u64, (store, faulted): (bool, bool)) {
    let Cluster { cores, nodes, agenda, setting, measure, .. } = cluster;
    let core = &mut cores[core];
    let Node { memory, waist, .. } = &mut nodes[core.node()];
    let keep = memory.keep_at(waist, address);
    let (now, prices, anatomy) = (agenda.now(), &setting.prices, &mut measure.anatomy);
    AtWork { now, core, memory, prices, anatomy }.miss(address, store, faulted, keep);
}

/// Charges the handler on `core` for work on a block as a whole.
pub(crate) fn spend_block(cluster: &mut Cluster, core: usize, work: &BlockWork) {
    let next = cluster.at_work(core).spend_block(work);
    post_at(cluster, cluster.cores[core].node(), next);
}

impl Node {
    /// Puts `words` words that have come through the interface in memory, from `place` on. Returns the time at which
    /// the device may write the next line.
    pub(super) fn put(&mut self, place: Place, words: usize, now: Time) -> Option<Time> {
        let address = self.waist.address(place, words).expect("the words are in their place");
        self.memory.put(address, words as u64 * WORD_BYTES, now)
    }
}

/// Lets the device of a node write the next line that has been placed.
pub(crate) fn write_posted(cluster: &mut Cluster, node: usize) {
    let next = cluster.nodes[node].memory.write_posted(cluster.agenda.now());
    post_at(cluster, node, next);
}

/// Lets the device of a node write its next line at a time, if there is one.
pub(super) fn post_at(cluster: &mut Cluster, node: usize, next: Option<Time>) {
    if let Some(at) = next {
        cluster.agenda.push(node, at, Happening::Post { node: node as u32 });
    }
}

/// The counts of a node's memory system since the start of the run.
pub(crate) fn events(cluster: &Cluster, node: usize) -> MemoryEvents {
    let staging = cluster.link.staging.as_ref();
    let (packets, fall_throughs) = staging.map_or((0, 0), |staging| staging.counts(node));
    MemoryEvents { packets, fall_throughs, ..cluster.nodes[node].memory.events() }
}

/// Takes a right away at the end of the handler on `core`. Returns the lowering if it has to wait for an access.
pub(crate) fn lower(cluster: &Cluster, core: usize, lowering: Box<Downgrade>) -> Option<Box<Downgrade>> {
    let memory = cluster.nodes[cluster.cores[core].node()].shared_memory();
    if memory.is_pinned(lowering.blocks()) {
        return Some(lowering);
    }
    memory.lower(lowering.blocks(), lowering.tag);
    None
}

/// Puts a lowering off after the handler on `core` has ended. The handler's key stays held until the right is taken away.
pub(crate) fn put_off(cluster: &mut Cluster, core: usize, held: Held, lowering: Box<Downgrade>) {
    let like = cluster.cores[core].purpose();
    let node = cluster.leave_handler(core);
    cluster.nodes[node].memory.lowerings.put_off(held, lowering, (like.kind, like.class));
    cluster.agenda.note_progress();
    // The access may have been done while the handler was ending.
    go_on_lowering(cluster, core);
    cluster.free(core);
    cluster.notify(node);
}

/// Takes rights away that waited for an access on the node of `core`, after an access has been done there.
pub(crate) fn go_on_lowering(cluster: &mut Cluster, core: usize) {
    let node = cluster.cores[core].node();
    while let Some(PutOff { held, lowering, like }) = next_lowering(&mut cluster.nodes[node]) {
        let flight = cluster.local_event(node, &lowering.then, Origin::Lowered, Some(like));
        cluster.nodes[node].dispatch.events.resume(Job { held, event: Event::Message { flight } });
        cluster.notify(node);
    }
}

fn next_lowering(node: &mut Node) -> Option<PutOff> {
    node.memory.lowerings.take_next(node.waist.memory()?)
}
