//! Timed regions: all threads of all nodes enter together, outside the program's own messages, and each node measures meanwhile.
//!
//! ```text
//! the last thread of a node       arrives at the node's barrier, and the node tells node 0
//! node 0, after the last node     has each node measure; all measure the same moment
//! a node                          measures, and tells node 0
//! node 0, after the last node     has each node open its barrier
//! ```
//!
//! No thread of any node goes on before the last step, so the program's counts do not change between the first measurement and the
//! last. This module must never know the content of a measurement.

use tempest::NodeId;
use trace::Event as Traced;

use crate::control::KEEPER;
use crate::control::message::{Control, RegionName};
use crate::control::tell::{tell, tell_all};
use crate::link::resume;
use crate::measure::totals;
use crate::parts::endpoint::Endpoint;
use crate::parts::gathering::Misstep;
use crate::parts::node::Node;

/// Registers a thread of the node, by its index, at a region. Returns the number of regions that have to be entered before it goes on.
///
/// # Panics
/// If threads of the node enter different regions, or more regions than a run may have.
pub(crate) fn arrive(endpoint: &Endpoint, thread: u32, name: &'static str) -> u32 {
    let barrier = &endpoint.node().regions;
    let arrival = barrier.arrive(thread, name);
    if arrival.is_last {
        tell(endpoint, KEEPER, Control::Arrived(RegionName::of(name)));
        barrier.enlist(thread, arrival.count);
    }
    arrival.count
}

/// Counts a node that has arrived at a region. After the last one, each node measures. Returns false if the node has arrived before.
pub(crate) fn note_arrival(endpoint: &Endpoint, from: NodeId, name: RegionName) -> bool {
    match endpoint.world().gathering.arrive(from.0 as usize, &name.to_string()) {
        Ok(false) => {}
        Ok(true) => tell_all(endpoint, Control::Measure(endpoint.world().now_ns())),
        Err(Misstep::Elsewhere(other)) => {
            endpoint.fail(format!("phase `{name}` is entered while other threads enter phase `{other}`"));
        }
        Err(Misstep::Untimely) => return false,
    }
    true
}

/// Takes the node's measurement of a moment. Returns false if threads of the node have not arrived, it has measured already, or the moment is to
/// come.
pub(crate) fn measure(endpoint: &Endpoint, at: u64) -> bool {
    let (node, world) = (endpoint.node(), endpoint.world());
    let (arrived, threads) = node.regions.arrivals();
    if arrived != threads
        || measured(node) != node.regions.entered()
        || at > world.now_ns() + CLOCKS_DIFFER_NS
    {
        return false;
    }
    node.regions.measure(|name| totals::start(world, node.id, name, at));
    tell(endpoint, KEEPER, Control::Measured);
    true
}

/// Time in nanoseconds by which the clocks of two processes of a host may differ: a second, which is far more than they do.
const CLOCKS_DIFFER_NS: u64 = 1_000_000_000;

/// Number of regions at which a node has measured.
fn measured(node: &Node) -> u32 {
    node.regions.with_measured(<[_]>::len) as u32
}

/// Counts a node that has measured. After the last one, all threads go on. Returns false if the node is not to measure.
pub(crate) fn note_measured(endpoint: &Endpoint, from: NodeId) -> bool {
    match endpoint.world().gathering.measured(from.0 as usize) {
        Ok(false) => {}
        Ok(true) => tell_all(endpoint, Control::Enter),
        Err(_) => return false,
    }
    true
}

/// Lets the threads of the node enter the region. Returns false if the node has not measured.
pub(crate) fn enter(endpoint: &Endpoint) -> bool {
    let node = endpoint.node();
    if measured(node) != node.regions.entered() + 1 {
        return false;
    }
    let waiting = node.regions.open();
    if node.id == KEEPER {
        let index = node.regions.entered() - 1;
        let name = node.regions.with_measured(|starts| starts.last().map_or("", |start| start.name));
        endpoint.tracer.trace(|_, _| Traced::Phase { index, name });
    }
    waiting.into_iter().for_each(|thread| resume::make_ready(endpoint, thread));
    true
}
