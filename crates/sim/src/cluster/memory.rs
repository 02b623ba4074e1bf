//! The memory of a node, where it meets messages, keys and the agenda.
//!
//! This module must never know a protocol.

use hardware::memory::Keep;
use tempest::MemoryEvents;
use tempest::world::{Held, Lowering};
use units::Time;

use super::Cluster;
use super::node::Node;
use crate::agenda::Agenda;
use crate::happening::Happening;
use crate::link::flights::Origin;
use crate::memory::at_work::AtWork;
use crate::memory::blocks::BlockWork;
use crate::memory::lowering::PutOff;
use crate::memory::train::{Train, Trains};
use crate::processor::clock::Pending;
use crate::processor::core::{Event, Job};

/// The state in which the line of an address may stay in the cache of `core`.
pub(crate) fn keep_at(cluster: &Cluster, core: usize, address: u64) -> Keep {
    let node = &cluster.nodes[cluster.cores[core].node()];
    node.memory.keep_at(&node.waist, address)
}

/// Charges the handler on `core` for work on a block as a whole.
pub(crate) fn spend_block(cluster: &mut Cluster, core: usize, work: &BlockWork) {
    let next = cluster.at_work(core).spend_block(work);
    post_at(cluster, cluster.cores[core].node(), next);
}

/// Advances engine time to the clock of `core`, whose fiber runs now, and makes the transactions that are pending then. Returns
/// true if an event comes before. The fiber must then suspend; it is resumed when its transactions are made.
#[inline]
pub(crate) fn settle(cluster: &mut Cluster, core: usize) -> bool {
    if !cluster.cores[core].clock.pends() {
        return cluster.settle(core);
    }
    settle_and_make(cluster, core)
}

#[inline(never)]
fn settle_and_make(cluster: &mut Cluster, core: usize) -> bool {
    let (mut work, agenda, trains) = at_work(cluster, core);
    let clock = &mut work.core.clock;
    // The pending transactions belong to this fiber. The next fiber on this core has transactions of its own.
    let (ahead, pending) = (clock.take_ahead(), clock.take_pending());
    let goes_on = if ahead.is_zero() { None } else { agenda.pass(ahead) };
    work.now = agenda.now();
    if goes_on.is_none() && passes_undisturbed(&mut work, agenda, pending) {
        return false;
    }
    let place = trains.begin(work.core, Train::of_transactions(pending));
    let goes_on = goes_on.or_else(|| run(&mut work, agenda, place));
    goes_on.map(|at| cluster.continue_at(core, at)).is_some()
}

/// Lets the fiber at work on `core` make the requests of a train. Returns true if an event comes before the train's end. The
/// fiber must then suspend, and the train [goes on](go_on) without it.
pub(crate) fn make(cluster: &mut Cluster, core: usize, train: Train) -> bool {
    let own = &cluster.cores[core];
    cluster.nodes[own.node()].trains.begin(own, train);
    go_on(cluster, core)
}

/// Goes on with the train of the fiber at work on `core`, if it makes one. Returns true if the fiber still waits for it.
#[inline]
pub(crate) fn go_on(cluster: &mut Cluster, core: usize) -> bool {
    if cluster.nodes[cluster.cores[core].node()].trains.are_none() {
        return false;
    }
    go_on_with_train(cluster, core)
}

#[inline(never)]
fn go_on_with_train(cluster: &mut Cluster, core: usize) -> bool {
    let (mut work, agenda, trains) = at_work(cluster, core);
    let Some(place) = trains.of(work.core) else { return false };
    if ends_undisturbed(&mut work, agenda, place) {
        return false;
    }
    run(&mut work, agenda, place).map(|at| cluster.continue_at(core, at)).is_some()
}

/// Takes the steps of a train up to its end. Returns the time of the next step, if an event comes before.
fn run(work: &mut AtWork<'_>, agenda: &mut Agenda, place: &mut Option<Train>) -> Option<Time> {
    while let Some(train) = place {
        if !train.step(work) {
            *place = None;
            break;
        }
        let ahead = work.core.clock.take_ahead();
        if !ahead.is_zero() {
            if let Some(at) = agenda.pass(ahead) {
                return Some(at);
            }
            work.now = agenda.now();
        }
        if ends_undisturbed(work, agenda, place) {
            break;
        }
    }
    None
}

/// Ends a train at once, if no event or other client can disturb the rest of it. Returns whether it is over.
#[inline]
fn ends_undisturbed(work: &mut AtWork<'_>, agenda: &mut Agenda, place: &mut Option<Train>) -> bool {
    let left = place.as_ref().and_then(Train::unasked);
    let ends = left.is_some_and(|left| passes_undisturbed(work, agenda, left));
    if ends {
        *place = None;
    }
    ends
}

/// Makes transactions at once, if no event or other client can disturb them before their end. Returns whether engine time has come to their end.
#[inline]
fn passes_undisturbed(
    work: &mut AtWork<'_>,
    agenda: &mut Agenda,
    Pending { made, alone, .. }: Pending,
) -> bool {
    let passes = work.finds_bus_free() && agenda.pass(alone).is_none();
    if passes {
        work.make_undisturbed(made, alone);
    }
    passes
}

/// The processor `core` at work, with the agenda and the trains of its node.
fn at_work(cluster: &mut Cluster, core: usize) -> (AtWork<'_>, &mut Agenda, &mut Trains) {
    let Cluster { cores, nodes, agenda, setting, measure, .. } = cluster;
    let core = &mut cores[core];
    let Node { memory, trains, .. } = &mut nodes[core.node()];
    let (prices, anatomy) = (&setting.prices, &mut measure.anatomy);
    (AtWork { now: agenda.now(), core, memory, prices, anatomy }, agenda, trains)
}

/// The device of a node writes the next line that has been placed.
pub(crate) fn write_posted(cluster: &mut Cluster, node: usize) {
    let next = cluster.nodes[node].memory.write_posted(cluster.agenda.now());
    post_at(cluster, node, next);
}

fn post_at(cluster: &mut Cluster, node: usize, next: Option<Time>) {
    if let Some(at) = next {
        cluster.agenda.push(node, at, Happening::Post { node: node as u32 });
    }
}

/// The counts of a node's memory system so far.
pub(crate) fn events(cluster: &Cluster, node: usize) -> MemoryEvents {
    let staging = cluster.link.staging.as_ref();
    let (packets, fall_throughs) = staging.map_or((0, 0), |staging| staging.counts(node));
    MemoryEvents { packets, fall_throughs, ..cluster.nodes[node].memory.events() }
}

/// Takes a right away at the end of the handler on `core`. Returns the lowering if it has to wait for an access.
pub(crate) fn lower(cluster: &Cluster, core: usize, lowering: Box<Lowering>) -> Option<Box<Lowering>> {
    let memory = cluster.nodes[cluster.cores[core].node()].shared_memory();
    if memory.is_pinned(&lowering) {
        return Some(lowering);
    }
    memory.lower(&lowering);
    None
}

/// Puts a lowering off after the handler on `core` has ended. The handler's key stays held until the right is taken away.
pub(crate) fn put_off(cluster: &mut Cluster, core: usize, held: Held, lowering: Box<Lowering>) {
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
