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

use crate::control::message::{Control, RegionName};
use crate::control::tell::{tell, tell_all};
use crate::link::resume;
use crate::measure::totals;
use crate::parts::endpoint::Endpoint;

/// The node that keeps the gathering of all.
const KEEPER: NodeId = NodeId(0);

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

/// Counts a node that has arrived at a region. After the last one, each node measures.
pub(crate) fn note_arrival(endpoint: &Endpoint, name: RegionName) {
    match endpoint.world().gathering.arrive(&name.to_string()) {
        Ok(false) => {}
        Ok(true) => tell_all(endpoint, Control::Measure(endpoint.world().now_ns())),
        Err(other) => {
            endpoint.fail(format!("phase `{name}` is entered while other threads enter phase `{other}`"));
        }
    }
}

/// Takes the node's measurement of a moment.
pub(crate) fn measure(endpoint: &Endpoint, at: u64) {
    let node = endpoint.node();
    node.regions.measure(|name| totals::start(endpoint.world(), node.id, name, at));
    tell(endpoint, KEEPER, Control::Measured);
}

/// Counts a node that has measured. After the last one, all threads go on.
pub(crate) fn note_measured(endpoint: &Endpoint) {
    if endpoint.world().gathering.measured() {
        tell_all(endpoint, Control::Enter);
    }
}

/// Lets the threads of the node enter the region.
pub(crate) fn enter(endpoint: &Endpoint) {
    let node = endpoint.node();
    let waiting = node.regions.open();
    if node.id == KEEPER {
        let index = node.regions.entered() - 1;
        let name = node.regions.with_measured(|starts| starts.last().map_or("", |start| start.name));
        endpoint.tracer.trace(|_, _| Traced::Phase { index, name });
    }
    waiting.into_iter().for_each(|thread| resume::make_ready(endpoint, thread));
}
