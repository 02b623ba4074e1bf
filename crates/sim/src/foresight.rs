//! Asks the host's memory for what the next events will touch, while the present one happens.
//!
//! On very many nodes each event touches some dozens of cache lines that lie in no near cache, most of them in the node's parts and
//! on the stack of its thread. Asked for one after the other they would take longer than all that is computed. An event is
//! foreseen three times: first what it names, then the parts of its node, then the memory that these name.
//!
//! This module must never change anything that a run can see.

use crate::cluster::Cluster;
use crate::cluster::node::Node;
use crate::fibers::Fibers;
use crate::happening::Happening;

/// The passages after the present one, among those of its delay, for which the host's memory is asked: first for what a passage names,
/// then for what that names, and so on. A passage takes the host little time.
const AHEAD: [usize; 3] = [12, 8, 4];

/// Asks for what the events that come soon touch. The soonest of them comes first.
#[cold]
pub(crate) fn ask(cluster: &Cluster, fibers: &Fibers, [next, after, later]: [Option<Happening>; 3]) {
    if let Some(happening) = later {
        ask_for_subject(cluster, happening);
    }
    if let Some(node) = after.and_then(|happening| node_of(cluster, happening)) {
        ask_for_parts(cluster, fibers, node);
    }
    if let Some(node) = next.and_then(|happening| node_of(cluster, happening)) {
        ask_inside_parts(cluster, fibers, node);
    }
}

/// Asks for what the passages touch that follow the present one with the same delay. They are of one kind.
#[cold]
pub(crate) fn ask_for_passages(cluster: &Cluster) {
    let [far, between, near] = AHEAD;
    let Cluster { agenda, nodes, link, .. } = cluster;
    match agenda.passage_ahead(far) {
        Some(Happening::Network { event }) => {
            link.road.ask_for_message(event);
            if let Some(Happening::Network { event }) = agenda.passage_ahead(between)
                && let Some((flight, node)) = link.road.ask_for_channels(event)
            {
                pdq::prefetch(&link.flights[flight]);
                pdq::prefetch(&nodes[node].port);
            }
        }
        Some(Happening::Pass { flight }) => {
            let place_of = |flight| &nodes[link.flights[flight].to()];
            pdq::prefetch(&link.flights[flight]);
            if let Some(Happening::Pass { flight }) = agenda.passage_ahead(between) {
                let Node { port, dispatch, .. } = place_of(flight);
                pdq::prefetch(port);
                pdq::prefetch(dispatch);
            }
            if let Some(Happening::Pass { flight }) = agenda.passage_ahead(near) {
                place_of(flight).dispatch.events.prefetch();
            }
        }
        _ => {}
    }
}

/// Asks for what an event names.
fn ask_for_subject(cluster: &Cluster, happening: Happening) {
    match happening {
        Happening::Arrive { flight }
        | Happening::Pass { flight }
        | Happening::Deliver { flight }
        | Happening::Forward { flight }
        | Happening::Overflow { flight, .. } => pdq::prefetch(&cluster.link.flights[flight]),
        Happening::Continue { core, .. } => pdq::prefetch(&cluster.cores[core as usize]),
        Happening::Network { .. }
        | Happening::Packet { .. }
        | Happening::Post { .. }
        | Happening::Look { .. }
        | Happening::Reach { .. } => {}
    }
}

/// The node of an event; `None` for an event inside the network.
fn node_of(cluster: &Cluster, happening: Happening) -> Option<usize> {
    match happening {
        Happening::Arrive { flight }
        | Happening::Pass { flight }
        | Happening::Deliver { flight }
        | Happening::Forward { flight }
        | Happening::Overflow { flight, .. } => Some(cluster.link.flights[flight].to()),
        Happening::Continue { core, .. } => Some(cluster.cores[core as usize].node()),
        Happening::Post { node } | Happening::Look { node } | Happening::Reach { node } => {
            Some(node as usize)
        }
        Happening::Network { .. } | Happening::Packet { .. } => None,
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
