//! The sending end of a lane: the sender's place in the ring, the credits of its threads, and the outbox.
//!
//! `lane` has the rules. This module must never know the receiving end, or processors; it uses only the atomics and locks of `sync`, so
//! that the models run it as it is.

use std::fmt;

use tempest::world::{MessageId, Packet};

use crate::lock::lock;
use crate::padding::{CachePadded, bump};
use crate::rings::backlog::Backlog;
use crate::rings::bounds::Bounds;
use crate::rings::message::{Origin, Sent};
use crate::rings::outbox::Outbox;
use crate::rings::producer::Producer;
use crate::sync::{AtomicBool, AtomicU64, AtomicUsize, Mutex, MutexGuard, Ordering, mutated};

/// The sending end of a lane.
pub(crate) struct Sender {
    producer: Producer,
    /// `None` if only one processor of the node ever sends.
    turn: Option<CachePadded<Mutex<()>>>,
    /// Messages that wait for room. Changed by the processor that has the turn.
    outbox: Mutex<Outbox>,
    state: State,
    bounds: Bounds,
}

/// Counts of a sending end, changed by the processor that has the turn.
#[derive(Default)]
#[repr(align(128))]
struct State {
    /// Words in the outbox.
    outboxed: AtomicUsize,
    /// The sending processor's stretch of work at the last message.
    stretch: AtomicU64,
    /// Thread messages sent.
    by_threads: AtomicU64,
    /// Number of acknowledged thread messages when last read.
    acknowledged: AtomicU64,
    /// Kind of the last thread message, and the number of thread messages that may have been sent before the next of this kind.
    kind: AtomicU64,
    credit: AtomicU64,
    /// Number of other messages sent.
    by_handlers: AtomicU64,
    /// Number of thread messages sent when the threads last ran out of credit; 0 before that.
    ran_out_at: AtomicU64,
    /// Whether the receiver has acknowledged messages that it cannot have handled, and the number.
    misled: AtomicBool,
    refused: AtomicU64,
}

/// A count of the receiver that cannot be right. The lane carries no message since.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BadCount {
    /// Lines that it has taken out of the ring.
    Taken(u64),
    /// Messages that it has acknowledged.
    Acknowledged(u64),
}

impl fmt::Display for BadCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Taken(lines) => write!(f, "{lines} lines taken out of the ring"),
            Self::Acknowledged(messages) => write!(f, "{messages} messages acknowledged"),
        }
    }
}

impl State {
    /// Whether a message of this stretch of work follows another of the same stretch.
    #[inline]
    fn follows(&self, stretch: u64) -> bool {
        let last = self.stretch.load(Ordering::Relaxed);
        self.stretch.store(stretch, Ordering::Relaxed);
        last == stretch
    }

    /// Whether a thread's message of this kind has a known credit, and the outbox is empty.
    #[inline]
    fn may_send_at_once(&self, id: MessageId) -> bool {
        self.kind.load(Ordering::Relaxed) == u64::from(id.0)
            && self.by_threads.load(Ordering::Relaxed) < self.credit.load(Ordering::Relaxed)
            && self.outboxed.load(Ordering::Relaxed) == 0
    }

    /// Remembers that messages of a kind may be sent until `until` thread messages have been sent.
    fn credit(&self, id: MessageId, until: u64) {
        self.kind.store(id.0.into(), Ordering::Relaxed);
        self.credit.store(until, Ordering::Relaxed);
    }

    /// Number of the next message in the lane.
    #[inline]
    fn next_number(&self) -> u64 {
        self.by_threads.load(Ordering::Relaxed) + self.by_handlers.load(Ordering::Relaxed)
    }
}

impl Sender {
    /// The sending end of an empty lane. `shared` if several processors of the node may send.
    pub(crate) fn new(producer: Producer, bounds: Bounds, shared: bool) -> Self {
        Self {
            producer,
            turn: shared.then(CachePadded::default),
            outbox: Mutex::default(),
            state: State::default(),
            bounds,
        }
    }

    /// Sends a thread's message if there is room and credit. Returns its number in the lane. `stretch` is that of the sending processor
    /// (`sending`); `backlog` counts the words in the outboxes of its node.
    #[inline(always)]
    pub(crate) fn offer(&self, packet: &Packet, stretch: u64, backlog: &Backlog) -> Option<u64> {
        let _turn = self.turn();
        if !self.state.may_send_at_once(packet.id()) {
            return self.offer_otherwise(packet, stretch, backlog);
        }
        self.offer_to_ring(packet, stretch)
    }

    #[inline(always)]
    fn offer_to_ring(&self, packet: &Packet, stretch: u64) -> Option<u64> {
        let sent = Sent { origin: Origin::Thread, follows: self.state.follows(stretch) };
        self.producer.push(packet, sent).then(|| self.number_next(&self.state.by_threads))
    }

    /// Sends a thread's message in the general case: of another kind than the last one, beyond the known credit, or with handlers'
    /// messages before it. It may wait behind those: the outbox is not empty, so a processor that empties it finds the message.
    #[inline(never)]
    fn offer_otherwise(&self, packet: &Packet, stretch: u64, backlog: &Backlog) -> Option<u64> {
        if !self.has_credit(packet.id()) {
            return None;
        }
        if self.is_flushed(backlog) {
            return self.offer_to_ring(packet, stretch);
        }
        let mut outbox = lock(&self.outbox);
        let waits =
            outbox.has_room_for_a_thread() && self.put_aside(&mut outbox, packet, Origin::Thread, backlog);
        waits.then(|| self.number_next(&self.state.by_threads))
    }

