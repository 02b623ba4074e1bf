//! Wake-ups of threads: a waiting thread of any processor of the node is made ready. Each node resumes its own threads.
//!
//! A wake-up of another processor's thread is work in flight, and counted like a message (`quiescence`). This module must never know
//! messages, or the condition that a thread waits for.

use tempest::Waiter;
use tempest::world::SegmentId;

use crate::padding::bump;
use crate::parts::endpoint::Endpoint;
use crate::parts::node::Node;
use crate::parts::own_threads::OwnThreads;

/// Makes a thread of the node ready, because its condition has become true. `thread` is its index on the node.
#[inline]
pub(crate) fn make_ready(endpoint: &Endpoint, thread: u32) {
    match endpoint.threads.number_of(thread) {
        Some(number) => endpoint.threads.push(number),
        None => make_ready_elsewhere(endpoint, endpoint.threads.each(), thread),
    }
}

#[inline(never)]
fn make_ready_elsewhere(endpoint: &Endpoint, each: u32, thread: u32) {
    let (node, number) = (endpoint.node(), (thread / each) as usize);
    let index = node.id.0 as usize * endpoint.world().seating.per_node() + number;
    bump(&endpoint.gauge().sent, 1);
    node.inboxes[number].push(thread);
    endpoint.world().fences.light();
    endpoint.world().parkers[index].wake();
}

/// Makes a thread ready if it is still in the wait that `waiter` names. Returns whether it was. A message may have brought the waiter: if the
/// node has no such thread, the run ends.
#[inline]
pub(crate) fn end_wait_of_message(endpoint: &Endpoint, waiter: Waiter) -> bool {
    let exists = (waiter.thread as usize) < endpoint.node().threads.len();
    if !exists {
        refuse(endpoint, waiter);
    }
    exists && end_wait(endpoint, waiter)
}

#[cold]
fn refuse(endpoint: &Endpoint, waiter: Waiter) {
    let (node, threads) = (endpoint.node().id, endpoint.node().threads.len());
    endpoint.fail(format!("thread {} of {node} is resumed: {node} has {threads}", waiter.thread));
}

/// Makes a thread ready if it is still in the wait that `waiter` names. Returns whether it was.
#[inline]
pub(crate) fn end_wait(endpoint: &Endpoint, waiter: Waiter) -> bool {
    if endpoint.is_alone() {
        end_wait_alone(endpoint.node(), &endpoint.threads, waiter)
    } else {
        end_wait_beside_others(endpoint, waiter)
    }
}

/// Makes a thread ready if it is still in the wait that `waiter` names, if one OS thread runs all of the node.
#[inline]
pub(crate) fn end_wait_alone(node: &Node, threads: &OwnThreads, waiter: Waiter) -> bool {
    let ended = node.threads[waiter.thread as usize].end_wait_alone(waiter);
    if ended {
        // The processor has all threads of its node, and numbers them as the node does.
        threads.push(waiter.thread);
    }
    ended
}

/// Makes a thread ready if it is still in the wait that `waiter` names, if the node may have several processors.
pub(crate) fn end_wait_beside_others(endpoint: &Endpoint, waiter: Waiter) -> bool {
    let ended = endpoint.node().threads[waiter.thread as usize].end_wait(waiter);
    if ended {
        make_ready(endpoint, waiter.thread);
    }
    ended
}

/// Makes the threads ready whose awaited count of deposits into a segment has been reached. Returns false if there is no such segment.
#[cold]
pub(crate) fn end_waits_for_deposits(endpoint: &Endpoint, segment: SegmentId) -> bool {
    endpoint.node().resident.node.end_waits_for(segment, |waiter| {
        end_wait(endpoint, waiter);
    })
}
