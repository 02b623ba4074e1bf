//! Timed regions of a run: all threads of all nodes enter one together, and every gauge is read at that instant.
//!
//! This module must never know the measured quantity.

use trace::Event as Traced;

use super::{Cluster, gauges, trains};
use crate::measure::phases::Entry;

/// Lets a thread enter the next region. Returns whether it must wait for other threads.
pub(crate) fn enter(cluster: &mut Cluster, node: usize, thread: u32, name: &'static str) -> bool {
    // Every node has as many threads as any other.
    let threads = cluster.nodes.len() * cluster.nodes[node].threads.len();
    let entry = cluster.measure.phases.enter(node, thread, name, threads);
    let Entry::Begins { index, waiting } = entry else {
        cluster.agenda.hold(node);
        return true;
    };
    cluster.agenda.release();
    cluster.record(Traced::Phase { index, name });
    trains::catch_up_all(cluster);
    let reading = gauges::reading(cluster);
    cluster.measure.phases.begin(name, reading);
    waiting.into_iter().for_each(|(node, thread)| cluster.make_ready(node, thread));
    false
}
