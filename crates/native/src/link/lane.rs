//! A lane carries the messages of one node to another: a ring, the credits of the sender's threads, the outbox.
//!
//! # Order
//!
//! Whoever sends from the node has the lane's *turn* for the moment it takes to push: a lock, which is left out where
//! only one processor of the node ever sends. Two sends of the node in happens-before order therefore enter the ring in
//! that order, whichever processors they come from, and the receiver takes them out in ring order. When the outbox holds
//! anything, everything goes behind it.
//!
//! # Back-pressure, and why outboxes are bounded
//!
//! A *handler's* message is never refused: if the ring is full it goes into the outbox (`outbox`), which processors empty
//! before anything else. A *thread's* message needs a credit, and room: in the ring, or, where handlers' messages wait in the
//! outbox, behind those, as long as no more than one in eight that wait there is a thread's.
//!
//! The receiving node *acknowledges* the thread messages of a lane that it has handled, by publishing their number, only while
//! its own outboxes hold no more than a *reserve* ([`Depths::reserve`]). A sender's threads may be at most a window of messages
//! ahead of that (`windows`). So while a node's outboxes hold more, at most that many thread messages per lane into it start
//! handlers there, and it takes in at most that many times their fan-out. Handlers' messages start no further ones in a
//! request-reply protocol, hence
//!
//! > outbox ≤ reserve + lanes in × window × fan-out.
//!
//! The window follows the fan-out: it is one where a single handler fills the reserve. So a request-reply protocol of any
//! fan-out runs, in two reserves, or in as much as one handler of each lane needs. The exceptions are in `windows`.
//!
//! A processor that cannot send still receives, so rings always drain, outboxes empty, and credits come back. A protocol
//! whose handlers' messages start further messages without end has no such bound. All outboxes of a world share a quota of
//! memory; when that is used up the run ends with an error that says so.
//!
//! # The share of threads
//!
//! While the outboxes of its node and of its destination hold no more than their reserve, a thread's send makes progress
//! whatever handlers send to each other: a message that handlers keep from the ring joins those that wait in the outbox, and of
//! each eight that leave that, one is a thread's if threads have any to send. It comes to its handler behind those before it
//! and no later, and its credit then returns.
//!
//! This module must never know processors; it names no atomic and no lock but those of `sync`, so that the models run it as it is.

use std::sync::Arc;

use tempest::NodeId;
use tempest::world::{MessageId, Packet};

use crate::apart::{Alone, Apart, bump};
use crate::link::backlog::Backlog;
use crate::link::outbox::{Outbox, PAGE_BYTES, Quota};
use crate::link::ring::{BadLength, Drained, Origin, Received, Ring, Sent};
use crate::link::windows::Windows;
use crate::lock::lock;
use crate::sync::{AtomicU64, AtomicUsize, Mutex, MutexGuard, Ordering, mutated};

/// Slots of a ring where there is memory for it. They favour streams, which run best with thousands of lines between their ends;
/// a window of requests touches as few lines of a large ring at a time as of a small one.
pub(crate) const RING_SLOTS: usize = 2048;

/// Thread messages of one lane that may at most be on their way and not acknowledged: half as many short ones as a ring has room
/// for. Who runs out of credit has to fetch the receiver's line for each few messages more.
pub(crate) const WINDOW: u64 = 4096;

/// Bytes that the outboxes of a world may take: 1 GiB.
pub(crate) const OUTBOX_BYTES: usize = 1 << 30;

/// Bytes that the outboxes of a node may hold before it acknowledges nothing any more: about what a core's own cache holds. Where
/// the outboxes of a world may take little, a quarter of what there is for the node.
const RESERVE_BYTES: usize = 4 << 20;

/// Bytes that a handler may leave in outboxes, as long as nothing is known of it: 25,000 short messages.
const ASSUMED_BYTES: usize = 1 << 20;