    /// Sends a handler's message: into the ring, or behind the messages in the outbox. Returns its number in the lane, or `None` if the
    /// outboxes of the world have no memory left.
    #[inline(always)]
    pub(crate) fn post(
        &self,
        packet: &Packet,
        origin: Origin,
        stretch: u64,
        backlog: &Backlog,
    ) -> Option<u64> {
        let _turn = self.turn();
        let flushed = mutated!("outbox-overtaken") || self.is_flushed(backlog);
        let sent = Sent { origin, follows: self.state.follows(stretch) };
        if !flushed || !self.producer.push(packet, sent) {
            self.put_aside(&mut lock(&self.outbox), packet, origin, backlog).then_some(())?;
        }
        Some(self.number_next(&self.state.by_handlers))
    }

    /// Counts a message that has its place in the lane, and returns its number there.
    #[inline]
    fn number_next(&self, counter: &AtomicU64) -> u64 {
        let number = self.state.next_number();
        bump(counter, 1);
        number
    }

    /// Appends a message to the outbox. Returns false if there is no memory for it.
    #[cold]
    fn put_aside(&self, outbox: &mut Outbox, packet: &Packet, origin: Origin, backlog: &Backlog) -> bool {
        let Some(words) = outbox.push(packet, origin, &self.bounds.quota) else { return false };
        self.state.outboxed.fetch_add(words, Ordering::Relaxed);
        backlog.add(words);
        true
    }

    /// The credit windows, shared by all lanes.
    #[cfg(test)]
    pub(crate) fn windows(&self) -> &crate::rings::windows::Windows {
        &self.bounds.windows
    }

    /// Moves messages from the outbox into the ring as far as there is room. Returns true if there were any: the receiver has to be woken
    /// even if none could be moved, because then its ring is full.
    pub(crate) fn flush(&self, backlog: &Backlog) -> bool {
        if self.state.outboxed.load(Ordering::Relaxed) == 0 {
            return false;
        }
        let _turn = self.turn();
        self.is_flushed(backlog);
        true
    }

    #[inline]
    fn turn(&self) -> Option<MutexGuard<'_, ()>> {
        self.turn.as_ref().map(|turn| lock(&turn.0))
    }

    /// Whether a thread may send a message of this kind. Remembers how many more of the kind may follow.
    fn has_credit(&self, id: MessageId) -> bool {
        let (sent, window) = (self.state.by_threads.load(Ordering::Relaxed), self.bounds.windows.of(id));
        let acknowledged = self.state.acknowledged.load(Ordering::Relaxed);
        if sent - acknowledged < window {
            self.state.credit(id, acknowledged + window);
            return true;
        }
        self.asks_for_credit(id, sent, window)
    }

    /// Whether the receiver has acknowledged enough by now. If not, the window may be too small: it is widened if all messages that had
    /// been sent when credit last ran out have been handled.
    fn asks_for_credit(&self, id: MessageId, sent: u64, mut window: u64) -> bool {
        let acknowledged = self.producer.channel().acknowledged().load(Ordering::Acquire);
        // Nothing received is trusted: no message is acknowledged that was not sent, and no acknowledgement taken back.
        if acknowledged > sent || acknowledged < self.state.acknowledged.load(Ordering::Relaxed) {
            self.state.refused.store(acknowledged, Ordering::Relaxed);
            self.state.misled.store(true, Ordering::Relaxed);
            return false;
        }
        self.state.acknowledged.store(acknowledged, Ordering::Relaxed);
        let ran_out_at = self.state.ran_out_at.load(Ordering::Relaxed);
        if sent - acknowledged >= window && acknowledged >= ran_out_at {
            self.state.ran_out_at.store(sent, Ordering::Relaxed);
            if ran_out_at > 0 {
                self.bounds.windows.widen(id, window);
                window = self.bounds.windows.of(id);
            }
        }
        self.state.credit(id, acknowledged + window);
        sent - acknowledged < window
    }

    /// A count of the receiver that cannot be right.
    pub(crate) fn bad_count(&self) -> Option<BadCount> {
        let misled = self.state.misled.load(Ordering::Relaxed);
        let acknowledged = || BadCount::Acknowledged(self.state.refused.load(Ordering::Relaxed));
        misled.then(acknowledged).or_else(|| self.producer.refused().map(BadCount::Taken))
    }

    /// Moves messages from the outbox into the ring. Returns true if the outbox is empty afterwards. The caller has the turn.
    #[inline]
    fn is_flushed(&self, backlog: &Backlog) -> bool {
        self.state.outboxed.load(Ordering::Relaxed) == 0 || self.empty_outbox(backlog)
    }

    #[cold]
    fn empty_outbox(&self, backlog: &Backlog) -> bool {
        let moved = lock(&self.outbox).pass_on(&self.bounds.quota, |packet, origin| {
            self.producer.push(packet, Sent { origin, follows: true })
        });
        backlog.remove(moved);
        self.state.outboxed.fetch_sub(moved, Ordering::Relaxed) == moved
    }
}
