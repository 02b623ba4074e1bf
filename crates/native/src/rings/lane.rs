//! A lane carries the messages of one node to another: a ring, the credits of the sender's threads, the outbox.
//!
//! # Order
//!
//! A processor that sends takes the lane's *turn* for the moment of the push. The turn is a lock, omitted if only one processor of the
//! node ever sends. So two sends of the node in happens-before order enter the ring in that order, whichever processors they come from,
//! and the receiver takes them out in ring order. While the outbox holds messages, later messages go behind them.
//!
//! # Back-pressure, and why outboxes are bounded
//!
//! A *handler's* message is never refused: if the ring is full it goes into the outbox (`outbox`), which processors empty before they do
//! anything else. A *thread's* message needs a credit, and room: in the ring, or, if handlers' messages wait in the outbox, behind those,
//! as long as at most one in eight waiting messages is a thread's.
//!
//! The receiving node *acknowledges* the thread messages of a lane that it has handled, by publishing their number, only while
//! its own outboxes hold no more than a *reserve* ([`Depths::reserve`]). A sender's threads may be at most a window of messages
//! ahead of that (`windows`). So while a node's outboxes hold more, at most a window of thread messages per lane into it start handlers
//! there, and the outboxes grow by at most that many times their fan-out. Handlers' messages start no further ones in a request-reply
//! protocol, hence
//!
//! > outbox ≤ reserve + lanes in × window × fan-out.
//!
//! The window follows the fan-out: it is 1 if a single handler fills the reserve. So the outboxes of a request-reply protocol of any
//! fan-out take at most two reserves, or the words of one handler per lane if that is more. The exceptions are in `windows`.
//!
//! A processor that cannot send still receives, so rings always drain, outboxes empty, and credits come back. A protocol
//! whose handlers' messages start further messages without end has no such bound. All outboxes of a world share a quota of
//! memory; when that is used up the run ends with an error that says so.
//!
//! # The share of threads
//!
//! While the outboxes of its node and of its destination hold no more than their reserve, a thread's send makes progress whatever
//! handlers send to each other. If handlers keep its message from the ring, it joins the waiting messages in the outbox, and of each
//! eight messages that leave the outbox one is a thread's, if threads have any to send. It reaches its handler behind the messages before
//! it, and its credit then returns.
//!
//! This module must never know processors; it uses only the atomics and locks of `sync`, so that the models run it as it is.

use std::sync::Arc;

use tempest::NodeId;
use tempest::world::{MessageId, Packet};

use crate::lock::lock;
use crate::padding::{CachePadded, PaddedCounter, bump};
use crate::rings::backlog::Backlog;
use crate::rings::outbox::{Outbox, PAGE_BYTES, Quota};
use crate::rings::ring::{BadLength, Drained, Origin, Received, Ring, Sent};
use crate::rings::tuning::{ASSUMED_BYTES, OUTBOX_BYTES, RESERVE_BYTES, RING_SLOTS, WINDOW};
use crate::rings::windows::Windows;
use crate::sync::{AtomicU64, AtomicUsize, Mutex, MutexGuard, Ordering, mutated};

/// Capacities of rings, windows and outboxes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Depths {
    /// Messages per ring, a power of two.
    pub(crate) slots: usize,
    /// Maximum number of credits of a lane.
    pub(crate) window: u64,
    /// Bytes for the outboxes of a world.
    pub(crate) outboxes: usize,
}

impl Default for Depths {
    fn default() -> Self {
        Self { slots: RING_SLOTS, window: WINDOW, outboxes: OUTBOX_BYTES }
    }
}

impl Depths {
    /// Words in the outboxes of each of `nodes` nodes up to which it acknowledges handled messages.
    pub(crate) fn reserve(&self, nodes: usize) -> usize {
        RESERVE_BYTES.min(self.outboxes / (4 * nodes)) / size_of::<u64>()
    }
}

/// The bounds of the outboxes of a world, shared by all its lanes.
#[derive(Clone)]
pub(crate) struct Bounds {
    pub(crate) quota: Arc<Quota>,
    pub(crate) windows: Windows,
}

impl Bounds {
    /// Bounds for `nodes` nodes and `kinds` kinds of messages.
    pub(crate) fn new(depths: Depths, nodes: usize, kinds: usize) -> Self {
        let first = depths.outboxes / ASSUMED_BYTES / nodes.pow(2);
        let share = depths.reserve(nodes) / nodes;
        Self {
            quota: Arc::new(Quota::new(depths.outboxes.div_ceil(PAGE_BYTES))),
            windows: Windows::new(kinds, first as u64, depths.window, share as u64),
        }
    }
}

