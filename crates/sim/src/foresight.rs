//! Asks the host's memory for what the next events will touch, while the present one happens.
//!
//! On very many nodes each event touches some dozens of cache lines that lie in no near cache, most of them in the node's parts and
//! on the stack of its thread. Asked for one after the other they would take longer than all that is computed. An event is
//! foreseen twice: first the parts of its node, then the memory that these name. Where all nodes share one queue of events, most
//! events touch too little to be worth the effort.
//!
//! This module must never change anything that a run can see.

use crate::cluster::Cluster;
use crate::cluster::node::Node;
use crate::fibers::Fibers;
use crate::happening::Happening;
use crate::link::Link;

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

/// The places, among events of one delay, of those that are foreseen behind the present one: first the message of an event, then what
/// the message names, then what that names.
const AHEAD: [usize; 3] = [12, 8, 4];

/// Asks for what the events that have the present one's delay will touch.
#[inline]
pub(crate) fn ask_along(cluster: &Cluster) {
    let [far, between, near] = cluster.agenda.behind(AHEAD);
    let Link { road, flights, .. } = &cluster.link;
    match far {
        Some(Happening::Network { event }) => road.ask_for_message(event),
        Some(Happening::Pass { flight }) => pdq::prefetch(&flights[flight]),
        _ => {}
    }
    match between {
        Some(Happening::Network { event }) => {
            if let Some(flight) = road.ask_for_channels(event) {
                pdq::prefetch(&flights[flight]);
            }
        }
        Some(Happening::Pass { flight }) => ask_for_port(&cluster.nodes[flights[flight].to()]),
        _ => {}
    }
    match near {
        Some(Happening::Network { event }) => {
            if let Some(flight) = road.brings(event) {
                ask_for_port(&cluster.nodes[flights[flight].to()]);
            }
        }
        Some(Happening::Pass { flight }) => cluster.nodes[flights[flight].to()].dispatch.events.prefetch(),
        _ => {}
    }
}

/// Asks for the parts of a node that a message passes on its way in.
fn ask_for_port(Node { port, dispatch, .. }: &Node) {
    pdq::prefetch(port);
    pdq::prefetch(dispatch);
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
