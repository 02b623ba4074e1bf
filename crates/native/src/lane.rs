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
//! A *thread's* message needs three things: an empty outbox, room in the ring, and a credit. A *handler's* message is
//! never refused: if the ring is full it goes into the outbox, which processors empty before anything else.
//!
//! The receiving node *acknowledges* the thread messages of a lane that it has handled, by publishing their number, only while
//! all its own outboxes are empty. A sender's threads may be at most [`WINDOW`] messages ahead of that. So while a node's outboxes hold
//! anything, at most `WINDOW` thread messages per lane into it start handlers there (give or take those that run as the
//! first one overflows), and it takes in at most that many times their fan-out. Handlers' messages start no further ones
//! in a request-reply protocol, hence
//!
//! > outbox ≤ lanes in × `WINDOW` × fan-out.
//!
//! A processor that cannot send still receives, so rings always drain, outboxes empty, and credits come back. A protocol
//! whose handlers' messages start further messages without end has no such bound; at [`OUTBOX_LIMIT`] its node gives up
//! with an error that says so.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

use tempest::NodeId;
use tempest::world::Packet;

use crate::gauge::bump;
use crate::node::lock;
use crate::ring::{Alone, Apart, BadLength, Drained, Origin, Received, Ring, Sent};

/// Slots of a ring where there is memory for it. They favour streams, which run best with thousands of lines between their ends;
/// a window of requests touches as few lines of a large ring at a time as of a small one.
pub(crate) const RING_SLOTS: usize = 2048;

/// Thread messages of one lane that may be on their way and not acknowledged: half as many short ones as a ring has room for. Who
/// runs out of credit has to fetch the receiver's line for each few messages more.
pub(crate) const WINDOW: u64 = 4096;

/// Packets the outboxes of one node may hold before it gives up: 512 MB.
pub(crate) const OUTBOX_LIMIT: usize = 1 << 22;

/// How deep rings, windows and outboxes are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Depths {
    /// Messages of a ring, a power of two.
    pub(crate) slots: usize,
    /// Credits of a lane.
    pub(crate) window: u64,
    /// Packets in the outboxes of a node.
    pub(crate) outbox: usize,
}

impl Default for Depths {
    fn default() -> Self {
        Self { slots: RING_SLOTS, window: WINDOW, outbox: OUTBOX_LIMIT }
    }
}

/// From one node to another.
pub(crate) struct Lane {
    ring: Ring,
    /// `None` where nodes have one processor, which is all that ever sends or receives.
    turn: Option<Alone<Mutex<()>>>,
    /// What waits for room. Changed by who has the turn.
    outbox: Mutex<VecDeque<(Packet, Origin)>>,
    sender: Sender,
    /// Messages taken out. Changed by who has the right to receive.
    received: Apart,
    /// Thread messages handled at the far end.
    handled: Apart,
    /// As many of them as the sender may know of.
    acknowledged: Apart,
    window: u64,
}

/// What the sending side knows, changed by who has the turn.
#[derive(Default)]
#[repr(align(128))]
struct Sender {
    /// Packets in the outbox.
    outboxed: AtomicUsize,
    /// The sending processor's stretch of work at the last message.
    stretch: AtomicU64,
    /// Thread messages sent.
    by_threads: AtomicU64,
    /// The number of those that were known to be acknowledged when last asked.
    acknowledged: AtomicU64,
    /// All other messages sent.
    by_handlers: AtomicU64,
}

impl Sender {
    /// Whether a message of that stretch of work follows another one.
    #[inline]
    fn follows(&self, stretch: u64) -> bool {
        let last = self.stretch.load(Ordering::Relaxed);
        self.stretch.store(stretch, Ordering::Relaxed);
        last == stretch
    }

    /// The number of the message that comes next.
    #[inline]
    fn next_number(&self) -> u64 {
        self.by_threads.load(Ordering::Relaxed) + self.by_handlers.load(Ordering::Relaxed)
    }
}

impl Lane {
    /// An empty lane; `shared` says whether several processors of the source node may send.
    pub(crate) fn new(depths: Depths, shared: bool) -> Self {
        Self {
            ring: Ring::new(depths.slots),
            turn: shared.then(Alone::default),
            outbox: Mutex::default(),
            sender: Sender::default(),
            received: Apart::default(),
            handled: Apart::default(),
            acknowledged: Apart::default(),
            window: depths.window,
        }
    }

    /// A thread's message, if there is room and credit; returns its number in the lane. `stretch` is the sending processor's
    /// (`burst`), `outboxed` counts the packets in the outboxes of the sender.
    #[inline(always)]
    pub(crate) fn offer(&self, packet: &Packet, stretch: u64, outboxed: &AtomicUsize) -> Option<u64> {
        let _turn = self.turn();
        if !self.has_credit() || !self.is_flushed(outboxed) {
            return None;
        }
        let sent = Sent { origin: Origin::Thread, follows: self.sender.follows(stretch) };
        self.ring.push(packet, sent).then(|| {
            let number = self.sender.next_number();
            bump(&self.sender.by_threads, 1);
            number
        })
    }

