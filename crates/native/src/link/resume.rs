//! Wake-ups of threads: a waiting thread of any processor is made ready.
//!
//! A wake-up of another processor's thread is work in flight, and counted like a message (`quiescence`). This module must never know
//! messages, or the condition that a thread waits for.

use tempest::{NodeId, ThreadId, Waiter};

use crate::padding::bump;
use crate::parts::node::Node;
use crate::parts::own_threads::OwnThreads;
use crate::parts::seat::Seat;

/// Makes a thread of any processor ready, because its condition has become true.
#[inline]
pub(crate) fn make_ready(seat: &Seat, threads: &OwnThreads, thread: ThreadId) {
    match threads.number_of(thread.index) {
        Some(number) if thread.node == seat.node().id => threads.push(number),
        _ => make_ready_elsewhere(seat, threads.each(), thread),
    }
}

#[inline(never)]
fn make_ready_elsewhere(seat: &Seat, each: u32, thread: ThreadId) {
    let number = (thread.index / each) as usize;
    let index = thread.node.0 as usize * seat.world().processors_per_node() + number;
    bump(&seat.gauge().sent, 1);
    seat.world().nodes[thread.node.0 as usize].inboxes[number].push(thread.index);
    seat.world().fences.light();
    seat.world().parkers[index].wake();
}

/// Makes a thread of this node ready if it is still in the wait that `waiter` names. Returns whether it was.
#[inline]
pub(crate) fn end_own_wait(seat: &Seat, threads: &OwnThreads, waiter: Waiter) -> bool {
    let node = seat.node();
    if seat.is_alone() {
        end_wait_alone(node, threads, waiter)
    } else {
        end_wait(seat, threads, node.id, waiter)
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
pub(crate) fn end_wait(seat: &Seat, threads: &OwnThreads, node: NodeId, waiter: Waiter) -> bool {
    let ended = seat.world().nodes[node.0 as usize].threads[waiter.thread as usize].end_wait(waiter);
    if ended {
        make_ready(seat, threads, ThreadId { node, index: waiter.thread });
    }
    ended
}
