//! A lane carries the messages of one node to another: a ring, the credits of the sender's threads, the outbox.
//!
//! # Order
//!
//! Whoever sends from the node holds the lane's lock for the moment it takes to push. Two sends of the node in
//! happens-before order therefore enter the ring in that order, whichever processors they come from, and the receiver
//! takes them out in ring order. When the outbox holds anything, everything goes behind it.
//!
//! # Back-pressure, and why outboxes are bounded
//!
//! A *thread's* message needs three things: an empty outbox, room in the ring, and a credit. A *handler's* message is
//! never refused: if the ring is full it goes into the outbox, which processors empty before anything else.
//!
//! The receiving node publishes how many thread messages of a lane it has *digested* (handled) only while all its own
//! outboxes are empty, and a sender's threads may be at most [`WINDOW`] ahead of that. So while a node's outboxes hold
//! anything, at most `WINDOW` thread messages per lane into it start handlers there, and it takes in at most that many
//! times their fan-out. Handlers' messages start no further ones in a request-reply protocol, hence
//!
//! > outbox ≤ lanes in × `WINDOW` × fan-out.
//!
//! A processor that cannot send still receives, so rings always drain, outboxes empty, and credits come back. A protocol
//! whose handlers' messages start further messages without end has no such bound; at [`OUTBOX_LIMIT`] its node gives up
//! with an error that says so.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempest::Packet;

use crate::ring::{Apart, BadLength, Consumer, Origin, Producer, ring};

/// Slots of a ring: enough that a burst of a window does not wait for the receiver's next look.
pub(crate) const RING_SLOTS: usize = 1024;

/// Thread messages of one lane that may be on their way and not digested.
pub(crate) const WINDOW: u64 = 1024;

/// Packets the outboxes of one node may hold before it gives up: 512 MB.
pub(crate) const OUTBOX_LIMIT: usize = 1 << 22;

/// How deep rings, windows and outboxes are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Depths {
    pub(crate) slots: usize,
    pub(crate) window: u64,
}

impl Default for Depths {
    fn default() -> Self {
        Self { slots: RING_SLOTS, window: WINDOW }
    }
}

/// From one node to another.
pub(crate) struct Lane {
    out: Mutex<Out>,
    input: Mutex<Consumer>,
    /// Thread messages handled at the far end.
    handled: Apart,
    /// As many of them as the sender may know of.
    digested: Apart,
    window: u64,
}

struct Out {
    ring: Producer,
    outbox: VecDeque<Packet>,
    /// Thread messages sent.
    by_threads: u64,
}

impl Lane {
    pub(crate) fn new(depths: Depths) -> Self {
        let (producer, consumer) = ring(depths.slots);
        Self {
            out: Mutex::new(Out { ring: producer, outbox: VecDeque::new(), by_threads: 0 }),
            input: Mutex::new(consumer),
            handled: Apart::default(),
            digested: Apart(AtomicU64::new(0)),
            window: depths.window,
        }
    }

    /// A thread's message, if there is room and credit. `outboxed` counts the packets in the outboxes of the sender.
    pub(crate) fn offer(&self, packet: &Packet, outboxed: &AtomicUsize) -> bool {
        let mut out = self.out();
        let credit = out.by_threads - self.digested.0.load(Ordering::Acquire) < self.window;
        let sent = credit && out.flush(outboxed) && out.ring.push(packet, Origin::Thread);
        out.by_threads += u64::from(sent);
        sent
    }

    /// A handler's message: into the ring, or behind what waits in the outbox.
    pub(crate) fn post(&self, packet: &Packet, outboxed: &AtomicUsize) {
        let mut out = self.out();
        if !out.flush(outboxed) || !out.ring.push(packet, Origin::Handler) {
            out.outbox.push_back(*packet);
            outboxed.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Moves what it can from the outbox into the ring.
    pub(crate) fn flush(&self, outboxed: &AtomicUsize) {
        self.out().flush(outboxed);
    }

    /// Takes the next message out. The caller has the node's right to receive, so the lock is hardly ever waited for.
    pub(crate) fn receive(&self) -> Option<Result<(Packet, Origin), BadLength>> {
        self.input().pop()
    }

    /// Whether a message waits. Exact, as whoever goes to sleep on the answer needs it: the lock is waited for.
    pub(crate) fn has_message(&self) -> bool {
        self.input().is_ready()
    }

    /// A thread's message has been handled at the far end.
    pub(crate) fn count_handled(&self) {
        self.handled.0.fetch_add(1, Ordering::AcqRel);
    }

    /// Lets the sender know of all that has been handled.
    pub(crate) fn publish_digested(&self) {
        let handled = self.handled.0.load(Ordering::Acquire);
        if self.digested.0.load(Ordering::Relaxed) < handled {
            self.digested.0.fetch_max(handled, Ordering::AcqRel);
        }
    }

    fn out(&self) -> MutexGuard<'_, Out> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn input(&self) -> MutexGuard<'_, Consumer> {
        self.input.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Out {
    /// True if the outbox is empty afterwards.
    fn flush(&mut self, outboxed: &AtomicUsize) -> bool {
        while let Some(packet) = self.outbox.front() {
            if !self.ring.push(packet, Origin::Handler) {
                return false;
            }
            self.outbox.pop_front();
            outboxed.fetch_sub(1, Ordering::AcqRel);
        }
        true
    }
}
