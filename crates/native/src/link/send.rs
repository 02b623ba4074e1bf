//! Sending: messages of threads and handlers into the lane to their destination, counted and traced. Emptying the outboxes of a node, and
//! acknowledging handled messages.
//!
//! `backlog` shows why no acknowledgement is forgotten. This module must never know the purpose of a message, or which processor runs its
//! handler.

use std::sync::atomic::Ordering;

use tempest::NodeId;
use tempest::world::{MessageId, Packet};
use trace::Event as Traced;
use units::Bytes;

use crate::link::wake;
use crate::padding::bump;
use crate::parts::endpoint::Endpoint;
use crate::parts::gauge::Gauge;
use crate::parts::node::Node;
use crate::parts::service::Service;
use crate::parts::stacks;
use crate::parts::tuning::SENDS_PER_TIMED;
use crate::rings::message::Origin;
use crate::rings::receiver::Receiver;
use crate::rings::sender::Sender;

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
pub(crate) fn count_message(endpoint: &Endpoint, to: NodeId, packet: &Packet) {
    count(endpoint.node(), endpoint.gauge(), to, packet);
}

/// Calls `send` for a thread. Times one send of every [`SENDS_PER_TIMED`].
#[inline]
pub(crate) fn sample_send(endpoint: &Endpoint, send: impl FnOnce() -> bool) -> bool {
    if !endpoint.sending.is_sampled() {
        return send();
    }
    let start = endpoint.world().now_ns();
    let sent = send();
    if sent {
        bump(&endpoint.gauge().overhead_ns, (endpoint.world().now_ns() - start) * u64::from(SENDS_PER_TIMED));
    }
    sent
}

/// Sends a thread's message if there is room for it.
#[inline]
pub(crate) fn offer_now(endpoint: &Endpoint, to: NodeId, packet: &Packet) -> bool {
    let (node, gauge, at) = (endpoint.node(), endpoint.gauge(), endpoint.tracer.time());
    if to == node.id {
        endpoint.take_hint();
    }
    // Counted first: once it is in the ring it may be handled at any moment.
    bump(&gauge.sent, 1);
    let lane = endpoint.sending.lane(to);
    let Some(number) = lane.offer(packet, endpoint.sending.bursts.stretch(), &node.backlog) else {
        return is_refused(endpoint, to);
    };
    endpoint.tracer.send(at, to, packet, number);
    if endpoint.threads.lack_room() {
        note_room(endpoint);
    }
    endpoint.sending.note_room();
    count(node, gauge, to, packet);
    wake::receiver(endpoint, to);
    true
}

/// Traces the end of a wait for room, if the thread was waiting.
#[cold]
fn note_room(endpoint: &Endpoint) {
    if endpoint.threads.has_room() {
        endpoint.tracer.trace(|node, _| Traced::Resume { node, thread: endpoint.threads.current() });
    }
}

/// Handles a refused message of a thread: there was no room, and it was not sent. Returns whether the thread shall go on as if it had been
/// sent: a thread that is unwound after the end of the run would otherwise try for ever.
#[cold]
fn is_refused(endpoint: &Endpoint, to: NodeId) -> bool {
    let gauge = endpoint.gauge();
    gauge.sent.store(gauge.sent.load(Ordering::Relaxed) - 1, Ordering::Relaxed);
    if !endpoint.threads.local().lacked_room() {
        gauge.count_refused();
    }
    refuse_bad_count(endpoint, endpoint.sending.lane(to), to);
    // The attempt may have moved messages from the outbox into the ring.
    wake::receiver(endpoint, to);
    stacks::give_up_if_over(endpoint.world());
    !endpoint.world().is_running()
}

/// Ends the run if the receiver of a lane without room has stated a count that cannot be right.
#[cold]
fn refuse_bad_count(endpoint: &Endpoint, lane: &Sender, to: NodeId) {
    if let Some(count) = lane.bad_count() {
        let from = endpoint.node().id;
        endpoint.fail(format!(
            "{to} states {count} of those from {from}, which cannot be: its process breaks the protocol"
        ));
    }
}

