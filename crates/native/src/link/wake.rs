//! Waking sleeping processors that may receive a message, or serve an event that has become dispatchable.
//!
//! `parker` shows why no wake-up is lost. This module must never know the content of a message.

use tempest::NodeId;
use tempest::policy::Dispatch;

use crate::parts::dispatcher::Shared;
use crate::parts::endpoint::Endpoint;
use crate::parts::parker::Parker;

/// Wakes up to `events` sleeping servers of this node, one for each new event; all of them if each key is bound to one server.
pub(crate) fn servers(endpoint: &Endpoint, events: usize) {
    endpoint.world().fences.light();
    let node = endpoint.node().id;
    if !endpoint.world().someone_sleeps_on(node) {
        return;
    }
    let events = if endpoint.world().policy.dispatch == Dispatch::Partitioned { usize::MAX } else { events };
    let woken = endpoint.world().server_parkers(node).iter().filter(|parker| parker.wake());
    if woken.take(events).count() < events {
        endpoint.world().rouse_helper(node);
    }
}

/// Wakes the sleeping servers of this node if events wait: a released key may have made an event dispatchable.
pub(crate) fn idle_servers(endpoint: &Endpoint, shared: &Shared) {
    endpoint.world().fences.light();
    let node = endpoint.node().id;
    if endpoint.world().someone_sleeps_on(node) && !shared.queue.is_empty() {
        servers(endpoint, usize::MAX);
    }
}

/// Wakes a sleeping processor of `to` that may receive. An awake one will see the message before it sleeps, but only a dedicated one is
/// sure to look soon, unless it runs handlers that take long.
#[inline(always)]
pub(crate) fn receiver(endpoint: &Endpoint, to: NodeId) {
    endpoint.world().fences.light();
    if endpoint.is_alone() {
        endpoint.world().parkers[to.0 as usize].wake();
    } else {
        one_of(endpoint, to);
    }
}

/// Wakes a processor of the destination, which has several, or its helper.
#[inline]
fn one_of(endpoint: &Endpoint, to: NodeId) {
    if endpoint.world().someone_sleeps_on(to) {
        sleeper_of(endpoint, to);
    }
}

#[inline(never)]
fn sleeper_of(endpoint: &Endpoint, to: NodeId) {
    let mut parkers = endpoint.world().server_parkers(to).iter();
    let may_wake = endpoint.world().split.dedicated == 0 || are_away(endpoint, to);
    if !(may_wake && parkers.any(|parker| parker.wake())) {
        endpoint.world().rouse_helper(to);
    }
}

/// Whether no dedicated processor of a node will receive soon.
fn are_away(endpoint: &Endpoint, node: NodeId) -> bool {
    let parkers = endpoint.world().server_parkers(node);
    match endpoint.world().policy.dispatch {
        // No processor is engaged: an awake one runs the only handler.
        Dispatch::Serial => parkers.iter().all(Parker::is_parked),
        Dispatch::Keyed | Dispatch::Partitioned => Parker::are_away(parkers),
    }
}
