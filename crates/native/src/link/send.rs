//! Sending: what a thread offers and what a handler posts, into the lane towards its node, counted and traced.
//!
//! This module must never know what a message is for, or who runs its handler.

use std::sync::atomic::Ordering;

use tempest::NodeId;
use tempest::policy::Dispatch;
use tempest::world::{MessageId, Packet};
use trace::Event as Traced;
use units::Bytes;

use crate::apart::bump;
use crate::cluster::node::Node;
use crate::link::ring::Origin;
use crate::measure::gauge::Gauge;
use crate::processor::berth::Berth;
use crate::processor::core::{Doing, Processor};

/// One in so many sends of threads is timed: two looks at the clock cost as much as a send.
const SAMPLE: u32 = 64;

impl Processor {
    /// Counts a message that goes.
    #[inline]
    pub(crate) fn count_message(&self, to: NodeId, packet: &Packet) {
        count(self.node(), self.gauge(), to, packet);
    }

    /// Wakes a sleeping processor of `to` that may receive. One that is awake will see the message before it sleeps,
    /// but only a dedicated one is sure to look soon, unless it runs handlers that take long.
    #[inline(always)]
    pub(crate) fn wake_receiver(&self, to: NodeId) {
        self.world.fences.light();
        if self.is_alone() {
            self.world.berths[to.0 as usize].wake();
        } else {
            self.wake_one_of(to);
        }
    }

    /// Wakes one processor of the destination, which has several, or its helper.
    #[inline]
    fn wake_one_of(&self, to: NodeId) {
        if self.world.someone_sleeps_on(to) {
            self.wake_sleeper_of(to);
        }
    }

    #[inline(never)]
    fn wake_sleeper_of(&self, to: NodeId) {
        let mut berths = self.world.server_berths(to).iter();
        let may_wake = self.world.split.dedicated == 0 || self.are_away(to);
        if !(may_wake && berths.any(|berth| berth.wake())) {
            self.world.rouse_helper(to);
        }
    }

    /// Whether no dedicated processor of a node is going to receive soon.
    fn are_away(&self, node: NodeId) -> bool {
        let berths = self.world.server_berths(node);
        match self.world.policy.dispatch {
            // Nobody is engaged: who is awake has the only handler.
            Dispatch::Serial => berths.iter().all(Berth::is_taken),
            Dispatch::Keyed | Dispatch::Partitioned => Berth::are_away(berths),
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
        let (node, gauge, at) = (self.node(), self.gauge(), self.tracer.time(&self.world));
        if to == node.id {
            self.take_floor();
        }
        // Counted first: once it is in the ring it may be handled at any moment.
        bump(&gauge.sent, 1);
        let lane = &self.lanes[to.0 as usize];
        let Some(number) = lane.offer(packet, self.bursts.stretch(), &node.backlog) else {
            return self.is_refused(to);
        };
        self.trace_send(at, to, packet, number);
        if self.lacking.get() > 0 {
            self.note_room();
        }
        self.attempts.set(0);
        count(node, gauge, to, packet);
        self.wake_receiver(to);
        true
    }

    /// A thread has found room: perhaps one that lacked it.
    #[cold]
    fn note_room(&self) {
        if self.local().has_room() {
            self.lacking.set(self.lacking.get() - 1);
            self.trace(|node, _| Traced::Resume { node, thread: self.current.get() });
        }
    }

    /// There was no room for a thread's message, and so it was not sent. Returns whether the thread is to go on as if it had been:
    /// it is unwound in a run that is over, and would try for ever.
    #[cold]
    fn is_refused(&self, to: NodeId) -> bool {
        let gauge = self.gauge();
        gauge.sent.store(gauge.sent.load(Ordering::Relaxed) - 1, Ordering::Relaxed);
        if !self.local().lacked_room() {
            gauge.count_refused();
        }
        // What was in the outbox may have gone into the ring on the way.
        self.wake_receiver(to);
        self.give_up_if_over();
        !self.world.is_running()
    }

    /// Sends what never fails and never waits.
    #[inline]
    pub(crate) fn post_counted(&self, to: NodeId, packet: &Packet, origin: Origin) {
        bump(&self.gauge().sent, 1);
        let (node, at) = (self.node(), self.tracer.time(&self.world));
        let lane = &self.lanes[to.0 as usize];
        let number = lane.post(packet, origin, self.bursts.stretch(), &node.backlog);
        if node.backlog.words() > 0 {
            self.note_outboxed(packet, number.is_some());
        }
        self.trace_send(at, to, packet, number.unwrap_or(0));
        self.wake_receiver(to);
    }

    /// Messages of handlers wait in this node's outboxes: whoever serves it has them to move on. The last one may have found no
    /// memory there.
    #[cold]
    fn note_outboxed(&self, packet: &Packet, has_place: bool) {
        self.wake_receiver(self.node().id);
        if matches!(self.doing.get(), Doing::Handler(_)) {
            self.outboxed.set(self.outboxed.get() + 1 + packet.words().len() as u64);
        }
        if !has_place {
            self.fail(self.out_of_memory());
        }
        if !self.world.is_running() {
            abandon();
        }
    }

    /// Why the outboxes have no memory left, for people.
    fn out_of_memory(&self) -> String {
        let node = self.node();
        let limit = Bytes::new(self.world.bounds.quota.bytes() as u64);
        let [here, own] = [node.backlog.words() as u64, self.outboxed.get()]
            .map(|words| format!("{} KiB", words * size_of::<u64>() as u64 / 1024));
        format!(
            "{self} found no memory for what it sends: the messages of handlers that no node has room for yet fill the {limit} \
             that the world has for them, {here} of them on {}, {own} from this one run; expected a protocol whose messages \
             come to an end, and handlers that send no more at once than memory holds (`Local::with_outboxes` gives more)",
            node.id,
        )
    }

    /// A handler of messages of this kind has run, and has left something in the outboxes.
    #[cold]
    pub(crate) fn note_fan_out(&self, id: MessageId) {
        self.world.bounds.windows.narrow(id, self.outboxed.take());
    }
}

/// Unwinds what sends although the run is over, and so has nobody to send to: it takes no more memory, and its time is its
/// own. What is being unwound already goes on with that.
fn abandon() {
    if !std::thread::panicking() {
        std::panic::resume_unwind(Box::new(Abandoned));
    }
}

/// What sent although the run was over is unwound with.
struct Abandoned;

/// Counts a message of a node that goes.
#[inline(always)]
fn count(node: &Node, gauge: &Gauge, to: NodeId, packet: &Packet) {
    let (volume, bytes) = node.resident.node.size(packet);
    gauge.count_message(volume, (to != node.id).then_some(bytes), packet.words().len());
}