/// The lane from one node to another.
pub(crate) struct Lane {
    ring: Ring,
    /// `None` if every node has one processor, so that only one ever sends and only one receives.
    turn: Option<CachePadded<Mutex<()>>>,
    /// Messages that wait for room. Changed by the processor that has the turn.
    outbox: Mutex<Outbox>,
    sender: Sender,
    /// Number of messages taken out. Changed by the processor that has the receive lock.
    received: PaddedCounter,
    /// Number of thread messages handled at the far end.
    handled: PaddedCounter,
    /// Number of handled thread messages that is published to the sender.
    acknowledged: PaddedCounter,
    bounds: Bounds,
}

/// The state of the sending side, changed by the processor that has the turn.
#[derive(Default)]
#[repr(align(128))]
struct Sender {
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
}

impl Sender {
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

impl Lane {
    /// An empty lane. `shared` if several processors of the source node may send.
    pub(crate) fn new(slots: usize, bounds: &Bounds, shared: bool) -> Self {
        Self {
            ring: Ring::new(slots),
            turn: shared.then(CachePadded::default),
            outbox: Mutex::default(),
            sender: Sender::default(),
            received: PaddedCounter::default(),
            handled: PaddedCounter::default(),
            acknowledged: PaddedCounter::default(),
            bounds: bounds.clone(),
        }
    }

    /// Sends a thread's message if there is room and credit. Returns its number in the lane. `stretch` is that of the sending processor
    /// (`sending`); `backlog` counts the words in the outboxes of its node.
    #[inline(always)]
    pub(crate) fn offer(&self, packet: &Packet, stretch: u64, backlog: &Backlog) -> Option<u64> {
        let _turn = self.turn();
        if !self.sender.may_send_at_once(packet.id()) {
            return self.offer_otherwise(packet, stretch, backlog);
        }
        self.offer_to_ring(packet, stretch)
    }

    #[inline(always)]
    fn offer_to_ring(&self, packet: &Packet, stretch: u64) -> Option<u64> {
        let sent = Sent { origin: Origin::Thread, follows: self.sender.follows(stretch) };
        self.ring.push(packet, sent).then(|| self.number_next(&self.sender.by_threads))
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
        waits.then(|| self.number_next(&self.sender.by_threads))
    }

    /// Sends a handler's message: into the ring, or behind the messages in the outbox. Returns its number in the lane, or `None` if the
    /// outboxes of the world have no memory left.
    #[inline]
    pub(crate) fn post(
        &self,
        packet: &Packet,
        origin: Origin,
        stretch: u64,
        backlog: &Backlog,
    ) -> Option<u64> {
        let _turn = self.turn();
        let flushed = mutated!("outbox-overtaken") || self.is_flushed(backlog);
        let sent = Sent { origin, follows: self.sender.follows(stretch) };
        if !flushed || !self.ring.push(packet, sent) {
            self.put_aside(&mut lock(&self.outbox), packet, origin, backlog).then_some(())?;
        }
        Some(self.number_next(&self.sender.by_handlers))
    }

    /// Counts a message that has its place in the lane, and returns its number there.
    #[inline]
    fn number_next(&self, counter: &AtomicU64) -> u64 {
        let number = self.sender.next_number();
        bump(counter, 1);
        number
    }

    /// Appends a message to the outbox. Returns false if there is no memory for it.
    #[cold]
    fn put_aside(&self, outbox: &mut Outbox, packet: &Packet, origin: Origin, backlog: &Backlog) -> bool {
        let Some(words) = outbox.push(packet, origin, &self.bounds.quota) else { return false };
        self.sender.outboxed.fetch_add(words, Ordering::Relaxed);
        backlog.add(words);
        true
    }

    /// The credit windows, shared by all lanes.
    #[cfg(test)]
    pub(crate) fn windows(&self) -> &Windows {
        &self.bounds.windows
    }

    /// Moves messages from the outbox into the ring as far as there is room. Returns true if there were any: the receiver has to be woken
    /// even if none could be moved, because then its ring is full.
    pub(crate) fn flush(&self, backlog: &Backlog) -> bool {
        if self.sender.outboxed.load(Ordering::Relaxed) == 0 {
            return false;
        }
        let _turn = self.turn();
        self.is_flushed(backlog);
        true
    }

