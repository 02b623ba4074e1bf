//! Waiting: how the running thread gives its processor away, and how a thread of any processor is made ready.
//!
//! # Since when
//!
//! A report on blocked threads says since when each waits. A look at the clock takes longer than a switch, so a processor looks
//! when it becomes idle, when that ends, and once in [`LOOK_EVERY`] blocks. A thread is said to wait from the last look before
//! it blocked; the last one to block before the processor became idle, from then on, which is exact.
//!
//! This module must never know messages.

use tempest::world::Wait;
use tempest::{NodeId, ThreadId, Waiter};
use trace::Event as Traced;

use crate::apart::bump;
use crate::cluster::node::Node;
use crate::processor::core::Processor;
use crate::processor::stacks::PROCESSORS;
use crate::processor::threads::{Local, Reason};

/// One in so many blocks is worth a look at the clock, which costs as much as two switches.
const LOOK_EVERY: u64 = 64;

impl Processor {
    /// Makes a thread of any processor ready, whose condition has just come true.
    #[inline]
    pub(crate) fn make_ready(&self, thread: ThreadId) {
        match self.number_of(thread.index) {
            Some(number) if thread.node == self.node().id => self.ready.push(number),
            _ => self.make_ready_elsewhere(thread),
        }
    }

    #[inline(never)]
    fn make_ready_elsewhere(&self, thread: ThreadId) {
        let number = (thread.index / self.threads_each) as usize;
        let index = thread.node.0 as usize * self.world.processors_per_node() + number;
        bump(&self.gauge().sent, 1);
        self.world.nodes[thread.node.0 as usize].inboxes[number].push(thread.index);
        self.world.fences.light();
        self.world.berths[index].wake();
    }

    /// A thread of this node, if it still waits for this, is made ready.
    #[inline]
    pub(crate) fn end_own_wait(&self, waiter: Waiter) -> bool {
        let node = self.node();
        if self.is_alone() { self.end_wait_alone(node, waiter) } else { self.end_wait(node.id, waiter) }
    }

    /// Makes a thread of this node ready if it still waits for this. One OS thread runs all of the node.
    #[inline]
    pub(crate) fn end_wait_alone(&self, node: &Node, waiter: Waiter) -> bool {
        let ended = node.threads[waiter.thread as usize].end_wait_alone(waiter);
        if ended {
            // The processor has all threads of its node, and numbers them as the node does.
            self.ready.push(waiter.thread);
        }
        ended
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
    #[inline]
    pub(crate) fn wait_until(&self, reason: Reason, mut is_over: impl FnMut() -> bool) {
        if !is_over() {
            self.suspend_until(reason, is_over);
        }
    }

    /// Suspends the running thread until it is resumed and `is_over`.
    #[inline]
    pub(crate) fn suspend_until(&self, reason: Reason, mut is_over: impl FnMut() -> bool) {
        let (thread, local) = (self.current.get(), self.local());
        let awaits_block = u32::from(matches!(reason, Reason::Event(Wait::Block)));
        local.waits_for.set(Some(reason));
        self.note_block(local);
        self.awaited_blocks.set(self.awaited_blocks.get() + awaits_block);
        self.trace(|node, _| Traced::Block { node, thread, what: local.waits_for_what() });
        loop {
            self.give_way();
            if is_over() {
                break;
            }
        }
        self.trace(|node, _| Traced::Resume { node, thread });
        debug_assert_eq!(thread, self.current.get(), "a thread stays on its processor");
        self.awaited_blocks.set(self.awaited_blocks.get() - awaits_block);
        local.waits_for.set(None);
    }

    /// Gives the processor away: to the next ready thread, or to the loop where it has more to do.
    #[inline(always)]
    fn give_way(&self) {
        let running = self.current.get();
        while self.passes_turns
            && let Some(next) = self.next_turn()
        {
            if let Some(soon) = self.begin_turn(next) {
                fiber::prefetch(soon as usize);
            }
            if PROCESSORS.pass(next as usize) || self.current.get() == running {
                return;
            }
            // That one has ended.
        }
        self.current.set(running);
        PROCESSORS.suspend();
    }

    /// Counts a block, and says since when the running thread waits: from when its processor last looked at the clock, once in
    /// so many blocks.
    #[inline]
    fn note_block(&self, local: &Local) {
        if self.gauge().count_block().is_multiple_of(LOOK_EVERY) {
            self.note_time();
        }
        local.since_ns.set(self.seen_ns.get());
    }

    /// Looks at the clock as the processor becomes idle. The thread that ran last, if it waits, has just begun to.
    pub(crate) fn note_idleness(&self) -> u64 {
        let now = self.note_time();
        if let Some(number) = self.number_of(self.current.get()) {
            self.locals[number as usize].since_ns.set(now);
        }
        now
    }

    /// Looks at the clock.
    pub(crate) fn note_time(&self) -> u64 {
        let now = self.world.running_ns();
        self.seen_ns.set(now);
        now
    }

    /// Lets the other threads of this processor run, and serves, before the running one goes on.
    pub(crate) fn step_back(&self) {
        if self.stays() {
            return;
        }
        self.make_ready(ThreadId { node: self.node().id, index: self.current.get() });
        self.turns.set(0);
        PROCESSORS.suspend();
    }
}
