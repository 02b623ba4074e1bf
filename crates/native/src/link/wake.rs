//! Waking sleeping processors that may receive a message, or serve an event that has become dispatchable.
//!
//! `berth` shows why no wake-up is lost. This module must never know the content of a message.

use tempest::NodeId;
use tempest::policy::Dispatch;

use crate::parts::berth::Berth;
use crate::parts::core::Processor;
use crate::parts::dispatcher::Shared;

/// Wakes up to `events` sleeping servers of this node, one for each new event; all of them if each key is bound to one server.
pub(crate) fn servers(processor: &Processor, events: usize) {
    processor.world().fences.light();
    let node = processor.node().id;
    if !processor.world().someone_sleeps_on(node) {
        return;
    }
    let events = if processor.world().policy.dispatch == Dispatch::Partitioned { usize::MAX } else { events };
    let woken = processor.world().server_berths(node).iter().filter(|berth| berth.wake());
    if woken.take(events).count() < events {
        processor.world().rouse_helper(node);
    }
}

/// Wakes the sleeping servers of this node if events wait: a released key may have made an event dispatchable.
pub(crate) fn idle_servers(processor: &Processor, shared: &Shared) {
    processor.world().fences.light();
    let node = processor.node().id;
    if processor.world().someone_sleeps_on(node) && !shared.queue.is_empty() {
        servers(processor, usize::MAX);
    }
}

/// Wakes a sleeping processor of `to` that may receive. An awake one will see the message before it sleeps, but only a dedicated one is
/// sure to look soon, unless it runs handlers that take long.
#[inline(always)]
pub(crate) fn receiver(processor: &Processor, to: NodeId) {
    processor.world().fences.light();
    if processor.is_alone() {
        processor.world().berths[to.0 as usize].wake();
    } else {
        one_of(processor, to);
    }
}

/// Wakes a processor of the destination, which has several, or its helper.
#[inline]
fn one_of(processor: &Processor, to: NodeId) {
    if processor.world().someone_sleeps_on(to) {
        sleeper_of(processor, to);
    }
}

#[inline(never)]
fn sleeper_of(processor: &Processor, to: NodeId) {
    let mut berths = processor.world().server_berths(to).iter();
    let may_wake = processor.world().split.dedicated == 0 || are_away(processor, to);
    if !(may_wake && berths.any(|berth| berth.wake())) {
        processor.world().rouse_helper(to);
    }
}

/// Whether no dedicated processor of a node will receive soon.
fn are_away(processor: &Processor, node: NodeId) -> bool {
    let berths = processor.world().server_berths(node);
    match processor.world().policy.dispatch {
        // No processor is engaged: an awake one runs the only handler.
        Dispatch::Serial => berths.iter().all(Berth::is_taken),
        Dispatch::Keyed | Dispatch::Partitioned => Berth::are_away(berths),
    }
}
