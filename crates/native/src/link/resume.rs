//! Wake-ups of threads: a waiting thread of any processor is made ready.
//!
//! A wake-up of another processor's thread is work in flight, and counted like a message (`quiescence`). This module must never know
//! messages, or the condition that a thread waits for.

use tempest::{NodeId, ThreadId, Waiter};

use crate::padding::bump;
use crate::parts::endpoint::Endpoint;
use crate::parts::node::Node;
use crate::parts::own_threads::OwnThreads;

/// Makes a thread of any processor ready, because its condition has become true.
#[inline]
pub(crate) fn make_ready(endpoint: &Endpoint, thread: ThreadId) {
    match endpoint.threads.number_of(thread.index) {
        Some(number) if thread.node == endpoint.node().id => endpoint.threads.push(number),
        _ => make_ready_elsewhere(endpoint, endpoint.threads.each(), thread),
    }
}

#[inline(never)]
fn make_ready_elsewhere(endpoint: &Endpoint, each: u32, thread: ThreadId) {
    let number = (thread.index / each) as usize;
    let index = thread.node.0 as usize * endpoint.world().processors_per_node() + number;
    bump(&endpoint.gauge().sent, 1);
    endpoint.world().nodes[thread.node.0 as usize].inboxes[number].push(thread.index);
    endpoint.world().fences.light();
    endpoint.world().parkers[index].wake();
}

/// Makes a thread of this node ready if it is still in the wait that `waiter` names. Returns whether it was.
#[inline]
pub(crate) fn end_own_wait(endpoint: &Endpoint, waiter: Waiter) -> bool {
    let node = endpoint.node();
    if endpoint.is_alone() {
        end_wait_alone(node, &endpoint.threads, waiter)
    } else {
        end_wait(endpoint, node.id, waiter)
    }
}

/// Makes a thread of this node ready if it is still in the wait that `waiter` names, if one OS thread runs all of the node.
#[inline]
pub(crate) fn end_wait_alone(node: &Node, threads: &OwnThreads, waiter: Waiter) -> bool {
    let ended = node.threads[waiter.thread as usize].end_wait_alone(waiter);
    if ended {
        // The processor has all threads of its node, and numbers them as the node does.
        threads.push(waiter.thread);
    }
    ended
}

/// Makes a thread of any node ready if it is still in the wait that `waiter` names. Returns whether it was.
pub(crate) fn end_wait(endpoint: &Endpoint, node: NodeId, waiter: Waiter) -> bool {
    let ended = endpoint.world().nodes[node.0 as usize].threads[waiter.thread as usize].end_wait(waiter);
    if ended {
        make_ready(endpoint, ThreadId { node, index: waiter.thread });
    }
    ended
}
