//! Sending: messages of threads and handlers into the lane to their destination, counted and traced.
//!
//! This module must never know the purpose of a message, or which processor runs its handler.

use std::sync::atomic::Ordering;

use tempest::NodeId;
use tempest::world::{MessageId, Packet};
use trace::Event as Traced;
use units::Bytes;

use crate::link::wake;
use crate::padding::bump;
use crate::parts::core::Activity;
use crate::parts::gauge::Gauge;
use crate::parts::node::Node;
use crate::parts::own_threads::OwnThreads;
use crate::parts::seat::Seat;
use crate::parts::stacks;
use crate::parts::tuning::SENDS_PER_TIMED;
use crate::rings::ring::Origin;

/// Unwinds a sender after the run has ended, so that it takes no more memory. During a panic it does nothing: the sender is being unwound
/// already.
fn abandon() {
    if !std::thread::panicking() {
        std::panic::resume_unwind(Box::new(Abandoned));
    }
}

/// Panic payload of a send after the end of the run.
struct Abandoned;

/// Counts a message of a node that is sent to `to`.
#[inline(always)]
fn count(node: &Node, gauge: &Gauge, to: NodeId, packet: &Packet) {
    let (volume, bytes) = node.resident.node.size(packet);
    gauge.count_message(volume, (to != node.id).then_some(bytes), packet.words().len());
}

/// Counts a message that this processor sends.
#[inline]
pub(crate) fn count_message(seat: &Seat, to: NodeId, packet: &Packet) {
    count(seat.node(), seat.gauge(), to, packet);
}

/// Calls `send` for a thread. Times one send of every [`SENDS_PER_TIMED`].
#[inline]
pub(crate) fn sample_send(seat: &Seat, send: impl FnOnce() -> bool) -> bool {
    if !seat.sending.is_sampled() {
        return send();
    }
    let start = seat.world().now_ns();
    let sent = send();
    if sent {
        bump(&seat.gauge().overhead_ns, (seat.world().now_ns() - start) * u64::from(SENDS_PER_TIMED));
    }
    sent
}

/// Sends a thread's message if there is room for it.
#[inline]
pub(crate) fn offer_now(seat: &Seat, threads: &OwnThreads, to: NodeId, packet: &Packet) -> bool {
    let (node, gauge, at) = (seat.node(), seat.gauge(), seat.tracer.time());
    if to == node.id {
        seat.take_hint();
    }
    // Counted first: once it is in the ring it may be handled at any moment.
    bump(&gauge.sent, 1);
    let lane = seat.sending.lane(to);
    let Some(number) = lane.offer(packet, seat.sending.bursts.stretch(), &node.backlog) else {
        return is_refused(seat, threads, to);
    };
    seat.tracer.send(at, to, packet, number);
    if threads.lack_room() {
        note_room(seat, threads);
    }
    seat.sending.note_room();
    count(node, gauge, to, packet);
    wake::receiver(seat, to);
    true
}

/// Traces the end of a wait for room, if the thread was waiting.
#[cold]
fn note_room(seat: &Seat, threads: &OwnThreads) {
    if threads.has_room() {
        seat.tracer.trace(|node, _| Traced::Resume { node, thread: threads.current() });
    }
}

/// Handles a refused message of a thread: there was no room, and it was not sent. Returns whether the thread shall go on as if it had been
/// sent: a thread that is unwound after the end of the run would otherwise try for ever.
#[cold]
fn is_refused(seat: &Seat, threads: &OwnThreads, to: NodeId) -> bool {
    let gauge = seat.gauge();
    gauge.sent.store(gauge.sent.load(Ordering::Relaxed) - 1, Ordering::Relaxed);
    if !threads.local().lacked_room() {
        gauge.count_refused();
    }
    // The attempt may have moved messages from the outbox into the ring.
    wake::receiver(seat, to);
    stacks::give_up_if_over(seat.world());
    !seat.world().is_running()
}

/// Sends a handler's message, which never waits. If the outboxes have no memory left, the run ends with an error.
#[inline]
pub(crate) fn post_counted(seat: &Seat, threads: &OwnThreads, to: NodeId, packet: &Packet, origin: Origin) {
    bump(&seat.gauge().sent, 1);
    let (node, at) = (seat.node(), seat.tracer.time());
    let lane = seat.sending.lane(to);
    let number = lane.post(packet, origin, seat.sending.bursts.stretch(), &node.backlog);
    if node.backlog.words() > 0 {
        note_outboxed(seat, threads, packet, number.is_some());
    }
    seat.tracer.send(at, to, packet, number.unwrap_or(0));
    wake::receiver(seat, to);
}

/// Handles messages that wait in this node's outboxes: wakes a server to move them on. The last message may have found no memory there,
/// which ends the run.
#[cold]
fn note_outboxed(seat: &Seat, threads: &OwnThreads, packet: &Packet, has_place: bool) {
    wake::receiver(seat, seat.node().id);
    if threads.occupation.is_handler() {
        seat.sending.note_outboxed(1 + packet.words().len() as u64);
    }
    if !has_place {
        seat.fail(out_of_memory(seat, threads));
    }
    if !seat.world().is_running() {
        abandon();
    }
}

/// The error message for outboxes without memory.
fn out_of_memory(seat: &Seat, threads: &OwnThreads) -> String {
    let (node, activity) = (seat.node(), Activity { seat, threads });
    let limit = Bytes::new(seat.world().bounds.quota.bytes() as u64);
    let [here, own] = [node.backlog.words() as u64, seat.sending.outboxed()]
        .map(|words| format!("{} KiB", words * size_of::<u64>() as u64 / 1024));
    format!(
        "outboxes are full ({limit}; {} holds {here}, {own} of it from {activity}): handlers send faster than receivers drain; \
         expected messages that come to an end, and handlers that send no more at once than memory holds \
         (`Local::with_outboxes` gives more)",
        node.id,
    )
}

/// Reports the words that a handler of messages of kind `id` has left in outboxes to the credit windows.
#[cold]
pub(crate) fn note_fan_out(seat: &Seat, id: MessageId) {
    seat.world().bounds.windows.narrow(id, seat.sending.take_outboxed());
}