    /// Takes up to `limit` messages from `source` out into `message`, while `each` returns true. The caller has the node's receive
    /// lock. It may lose the lock while `each` runs, if `each` then returns false.
    #[inline]
    pub(crate) fn receive(
        &self,
        limit: usize,
        source: NodeId,
        message: &mut Received,
        mut each: impl FnMut(&mut Received, Result<(), BadLength>) -> bool,
    ) -> Drained {
        let mut received = self.received.0.load(Ordering::Relaxed);
        self.ring.drain(limit, source, message, |message, is_good| {
            message.number = received;
            received += 1;
            self.received.0.store(received, Ordering::Relaxed);
            each(message, is_good)
        })
    }

    /// Shows `soon` the messages that wait behind, before they are received: [`Ring::look_ahead`]. For the receiving processor.
    #[inline]
    pub(crate) fn look_ahead(&self, source: NodeId, soon: impl FnMut(&Packet)) {
        self.ring.look_ahead(source, soon);
    }

    /// Whether a message waits. Exact, as a processor needs it that goes to sleep on the answer; see [`Ring::is_ready`].
    #[inline]
    pub(crate) fn has_message(&self) -> bool {
        self.ring.is_ready()
    }

    /// Counts messages of threads that have been handled at the far end.
    pub(crate) fn count_handled(&self, messages: u64) {
        if self.turn.is_none() {
            // Only one processor ever receives, too.
            return bump(&self.handled.0, messages);
        }
        self.handled.0.fetch_add(messages, Ordering::Relaxed);
    }

    /// Publishes the number of handled messages to the sender.
    pub(crate) fn publish_acknowledged(&self) {
        let handled = self.handled.0.load(Ordering::Relaxed);
        if self.acknowledged.0.load(Ordering::Relaxed) >= handled {
            return;
        }
        if self.turn.is_none() {
            self.acknowledged.0.store(handled, Ordering::Release);
        } else {
            self.acknowledged.0.fetch_max(handled, Ordering::AcqRel);
        }
    }

    #[inline]
    fn turn(&self) -> Option<MutexGuard<'_, ()>> {
        self.turn.as_ref().map(|turn| lock(&turn.0))
    }

    /// Whether a thread may send a message of this kind. Remembers how many more of the kind may follow.
    fn has_credit(&self, id: MessageId) -> bool {
        let (sent, window) = (self.sender.by_threads.load(Ordering::Relaxed), self.bounds.windows.of(id));
        let acknowledged = self.sender.acknowledged.load(Ordering::Relaxed);
        if sent - acknowledged < window {
            self.sender.credit(id, acknowledged + window);
            return true;
        }
        self.asks_for_credit(id, sent, window)
    }

    /// Whether the receiver has acknowledged enough by now. If not, the window may be too small: it is widened if all messages that had
    /// been sent when credit last ran out have been handled.
    fn asks_for_credit(&self, id: MessageId, sent: u64, mut window: u64) -> bool {
        let acknowledged = self.acknowledged.0.load(Ordering::Acquire);
        self.sender.acknowledged.store(acknowledged, Ordering::Relaxed);
        let ran_out_at = self.sender.ran_out_at.load(Ordering::Relaxed);
        if sent - acknowledged >= window && acknowledged >= ran_out_at {
            self.sender.ran_out_at.store(sent, Ordering::Relaxed);
            if ran_out_at > 0 {
                self.bounds.windows.widen(id, window);
                window = self.bounds.windows.of(id);
            }
        }
        self.sender.credit(id, acknowledged + window);
        sent - acknowledged < window
    }

    /// Moves messages from the outbox into the ring. Returns true if the outbox is empty afterwards. The caller has the turn.
    #[inline]
    fn is_flushed(&self, backlog: &Backlog) -> bool {
        self.sender.outboxed.load(Ordering::Relaxed) == 0 || self.empty_outbox(backlog)
    }

    #[cold]
    fn empty_outbox(&self, backlog: &Backlog) -> bool {
        let moved = lock(&self.outbox).pass_on(&self.bounds.quota, |packet, origin| {
            self.ring.push(packet, Sent { origin, follows: true })
        });
        backlog.remove(moved);
        self.sender.outboxed.fetch_sub(moved, Ordering::Relaxed) == moved
    }
}