    /// A handler's message: into the ring, or behind what waits in the outbox. Returns its number in the lane.
    #[inline]
    pub(crate) fn post(&self, packet: &Packet, origin: Origin, stretch: u64, outboxed: &AtomicUsize) -> u64 {
        let _turn = self.turn();
        let flushed = self.is_flushed(outboxed);
        let number = self.sender.next_number();
        bump(&self.sender.by_handlers, 1);
        let sent = Sent { origin, follows: self.sender.follows(stretch) };
        if !flushed || !self.ring.push(packet, sent) {
            lock(&self.outbox).push_back((*packet, origin));
            self.sender.outboxed.fetch_add(1, Ordering::Relaxed);
            outboxed.fetch_add(1, Ordering::AcqRel);
        }
        number
    }

    /// Moves what it can from the outbox into the ring. True if there was anything: the receiver has to look then, also
    /// if nothing could be moved, because then its ring is full.
    pub(crate) fn flush(&self, outboxed: &AtomicUsize) -> bool {
        if self.sender.outboxed.load(Ordering::Relaxed) == 0 {
            return false;
        }
        let _turn = self.turn();
        self.is_flushed(outboxed);
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
        message.number = self.received.0.load(Ordering::Relaxed);
        self.ring.drain(limit, source, message, |message, is_good| {
            self.received.0.store(message.number + 1, Ordering::Relaxed);
            let goes_on = each(message, is_good);
            message.number += 1;
            goes_on
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

    #[inline]
    fn has_credit(&self) -> bool {
        let sent = self.sender.by_threads.load(Ordering::Relaxed);
        if sent - self.sender.acknowledged.load(Ordering::Relaxed) < self.window {
            return true;
        }
        let acknowledged = self.acknowledged.0.load(Ordering::Acquire);
        self.sender.acknowledged.store(acknowledged, Ordering::Relaxed);
        sent - acknowledged < self.window
    }

    /// Moves what it can from the outbox into the ring; true if the outbox is empty afterwards. Needs the turn.
    #[inline]
    fn is_flushed(&self, outboxed: &AtomicUsize) -> bool {
        self.sender.outboxed.load(Ordering::Relaxed) == 0 || self.empty_outbox(outboxed)
    }

    #[cold]
    fn empty_outbox(&self, outboxed: &AtomicUsize) -> bool {
        let mut outbox = lock(&self.outbox);
        while let Some((packet, origin)) = outbox.front() {
            if !self.ring.push(packet, Sent { origin: *origin, follows: true }) {
                return false;
            }
            outbox.pop_front();
            self.sender.outboxed.fetch_sub(1, Ordering::Relaxed);
            outboxed.fetch_sub(1, Ordering::AcqRel);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use tempest::world::MessageId;
    use tempest::{MAX_WORDS, NodeId};

    use super::*;

    /// So long that a slot has room for one.
    fn packet(number: u64) -> Packet {
        Packet::from_parts(MessageId(0), NodeId(0), &[number; MAX_WORDS]).unwrap()
    }

    fn lane(slots: usize, window: u64) -> (Lane, AtomicUsize) {
        (Lane::new(Depths { slots, window, outbox: 100 }, true), AtomicUsize::new(0))
    }

    fn drain(lane: &Lane) -> Vec<u64> {
        let mut all = Vec::new();
        lane.receive(100, NodeId(0), &mut Received::blank(), |message, is_good| {
            is_good.unwrap();
            assert_eq!(message.number, message.packet.words()[0], "it is known by its number in the lane");
            all.push(message.number);
            true
        });
        all
    }

    #[test]
    fn handlers_messages_wait_in_the_outbox_and_keep_their_order() {
        let (lane, outboxed) = lane(2, 10);
        (0..5)
            .for_each(|number| assert_eq!(lane.post(&packet(number), Origin::Handler, 1, &outboxed), number));
        assert_eq!(outboxed.load(Ordering::Relaxed), 3);
        assert_eq!(lane.offer(&packet(9), 1, &outboxed), None, "the outbox comes first");
        assert_eq!(drain(&lane), [0, 1]);
        assert!(lane.flush(&outboxed));
        assert_eq!(drain(&lane), [2, 3]);
        lane.post(&packet(5), Origin::Handler, 1, &outboxed);
        assert_eq!((drain(&lane), outboxed.load(Ordering::Relaxed)), (vec![4, 5], 0));
        assert!(!lane.flush(&outboxed));
    }

    #[test]
    fn threads_have_as_many_credits_as_are_acknowledged() {
        let (lane, outboxed) = lane(8, 3);
        let offer = |number: &u64| lane.offer(&packet(*number), 1, &outboxed) == Some(*number);
        assert_eq!((0..8).take_while(offer).count(), 3);
        assert_eq!(drain(&lane), [0, 1, 2]);
        lane.count_handled(2);
        assert!(!offer(&3), "handled, but the sender does not know");
        lane.publish_acknowledged();
        assert_eq!((3..8).take_while(offer).count(), 2);
    }
}