/// How deep rings, windows and outboxes are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Depths {
    /// Messages of a ring, a power of two.
    pub(crate) slots: usize,
    /// Credits of a lane.
    pub(crate) window: u64,
    /// Bytes of the outboxes of a world.
    pub(crate) outboxes: usize,
}

impl Default for Depths {
    fn default() -> Self {
        Self { slots: RING_SLOTS, window: WINDOW, outboxes: OUTBOX_BYTES }
    }
}

impl Depths {
    /// Words in the outboxes of a node, of so many, up to which it acknowledges what it has handled.
    pub(crate) fn reserve(&self, nodes: usize) -> usize {
        RESERVE_BYTES.min(self.outboxes / (4 * nodes)) / size_of::<u64>()
    }
}

/// The bound of the outboxes of a world. All its lanes share it.
#[derive(Clone)]
pub(crate) struct Bounds {
    pub(crate) quota: Arc<Quota>,
    pub(crate) windows: Windows,
}

impl Bounds {
    /// Bounds for so many nodes and kinds of messages.
    pub(crate) fn new(depths: Depths, nodes: usize, kinds: usize) -> Self {
        let first = depths.outboxes / ASSUMED_BYTES / nodes.pow(2);
        let share = depths.reserve(nodes) / nodes;
        Self {
            quota: Arc::new(Quota::new(depths.outboxes.div_ceil(PAGE_BYTES))),
            windows: Windows::new(kinds, first as u64, depths.window, share as u64),
        }
    }
}

/// From one node to another.
pub(crate) struct Lane {
    ring: Ring,
    /// `None` where nodes have one processor, which is all that ever sends or receives.
    turn: Option<Alone<Mutex<()>>>,
    /// What waits for room. Changed by who has the turn.
    outbox: Mutex<Outbox>,
    sender: Sender,
    /// Messages taken out. Changed by who has the right to receive.
    received: Apart,
    /// Thread messages handled at the far end.
    handled: Apart,
    /// As many of them as the sender may know of.
    acknowledged: Apart,
    bounds: Bounds,
}

/// What the sending side knows, changed by who has the turn.
#[derive(Default)]
#[repr(align(128))]
struct Sender {
    /// Words in the outbox.
    outboxed: AtomicUsize,
    /// The sending processor's stretch of work at the last message.
    stretch: AtomicU64,
    /// Thread messages sent.
    by_threads: AtomicU64,
    /// The number of those that were known to be acknowledged when last asked.
    acknowledged: AtomicU64,
    /// The kind of message sent last by a thread, and how many thread messages may have been sent when another of it goes.
    kind: AtomicU64,
    credit: AtomicU64,
    /// All other messages sent.
    by_handlers: AtomicU64,
    /// Thread messages sent when the threads ran out of credit last; 0 before that.
    ran_out_at: AtomicU64,
}

impl Sender {
    /// Whether a message of that stretch of work follows another one.
    #[inline]
    fn follows(&self, stretch: u64) -> bool {
        let last = self.stretch.load(Ordering::Relaxed);
        self.stretch.store(stretch, Ordering::Relaxed);
        last == stretch
    }

    /// Whether a thread's message of that kind has a credit that is known of, and nothing waits before it.
    #[inline]
    fn may_send_at_once(&self, id: MessageId) -> bool {
        self.kind.load(Ordering::Relaxed) == u64::from(id.0)
            && self.by_threads.load(Ordering::Relaxed) < self.credit.load(Ordering::Relaxed)
            && self.outboxed.load(Ordering::Relaxed) == 0
    }

    /// Remembers that messages of a kind may be sent until so many have been.
    fn credit(&self, id: MessageId, until: u64) {
        self.kind.store(id.0.into(), Ordering::Relaxed);
        self.credit.store(until, Ordering::Relaxed);
    }

    /// The number of the message that comes next.
    #[inline]
    fn next_number(&self) -> u64 {
        self.by_threads.load(Ordering::Relaxed) + self.by_handlers.load(Ordering::Relaxed)
    }
}

