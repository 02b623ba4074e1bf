//! Sending: what a thread offers and what a handler posts, into the lane towards its node, counted and traced.
//!
//! This module must never know what a message is for, or who runs its handler.

use std::sync::atomic::{Ordering, fence};

use tempest::{NodeId, Packet};
use trace::Event as Traced;

use crate::gauge::bump;
use crate::processor::Processor;
use crate::ring::Origin;

/// One in so many sends of threads is timed: two looks at the clock cost as much as a send.
const SAMPLE: u32 = 64;

impl Processor {
    /// Counts a message that goes.
    pub(crate) fn count_message(&self, to: NodeId, packet: &Packet) {
        let node = &self.node().resident.node;
        let bytes = (to != node.id()).then(|| node.bytes(packet));
        self.gauge().count_message(node.volume(packet), bytes);
    }

    /// Wakes a sleeping processor of `to` that may receive. One that is awake will see the message before it sleeps,
    /// but only a dedicated one is sure to look soon.
    pub(crate) fn wake_receiver(&self, to: NodeId) {
        fence(Ordering::SeqCst);
        let mut berths = self.world.server_berths(to).iter();
        if self.world.split.dedicated == 0 || berths.clone().all(|berth| berth.is_taken()) {
            berths.any(|berth| berth.wake());
        }
    }

    /// Does what a thread sends, and times one in so many that went.
    #[inline]
    pub(crate) fn sample_send(&self, send: impl FnOnce() -> bool) -> bool {
        let sends = self.sends.get().wrapping_add(1);
        self.sends.set(sends);
        if !sends.is_multiple_of(SAMPLE) {
            return send();
        }
        let start = self.world.now_ns();
        let sent = send();
        if sent {
            bump(&self.gauge().overhead_ns, (self.world.now_ns() - start) * u64::from(SAMPLE));
        }
        sent
    }

    /// A thread's message, if there is room for it.
    #[inline]
    pub(crate) fn offer_now(&self, to: NodeId, packet: &Packet) -> bool {
        // Counted first: once it is in the ring it may be handled at any moment.
        let gauge = self.gauge();
        bump(&gauge.sent, 1);
        let (node, at) = (self.node(), self.tracer.time(&self.world));
        let sent = self.world.lane(node.id, to).offer(packet, &node.outboxed);
        if let Some(number) = sent {
            self.trace_send(at, to, packet, number);
            if self.local().has_room() {
                self.trace(|node, _| Traced::Resume { node, thread: self.current.get() });
            }
            self.attempts.set(0);
            self.count_message(to, packet);
            self.wake_receiver(to);
        } else {
            gauge.sent.store(gauge.sent.load(Ordering::Relaxed) - 1, Ordering::Relaxed);
            if !self.local().lacked_room() {
                gauge.count_refused();
            }
            // What was in the outbox may have gone into the ring on the way.
            self.wake_receiver(to);
            self.give_up_if_over();
        }
        sent.is_some()
    }

    /// Sends what never fails and never waits.
    pub(crate) fn post_counted(&self, to: NodeId, packet: &Packet, origin: Origin) {
        bump(&self.gauge().sent, 1);
        let (node, at) = (self.node(), self.tracer.time(&self.world));
        let number = self.world.lane(node.id, to).post(packet, origin, &node.outboxed);
        self.trace_send(at, to, packet, number);
        let outboxed = node.outboxed.load(Ordering::Relaxed);
        if outboxed > 0 {
            // Whoever serves this node has it to move on.
            self.wake_receiver(node.id);
        }
        if outboxed > self.world.outbox_limit {
            self.fail(format!(
                "{} has {outboxed} messages of handlers that its neighbours cannot take: the protocol starts messages \
                 faster than they are handled, without end",
                node.id
            ));
        }
        self.wake_receiver(to);
    }
}
