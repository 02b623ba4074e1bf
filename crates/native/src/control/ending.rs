//! The end of a world, or its deadlock: how the nodes find it together.
//!
//! Node 0 keeps the search (`parts::ending`). The last processor of a node to become idle always calls [`detect`] after it has said so, and
//! then sees all processors of the node idle, so a node replies to each wave in the end. At the end that the search finds, the world has
//! ended if every thread has returned. Otherwise the remaining threads wait for events that no processor is left to cause: a deadlock.

use tempest::NodeId;
use units::Time;

use crate::control::KEEPER;
use crate::control::message::Control;
use crate::control::quiescence::sums;
use crate::control::tell::tell;
use crate::parts::ending::{Reply, Sequel};
use crate::parts::endpoint::Endpoint;
use crate::parts::world::Stage;

/// Sums a thread of the node that has returned. After the last one, the keeper is told.
pub(crate) fn note_return(endpoint: &Endpoint) {
    if endpoint.node().note_return() {
        tell(endpoint, KEEPER, Control::Returned);
    }
}

/// Begins a due wave, and replies to a wave in progress, if the node is idle. For a processor that has just become idle.
pub(crate) fn detect(endpoint: &Endpoint) {
    let (world, node) = (endpoint.world(), endpoint.node());
    if !world.is_running() {
        return;
    }
    if node.id == KEEPER
        && let Some(wave) = world.search.begin()
    {
        follow(endpoint, Sequel::Wave(wave));
    }
    while let Some(wave) = node.asked()
        && let Some(reply) = reply(endpoint)
        && node.answers(wave)
    {
        if node.id == KEEPER {
            note_reply(endpoint, node.id, wave, reply);
        } else {
            tell(endpoint, KEEPER, Control::Reply(wave, reply));
        }
    }
}

/// The reply of the node; `None` if it is not idle.
fn reply(endpoint: &Endpoint) -> Option<Reply> {
    let gauges = endpoint.world().gauges_of(endpoint.node().id);
    let sums = sums(gauges.clone())?;
    let idle_since = gauges.map(|gauge| gauge.sleeps_since()).max().unwrap_or(0);
    Some(Reply { sent: sums.sent, handled: sums.handled, idle_since })
}

/// Records the reply of a node. At the end of the world, stops it.
pub(crate) fn note_reply(endpoint: &Endpoint, from: NodeId, wave: u64, reply: Reply) {
    follow(endpoint, endpoint.world().search.reply(wave, from.0 as usize, reply));
}

fn follow(endpoint: &Endpoint, sequel: Sequel) {
    match sequel {
        Sequel::Nothing => {}
        Sequel::Wave(wave) => {
            let nodes = endpoint.node().resident.node.shape().nodes;
            (1..nodes).for_each(|node| tell(endpoint, NodeId(node), Control::Wave(wave)));
            endpoint.node().ask(wave);
        }
        Sequel::Quiescent { since, finished } => stop(endpoint, since, finished),
    }
}

fn stop(endpoint: &Endpoint, since: Time, finished: bool) {
    let stage = if finished { Stage::Ended } else { Stage::Deadlocked };
    endpoint.world().stop_at(stage, since);
}