/// Sends a handler's message, which never waits. If the outboxes have no memory left, the run ends with an error.
#[inline]
pub(crate) fn post_counted(endpoint: &Endpoint, to: NodeId, packet: &Packet, origin: Origin) {
    bump(&endpoint.gauge().sent, 1);
    let (node, at) = (endpoint.node(), endpoint.tracer.time());
    let lane = endpoint.sending.lane(to);
    let number = lane.post(packet, origin, endpoint.sending.bursts.stretch(), &node.backlog);
    if node.backlog.words() > 0 {
        note_outboxed(endpoint, packet, number.is_some());
    }
    endpoint.tracer.send(at, to, packet, number.unwrap_or(0));
    wake::receiver(endpoint, to);
}

/// Sends a control message, which never waits. If the outboxes have no memory left, the run ends with an error.
#[inline(never)]
pub(crate) fn post_control(endpoint: &Endpoint, to: NodeId, packet: &Packet) {
    let node = endpoint.node();
    let stretch = endpoint.sending.bursts.stretch();
    let number = endpoint.sending.lane(to).post(packet, Origin::Control, stretch, &node.backlog);
    if node.backlog.words() > 0 {
        wake::receiver(endpoint, node.id);
    }
    if number.is_none() {
        endpoint.fail(out_of_memory(endpoint));
    }
    wake::receiver(endpoint, to);
}

/// Handles messages that wait in this node's outboxes: wakes a server to move them on. The last message may have found no memory there,
/// which ends the run.
#[cold]
fn note_outboxed(endpoint: &Endpoint, packet: &Packet, has_place: bool) {
    wake::receiver(endpoint, endpoint.node().id);
    if endpoint.threads.occupation.is_handler() {
        endpoint.sending.note_outboxed(1 + packet.words().len() as u64);
    }
    if !has_place {
        endpoint.fail(out_of_memory(endpoint));
    }
    if !endpoint.world().is_running() {
        abandon();
    }
}

/// The error message for outboxes without memory.
fn out_of_memory(endpoint: &Endpoint) -> String {
    let node = endpoint.node();
    let limit = Bytes::new(endpoint.world().bounds.quota.bytes() as u64);
    let [here, own] = [node.backlog.words() as u64, endpoint.sending.outboxed()]
        .map(|words| format!("{} KiB", words * size_of::<u64>() as u64 / 1024));
    format!(
        "outboxes are full ({limit}; {} holds {here}, {own} of it from {endpoint}): handlers send faster than receivers drain; \
         expected messages that come to an end, and handlers that send no more at once than memory holds \
         (`Local::with_outboxes` gives more)",
        node.id,
    )
}

/// Reports the words that a handler of messages of kind `id` has left in outboxes to the credit windows.
#[cold]
pub(crate) fn note_fan_out(endpoint: &Endpoint, id: MessageId) {
    endpoint.world().bounds.windows.narrow(id, endpoint.sending.take_outboxed());
}

/// Moves messages from the outboxes into the rings, then publishes owed acknowledgements. Returns whether any message moved.
#[inline]
pub(crate) fn move_on(endpoint: &Endpoint) -> bool {
    endpoint.node().backlog.is_left() && clear_backlog(endpoint)
}

#[cold]
fn clear_backlog(endpoint: &Endpoint) -> bool {
    let node = endpoint.node();
    let before = node.backlog.words();
    for (lane, to) in endpoint.sending.lanes() {
        if lane.flush(&node.backlog) {
            refuse_bad_count(endpoint, lane, to);
            wake::receiver(endpoint, to);
        }
    }
    if node.backlog.settles() {
        node.links.incoming().iter().for_each(Receiver::publish_acknowledged);
    }
    node.backlog.words() < before
}

/// Acknowledges all handled messages of the node, as far as its outboxes allow. Returns whether they do. A processor in a long handler
/// keeps back the acknowledgements of the messages before it, so a processor that a sender without credit has woken calls this.
pub(crate) fn acknowledge_all(endpoint: &Endpoint) -> bool {
    let node = endpoint.node();
    let may_acknowledge = node.backlog.may_acknowledge();
    if may_acknowledge {
        node.links.incoming().iter().for_each(Receiver::publish_acknowledged);
    }
    may_acknowledge
}

/// Acknowledges the messages that this processor has handled, or leaves that to the processor that empties the outboxes.
#[inline]
pub(crate) fn tell_acknowledged(endpoint: &Endpoint, service: &Service) {
    if service.take_debt() && !acknowledge_all(endpoint) {
        endpoint.node().backlog.owe();
        clear_backlog(endpoint);
    }
}
