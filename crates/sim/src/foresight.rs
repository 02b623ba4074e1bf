//! Asks the host's memory for what the next events will touch, while the present one happens.
//!
//! On very many nodes each event touches some dozens of cache lines that lie in no near cache, most of them in the node's parts and
//! on the stack of its thread. Asked for one after the other they would take longer than all that is computed. An event is
//! foreseen twice: first the parts of its node, then the memory that these name. Where all nodes share one queue of events, most
//! events touch too little to be worth the effort.
//!
//! This module must never change anything that a run can see.

use crate::cluster::Cluster;
use crate::fibers::Fibers;
use crate::happening::Happening;

/// Asks for what the next event touches, and for the parts of the node of the event after it.
#[cold]
pub(crate) fn ask(cluster: &Cluster, fibers: &Fibers, [next, after]: [Option<(usize, Happening)>; 2]) {
    if let Some((node, _)) = after {
        ask_for_parts(cluster, fibers, node);
    }
    if let Some((node, happening)) = next {
        flight(happening).into_iter().for_each(|flight| pdq::prefetch(&cluster.link.flights[flight]));
        ask_inside_parts(cluster, fibers, node);
    }
}

/// The flight of an event.
fn flight(happening: Happening) -> Option<u32> {
    match happening {
        Happening::Arrive { flight }
        | Happening::Pass { flight }
        | Happening::Deliver { flight }
        | Happening::Forward { flight }
        | Happening::Overflow { flight, .. } => Some(flight),
        _ => None,
    }
}

/// Asks for the parts of a node, its processors, and the places of its threads' stacks.
fn ask_for_parts(cluster: &Cluster, fibers: &Fibers, node: usize) {
    let place = &cluster.nodes[node];
    pdq::prefetch(place);
    pdq::prefetch(&cluster.cores[place.all()]);
    fibers.ask_for_places(node);
}

/// Asks for what the parts of a node hold elsewhere.
fn ask_inside_parts(cluster: &Cluster, fibers: &Fibers, node: usize) {
    let place = &cluster.nodes[node];
    place.threads.prefetch();
    place.dispatch.events.prefetch();
    place.waist.prefetch_kinds();
    fibers.ask_for_stack(node);
}