impl Lane {
    /// An empty lane; `shared` says whether several processors of the source node may send.
    pub(crate) fn new(slots: usize, bounds: &Bounds, shared: bool) -> Self {
        Self {
            ring: Ring::new(slots),
            turn: shared.then(Alone::default),
            outbox: Mutex::default(),
            sender: Sender::default(),
            received: Apart::default(),
            handled: Apart::default(),
            acknowledged: Apart::default(),
            bounds: bounds.clone(),
        }
    }

    /// A thread's message, if there is room and credit; returns its number in the lane. `stretch` is the sending processor's
    /// (`burst`), `backlog` counts the words in the outboxes of its node.
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

    /// A thread's message that is of another kind than the one before it, or beyond the credit that is known, or has messages of
    /// handlers before it. It may wait behind some of those: they are there, so whoever empties the outbox knows of it.
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

    /// A handler's message: into the ring, or behind what waits in the outbox. Returns its number in the lane, or `None` if
    /// the outboxes of the world have no memory left for it.
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

    /// Counts a message that has its place now, and returns its number in the lane.
    #[inline]
    fn number_next(&self, counter: &AtomicU64) -> u64 {
        let number = self.sender.next_number();
        bump(counter, 1);
        number
    }

    /// Appends a message to the outbox, if there is memory for it.
    #[cold]
    fn put_aside(&self, outbox: &mut Outbox, packet: &Packet, origin: Origin, backlog: &Backlog) -> bool {
        let Some(words) = outbox.push(packet, origin, &self.bounds.quota) else { return false };
        self.sender.outboxed.fetch_add(words, Ordering::Relaxed);
        backlog.add(words);
        true
    }

    /// The windows of credit, which all lanes share.
    #[cfg(test)]
    pub(crate) fn windows(&self) -> &Windows {
        &self.bounds.windows
    }

    /// Moves what it can from the outbox into the ring. True if there was anything: the receiver has to look then, also
    /// if nothing could be moved, because then its ring is full.
    pub(crate) fn flush(&self, backlog: &Backlog) -> bool {
        if self.sender.outboxed.load(Ordering::Relaxed) == 0 {
            return false;
        }
        let _turn = self.turn();
        self.is_flushed(backlog);
        true
    }

    /// Takes up to `limit` messages out, which come from `source`, into `message`, as long as `each` says. The caller has the
    /// node's right to receive, and while `each` runs it may lose it, if that says so.
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

    /// Shows `soon` messages that wait, before they are received: [`Ring::look_ahead`]. For who receives.
    #[inline]
    pub(crate) fn look_ahead(&self, source: NodeId, soon: impl FnMut(&Packet)) {
        self.ring.look_ahead(source, soon);
    }

    /// Whether a message waits. Exact, as whoever goes to sleep on the answer needs it; see [`Ring::is_ready`].
    #[inline]
    pub(crate) fn has_message(&self) -> bool {
        self.ring.is_ready()
    }

    /// Messages of threads have been handled at the far end.
    pub(crate) fn count_handled(&self, messages: u64) {
        if self.turn.is_none() {
            // One processor is all that ever receives, too.
            return bump(&self.handled.0, messages);
        }
        self.handled.0.fetch_add(messages, Ordering::Relaxed);
    }

    /// Lets the sender know of all that has been handled.
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

    /// Whether a thread may send a message of that kind. The sender remembers how many of it may follow.
    fn has_credit(&self, id: MessageId) -> bool {
        let (sent, window) = (self.sender.by_threads.load(Ordering::Relaxed), self.bounds.windows.of(id));
        let acknowledged = self.sender.acknowledged.load(Ordering::Relaxed);
        if sent - acknowledged < window {
            self.sender.credit(id, acknowledged + window);
            return true;
        }
        self.asks_for_credit(id, sent, window)
    }

    /// Whether the receiver has acknowledged enough meanwhile. If not, the window may be too small for what is sent: once all
    /// has been handled that had been sent when credit ran out before.
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

    /// Moves what it can from the outbox into the ring; true if the outbox is empty afterwards. Needs the turn.
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
