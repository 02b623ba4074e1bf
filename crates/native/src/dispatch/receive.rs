//! Receiving: taking messages out of the lanes into a node, and counting the handled ones.
//!
//! A message is *in flight* from the moment its sender counts it until its handler has run and it is counted as handled here. Messages
//! handled in place are counted twice per batch of a lane. That is enough for `quiescence`: messages are counted as handled late, never
//! early, so the sums agree only when none is in flight; and a processor counts its batch before it can say that it is idle, so the sums
//! do agree in the end. Messages that a batch's handlers send are counted before another processor can see them, and so before the batch
//! is. A sender's credits return twice per batch too: during a batch the sender knows of fewer credits than there are, which keeps the
//! bound of the outboxes (`lane`). A handler that takes long keeps back the credits of at most [`MOST_UNTOLD`] messages handled before it,
//! fewer than the first window of a lane.
//!
//! This module must never know the handling of a received message.

use tempest::world::Packet;
use tempest::{MAX_WORDS, NodeId};

use crate::control::act;
use crate::control::message::Control;
use crate::dispatch::tuning::{BATCH, MOST_UNTOLD};
use crate::memory::blocks;
use crate::parts::dispatcher::Dispatcher;
use crate::parts::endpoint::Endpoint;
use crate::parts::receive_lock::ReceiveGuard;
use crate::parts::service::Service;
use crate::rings::message::{BadLine, Origin, Received};
use crate::rings::receiver::Receiver;

/// Counts of a batch of one lane until they are published: handled messages in the low half, and those of threads among them in the high
/// half. One number takes one register of the loop.
#[derive(Default)]
pub(crate) struct Tally(u64);

impl Tally {
    /// Counts a message whose handler has run.
    #[inline]
    pub(crate) fn count(&mut self, message: &Received) {
        self.0 += 1 | u64::from(message.origin == Origin::Thread) << 32;
    }

    fn handled(&self) -> u64 {
        self.0 & 0xffff_ffff
    }

    fn by_threads(&self) -> u64 {
        self.0 >> 32
    }
}

/// Takes the receive lock if it is free; the only processor of a node always gets it.
#[inline]
pub(crate) fn try_receive(endpoint: &Endpoint) -> Option<ReceiveGuard<'_>> {
    endpoint.node().receive_lock.try_take(endpoint.number())
}

/// Takes messages from the lanes into this node while `each` returns true. `each` counts the messages that it handled. Returns the
/// number of messages. The caller has the receive lock.
pub(crate) fn receive(
    endpoint: &Endpoint,
    service: &Service,
    mut each: impl FnMut(&Received, &mut Tally) -> bool,
) -> usize {
    let bursts = &endpoint.sending.bursts;
    bursts.begin();
    let mut received = 0;
    let mut message = Received::blank();
    let node = &endpoint.node().resident.node;
    // Coming messages are handled by this processor too, unless they go to a queue.
    let looks_ahead =
        node.has_prefetch_hints() && !matches!(endpoint.node().dispatcher, Dispatcher::Keyed(_));
    let hint = endpoint.hint();
    for (lane, source) in endpoint.node().links.incoming().iter().zip(0..) {
        let (mut tally, mut goes_on) = (Tally::default(), true);
        let drained = lane.receive(BATCH, NodeId(source), &mut message, |message, is_good| {
            if let Some(hint) = hint {
                hint.go_on(&endpoint.hint_view);
            }
            if looks_ahead {
                lane.look_ahead(NodeId(source), |packet| node.prefetch(packet));
            }
            goes_on = match is_good {
                Ok(()) => !reaches_a_handler(endpoint, message) || each(message, &mut tally),
                Err(line) => refuse(endpoint, NodeId(source), line),
            };
            if tally.handled() == MOST_UNTOLD {
                count_dealt_with(endpoint, service, lane, &std::mem::take(&mut tally));
            }
            goes_on
        });
        count_dealt_with(endpoint, service, lane, &tally);
        if drained.messages > 0 {
            bursts.note(drained.messages, drained.more);
            received += drained.messages;
        }
        if let Some(line) = drained.bad {
            refuse(endpoint, NodeId(source), line);
        }
        if !goes_on {
            break;
        }
    }
    received
}

/// Prepares a message for its handler: puts the block that it brings in its place. Acts on a control message. Returns whether a handler
/// receives the message.
#[inline]
fn reaches_a_handler(endpoint: &Endpoint, message: &mut Received) -> bool {
    match message.origin {
        Origin::Handler | Origin::Thread => true,
        Origin::Fault if message.packet.source() == endpoint.node().id => true,
        Origin::WithBlock => blocks::unload(endpoint, message),
        Origin::Control => {
            obey(endpoint, &message.packet);
            false
        }
        Origin::Fault | Origin::Nobody => {
            refuse_origin(endpoint, message);
            false
        }
    }
}

/// Ends the run because of a message of an origin that it cannot have: a fault of another node, or none that exists.
#[cold]
fn refuse_origin(endpoint: &Endpoint, message: &Received) {
    let (from, to, id) = (message.packet.source(), endpoint.node().id, message.packet.id().0);
    let what = if message.origin == Origin::Fault { "a fault of another node" } else { "none" };
    endpoint.fail(format!(
        "message {id} from {from} to {to} has an origin that is {what}: expected a thread, a handler or the runtime of {from}"
    ));
}

/// Acts on a control message. A message that is none ends the run.
#[inline(never)]
fn obey(endpoint: &Endpoint, packet: &Packet) {
    match Control::of(packet) {
        Some(message) => act::act(endpoint, packet.source(), message),
        None => {
            let (from, to, kind) = (packet.source(), endpoint.node().id, packet.id().0);
            endpoint.fail(format!(
                "a control message from {from} to {to} has the kind {kind} and the words {:?}, which no kind has",
                packet.words()
            ));
        }
    }
}

/// Ends the run because of a line that no sender makes.
#[cold]
fn refuse(endpoint: &Endpoint, source: NodeId, line: BadLine) -> bool {
    let to = endpoint.node().id;
    endpoint.fail(match line {
        BadLine::Length(words) => {
            format!("a message from {source} to {to} claims {words} words: expected at most {MAX_WORDS}")
        }
        BadLine::Head(head) => format!(
            "the ring from {source} to {to} has the head {head:#x} in place of its next message: expected that of the lap before"
        ),
    });
    true
}

/// Counts a batch of messages of a lane as handled. Until then they are in flight, which is the safe side: see `quiescence`.
#[inline]
fn count_dealt_with(endpoint: &Endpoint, service: &Service, lane: &Receiver, tally: &Tally) {
    if tally.handled() == 0 {
        return;
    }
    endpoint.gauge().count_handlers(tally.handled());
    if tally.by_threads() > 0 {
        lane.count_handled(tally.by_threads());
        if endpoint.node().backlog.may_acknowledge() {
            lane.publish_acknowledged();
        } else {
            service.owe();
        }
    }
    endpoint.gauge().count_handled(tally.handled());
}
