//! Wake-ups of threads: a waiting thread of any processor is made ready.
//!
//! A wake-up of another processor's thread is work in flight, and counted like a message (`quiescence`). This module must never know
//! messages, or the condition that a thread waits for.

use tempest::{NodeId, ThreadId, Waiter};

use crate::apart::bump;
use crate::parts::core::Processor;
use crate::parts::node::Node;

/// Makes a thread of any processor ready, because its condition has become true.
#[inline]
pub(crate) fn make_ready(processor: &Processor, thread: ThreadId) {
    match processor.threads.number_of(thread.index) {
        Some(number) if thread.node == processor.node().id => processor.threads.push(number),
        _ => make_ready_elsewhere(processor, thread),
    }
}

#[inline(never)]
fn make_ready_elsewhere(processor: &Processor, thread: ThreadId) {
    let number = (thread.index / processor.threads.each()) as usize;
    let index = thread.node.0 as usize * processor.world().processors_per_node() + number;
    bump(&processor.gauge().sent, 1);
    processor.world().nodes[thread.node.0 as usize].inboxes[number].push(thread.index);
    processor.world().fences.light();
    processor.world().berths[index].wake();
}

/// Makes a thread of this node ready if it is still in the wait that `waiter` names. Returns whether it was.
#[inline]
pub(crate) fn end_own_wait(processor: &Processor, waiter: Waiter) -> bool {
    let node = processor.node();
    if processor.is_alone() {
        end_wait_alone(processor, node, waiter)
    } else {
        end_wait(processor, node.id, waiter)
    }
}

/// Makes a thread of this node ready if it is still in the wait that `waiter` names, if one OS thread runs all of the node.
#[inline]
pub(crate) fn end_wait_alone(processor: &Processor, node: &Node, waiter: Waiter) -> bool {
    let ended = node.threads[waiter.thread as usize].end_wait_alone(waiter);
    if ended {
        // The processor has all threads of its node, and numbers them as the node does.
        processor.threads.push(waiter.thread);
    }
    ended
}

/// Makes a thread of any node ready if it is still in the wait that `waiter` names. Returns whether it was.
pub(crate) fn end_wait(processor: &Processor, node: NodeId, waiter: Waiter) -> bool {
    let ended = processor.world().nodes[node.0 as usize].threads[waiter.thread as usize].end_wait(waiter);
    if ended {
        make_ready(processor, ThreadId { node, index: waiter.thread });
    }
    ended
}
