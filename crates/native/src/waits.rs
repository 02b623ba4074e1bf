//! Waiting: how the running thread gives its processor away, and how a thread of any processor is made ready.
//!
//! This module must never know messages.

use std::sync::atomic::{Ordering, fence};

use tempest::{NodeId, ThreadId, Waiter};
use trace::Event as Traced;

use crate::gauge::bump;
use crate::processor::Processor;
use crate::threads::Reason;

impl Processor {
    /// Makes a thread of any processor ready, whose condition has just come true.
    pub(crate) fn make_ready(&self, thread: ThreadId) {
        let number = (thread.index / (self.threads_per_node() / self.world.split.computing)) as usize;
        let index = thread.node.0 as usize * self.world.processors_per_node() + number;
        if index == self.index {
            self.ready.borrow_mut().push_back(thread.index);
            return;
        }
        bump(&self.gauge().sent, 1);
        self.world.nodes[thread.node.0 as usize].inboxes[number].push(thread.index);
        fence(Ordering::SeqCst);
        self.world.berths[index].wake();
    }

    pub(crate) fn threads_per_node(&self) -> u32 {
        self.node().resident.node.shape().threads
    }

    /// A thread of any node, if it still waits for this, is made ready.
    pub(crate) fn end_wait(&self, node: NodeId, waiter: Waiter) -> bool {
        let ended = self.world.nodes[node.0 as usize].threads[waiter.thread as usize].end_wait(waiter);
        if ended {
            self.make_ready(ThreadId { node, index: waiter.thread });
        }
        ended
    }

    /// Suspends the running thread until `is_over`.
    pub(crate) fn wait_until(&self, reason: Reason, mut is_over: impl FnMut() -> bool) {
        if is_over() {
            return;
        }
        let thread = self.current.get();
        self.gauge().count_block();
        self.local().waits_for.set(Some((reason, self.world.now())));
        self.trace(|node, _| Traced::Block { node, thread, what: reason.what() });
        while !is_over() {
            fiber::suspend();
        }
        self.trace(|node, _| Traced::Resume { node, thread });
        debug_assert_eq!(thread, self.current.get(), "a thread stays on its processor");
        self.local().waits_for.set(None);
    }

    /// The running thread is at a point where it may be given up. If the run is over it is, never to return.
    pub(crate) fn give_up_if_over(&self) {
        while !self.world.is_running() {
            fiber::suspend();
        }
    }

    /// Lets the other threads of this processor run before the running one goes on.
    pub(crate) fn step_back(&self) {
        self.ready.borrow_mut().push_back(self.current.get());
        fiber::suspend();
    }
}
