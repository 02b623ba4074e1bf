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
//! The receiving node publishes how many thread messages of a lane it has *digested* (handled) only while all its own
//! outboxes are empty, and a sender's threads may be at most [`WINDOW`] ahead of that. So while a node's outboxes hold
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

use tempest::Packet;

use crate::gauge::bump;
use crate::node::lock;
use crate::ring::{Apart, BadLength, Origin, Received, Ring};

/// Slots of a ring where there is memory for it: a burst of a window does not wait for the receiver's next look.
pub(crate) const RING_SLOTS: usize = 1024;

/// Thread messages of one lane that may be on their way and not digested.
pub(crate) const WINDOW: u64 = 1024;

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
    /// `None` where one processor is all that ever sends.
    turn: Option<Mutex<()>>,
    /// What waits for room. Changed by who has the turn.
    outbox: Mutex<VecDeque<(Packet, Origin)>>,
    sender: Sender,
    /// Thread messages handled at the far end.
    handled: Apart,
    /// As many of them as the sender may know of.
    digested: Apart,
    window: u64,
}

/// What the sending side knows, changed by who has the turn.
#[derive(Default)]
#[repr(align(128))]
struct Sender {
    /// Packets in the outbox.
    outboxed: AtomicUsize,
    /// Thread messages sent.
    by_threads: AtomicU64,
    /// Of those, as many as were known to be digested when last asked.
    digested: AtomicU64,
}

impl Lane {
    /// An empty lane; `shared` says whether several processors of the source node may send.
    pub(crate) fn new(depths: Depths, shared: bool) -> Self {
        Self {
            ring: Ring::new(depths.slots),
            turn: shared.then(Mutex::default),
            outbox: Mutex::default(),
            sender: Sender::default(),
            handled: Apart::default(),
            digested: Apart::default(),
            window: depths.window,
        }
    }

    /// A thread's message, if there is room and credit; returns its number in the lane. `outboxed` counts the packets in
    /// the outboxes of the sender.
    #[inline]
    pub(crate) fn offer(&self, packet: &Packet, outboxed: &AtomicUsize) -> Option<u64> {
        let _turn = self.turn();
        if !self.has_credit() || !self.is_flushed(outboxed) {
            return None;
        }
        let number = self.ring.next_number();
        self.ring.push(packet, Origin::Thread).then(|| {
            bump(&self.sender.by_threads, 1);
            number
        })
    }

    /// A handler's message: into the ring, or behind what waits in the outbox. Returns its number in the lane.
    #[inline]
    pub(crate) fn post(&self, packet: &Packet, origin: Origin, outboxed: &AtomicUsize) -> u64 {
        let _turn = self.turn();
        let flushed = self.is_flushed(outboxed);
        let number = self.ring.next_number() + self.sender.outboxed.load(Ordering::Relaxed) as u64;
        if !flushed || !self.ring.push(packet, origin) {
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

    /// Takes the next message out. The caller has the node's right to receive.
    #[inline]
    pub(crate) fn receive(&self) -> Option<Result<Received, BadLength>> {
        self.ring.pop()
    }

    /// Whether a message waits. Exact, as whoever goes to sleep on the answer needs it; see [`Ring::is_ready`].
    #[inline]
    pub(crate) fn has_message(&self) -> bool {
        self.ring.is_ready()
    }

    /// A thread's message has been handled at the far end.
    pub(crate) fn count_handled(&self) {
        self.handled.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Lets the sender know of all that has been handled.
    pub(crate) fn publish_digested(&self) {
        let handled = self.handled.0.load(Ordering::Relaxed);
        if self.digested.0.load(Ordering::Relaxed) < handled {
            self.digested.0.fetch_max(handled, Ordering::AcqRel);
        }
    }

    #[inline]
    fn turn(&self) -> Option<MutexGuard<'_, ()>> {
        self.turn.as_ref().map(lock)
    }

    #[inline]
    fn has_credit(&self) -> bool {
        let sent = self.sender.by_threads.load(Ordering::Relaxed);
        if sent - self.sender.digested.load(Ordering::Relaxed) < self.window {
            return true;
        }
        let digested = self.digested.0.load(Ordering::Acquire);
        self.sender.digested.store(digested, Ordering::Relaxed);
        sent - digested < self.window
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
            if !self.ring.push(packet, *origin) {
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
    use tempest::{MessageId, NodeId};

    use super::*;

    fn packet(number: u64) -> Packet {
        Packet::from_parts(MessageId(0), NodeId(0), &[number]).unwrap()
    }

    fn lane(slots: usize, window: u64) -> (Lane, AtomicUsize) {
        (Lane::new(Depths { slots, window, outbox: 100 }, true), AtomicUsize::new(0))
    }

    fn drain(lane: &Lane) -> Vec<u64> {
        std::iter::from_fn(|| lane.receive()).map(|message| message.unwrap().packet.words()[0]).collect()
    }

    #[test]
    fn handlers_messages_wait_in_the_outbox_and_keep_their_order() {
        let (lane, outboxed) = lane(2, 10);
        (0..5).for_each(|number| assert_eq!(lane.post(&packet(number), Origin::Handler, &outboxed), number));
        assert_eq!(outboxed.load(Ordering::Relaxed), 3);
        assert_eq!(lane.offer(&packet(9), &outboxed), None, "the outbox comes first");
        assert_eq!(drain(&lane), [0, 1]);
        assert!(lane.flush(&outboxed));
        assert_eq!(drain(&lane), [2, 3]);
        lane.post(&packet(5), Origin::Handler, &outboxed);
        assert_eq!((drain(&lane), outboxed.load(Ordering::Relaxed)), (vec![4, 5], 0));
        assert!(!lane.flush(&outboxed));
    }

    #[test]
    fn threads_have_as_many_credits_as_are_digested() {
        let (lane, outboxed) = lane(8, 3);
        let offer = |number: &u64| lane.offer(&packet(*number), &outboxed) == Some(*number);
        assert_eq!((0..8).take_while(offer).count(), 3);
        assert_eq!(drain(&lane), [0, 1, 2]);
        lane.count_handled();
        lane.count_handled();
        assert!(!offer(&3), "handled, but the sender does not know");
        lane.publish_digested();
        assert_eq!((3..8).take_while(offer).count(), 2);
    }
}
