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
use crate::link::Link;

/// Asks for what the events that come soon touch. The soonest of them comes first.
#[cold]
pub(crate) fn ask(cluster: &Cluster, fibers: &Fibers, [next, after, later]: [Option<Happening>; 3]) {
    if let Some(happening) = later {
        ask_for_subject(cluster, happening);
    }
    match after {
        Some(Happening::Network { event }) => ask_for_way(cluster, event),
        Some(Happening::Pass { flight }) => ask_for_queue(cluster, flight),
        Some(happening) => {
            let node = node_of(cluster, happening);
            node.into_iter().for_each(|node| ask_for_parts(cluster, fibers, node));
        }
        None => {}
    }
    match next {
        Some(Happening::Network { event }) => ask_for_port(cluster, event),
        Some(Happening::Pass { flight }) => place_of(cluster, flight).dispatch.events.prefetch(),
        Some(happening) => {
            let node = node_of(cluster, happening);
            node.into_iter().for_each(|node| ask_inside_parts(cluster, fibers, node));
        }
        None => {}
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
        Happening::Network { event } => cluster.link.road.ask_for_message(event),
        Happening::Packet { .. }
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

/// Asks for the channels of an event inside the network, and for the flight that it brings to a port in.
fn ask_for_way(cluster: &Cluster, event: hardware::Event) {
    let Link { road, flights, .. } = &cluster.link;
    road.ask_for_channels(event);
    road.brings(event).into_iter().for_each(|flight| pdq::prefetch(&flights[flight]));
}

/// Asks for the interface of the node to whose port in an event inside the network brings a flight.
fn ask_for_port(cluster: &Cluster, event: hardware::Event) {
    if let Some(flight) = cluster.link.road.brings(event) {
        pdq::prefetch(&place_of(cluster, flight).port);
    }
}

/// Asks for the interface and the dispatch queue of the node that a flight comes to.
fn ask_for_queue(cluster: &Cluster, flight: u32) {
    let place = place_of(cluster, flight);
    pdq::prefetch(&place.port);
    pdq::prefetch(&place.dispatch);
}

/// The node that a flight comes to.
fn place_of(cluster: &Cluster, flight: u32) -> &Node {
    &cluster.nodes[cluster.link.flights[flight].to()]
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
