//! Waking sleeping processors that may receive a message, or serve an event that has become dispatchable.
//!
//! `parker` shows why no wake-up is lost. This module must never know the content of a message.

use tempest::NodeId;
use tempest::policy::Dispatch;

use crate::parts::dispatcher::Shared;
use crate::parts::parker::Parker;
use crate::parts::seat::Seat;

/// Wakes up to `events` sleeping servers of this node, one for each new event; all of them if each key is bound to one server.
pub(crate) fn servers(seat: &Seat, events: usize) {
    seat.world().fences.light();
    let node = seat.node().id;
    if !seat.world().someone_sleeps_on(node) {
        return;
    }
    let events = if seat.world().policy.dispatch == Dispatch::Partitioned { usize::MAX } else { events };
    let woken = seat.world().server_parkers(node).iter().filter(|parker| parker.wake());
    if woken.take(events).count() < events {
        seat.world().rouse_helper(node);
    }
}

/// Wakes the sleeping servers of this node if events wait: a released key may have made an event dispatchable.
pub(crate) fn idle_servers(seat: &Seat, shared: &Shared) {
    seat.world().fences.light();
    let node = seat.node().id;
    if seat.world().someone_sleeps_on(node) && !shared.queue.is_empty() {
        servers(seat, usize::MAX);
    }
}

/// Wakes a sleeping processor of `to` that may receive. An awake one will see the message before it sleeps, but only a dedicated one is
/// sure to look soon, unless it runs handlers that take long.
#[inline(always)]
pub(crate) fn receiver(seat: &Seat, to: NodeId) {
    seat.world().fences.light();
    if seat.is_alone() {
        seat.world().parkers[to.0 as usize].wake();
    } else {
        one_of(seat, to);
    }
}

/// Wakes a processor of the destination, which has several, or its helper.
#[inline]
fn one_of(seat: &Seat, to: NodeId) {
    if seat.world().someone_sleeps_on(to) {
        sleeper_of(seat, to);
    }
}

#[inline(never)]
fn sleeper_of(seat: &Seat, to: NodeId) {
    let mut parkers = seat.world().server_parkers(to).iter();
    let may_wake = seat.world().split.dedicated == 0 || are_away(seat, to);
    if !(may_wake && parkers.any(|parker| parker.wake())) {
        seat.world().rouse_helper(to);
    }
}

/// Whether no dedicated processor of a node will receive soon.
fn are_away(seat: &Seat, node: NodeId) -> bool {
    let parkers = seat.world().server_parkers(node);
    match seat.world().policy.dispatch {
        // No processor is engaged: an awake one runs the only handler.
        Dispatch::Serial => parkers.iter().all(Parker::is_parked),
        Dispatch::Keyed | Dispatch::Partitioned => Parker::are_away(parkers),
    }
}
