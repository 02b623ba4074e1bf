//! Downgrades of a node that have to wait, and how servers learn that one can go on.
//!
//! A handler that has ended with a downgrade ([`Downgrade`]) leaves its key held. The downgrade then goes through these states:
//!
//! | state | leaves it |
//! |---|---|
//! | *accesses*: a thread has been granted an access to a block and has not made it | when the last one has been made |
//! | *answers*: the tags are lowered and the computing processors have been asked (`requests`) | when all have answered |
//! | *done*: the continuation that the handler left is handled, under the same key | – |
//!
//! Mostly both waits are over at once: no access has just been granted, and all other processors are idle. If one processor computes and
//! runs all handlers, no processor is asked: a handler never runs between a test and its access. Otherwise the downgrade is *set aside*
//! and occupies no processor. A processor that makes the last access, or answers, notes a *change* and wakes a server, which looks through
//! the list of set-aside downgrades.
//!
//! The message whose handler downgrades is not finished before the continuation is: a downgrade is in flight.
//!
//! # No downgrade is forgotten
//!
//! A server that looks through the list reads `changes` first, and remembers that number only if it found no downgrade done. A change adds
//! one, with release, after the event that it reports. So either the look sees the event, or `changes` differs from the remembered number
//! and is looked at again before any server sleeps (`parker`).
//!
//! Every awaited event notes a change:
//!
//! - *An answer.* The asker has announced that it waits before it asked, and a processor that answers has acquired the question: see
//!   `requests`.
//! - *An access.* The asker has announced that it waits, and then tested whether an access is granted, under the lock of the node's
//!   faults. The access leaves the list of grants under the same lock. If the asker's test came first, the accessing processor sees the
//!   announcement. If not, the asker did not wait.
//! - *Setting aside.* The awaited event may have come before the downgrade was in the list, so setting aside is a change too.
//!
//! This module must never know memory, messages or which processors serve. It uses only the atomics and locks of `sync`, so that the
//! models run it as it is.

use std::cell::Cell;

use tempest::world::{Downgrade, Held, Packet};

use crate::lock::lock;
use crate::padding::PaddedCounter;
use crate::parts::requests::Requests;
use crate::rings::message::Received;
use crate::sync::{AtomicUsize, Mutex, Ordering, mutated};

/// The environment of a downgrade: a processor, and the memory of its node.
pub(crate) trait DowngradeSite {
    /// Whether the processor runs all threads and handlers of its node, so that no processor is asked.
    fn is_alone(&self) -> bool;

    /// Whether a granted access to any of the blocks has not been made yet.
    fn is_pinned(&self, lowering: &Downgrade) -> bool;

    /// DowngradeSite the tags.
    fn lower(&self, lowering: &Downgrade);

    /// Answers the latest question for the processor, which is not between a test and its access now.
    fn answer(&self);
}

/// The events that a downgrade waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Granted accesses.
    Accesses,
    /// The answers to a question.
    Answers(u64),
}

/// A downgrade that has to wait.
pub(crate) struct Pending {
    lowering: Downgrade,
    stage: Stage,
}

impl Pending {
    /// Advances as far as possible. Returns true if the downgrade is done.
    fn advance(&mut self, requests: &Requests, by: &impl DowngradeSite) -> bool {
        if self.stage == Stage::Accesses {
            if by.is_pinned(&self.lowering) {
                return false;
            }
            by.lower(&self.lowering);
            if by.is_alone() {
                return true;
            }
            self.stage = Stage::Answers(requests.ask());
            by.answer();
        }
        matches!(self.stage, Stage::Answers(number) if requests.is_answered(number))
    }
}

/// A pending downgrade that is set aside.
struct SetAside {
    pending: Pending,
    /// The message whose handler began it, which is not finished yet.
    message: Received,
    /// The token of the key, if dispatch is keyed.
    held: Option<Held>,
}

/// A downgrade that is done.
pub(crate) struct Done {
    /// The message whose handler began it.
    pub(crate) message: Received,
    /// The continuation, to be handled now.
    pub(crate) then: Packet,
    /// The token of the key, if dispatch is keyed.
    pub(crate) held: Option<Held>,
}

/// The downgrades of a node with shared memory.
pub(crate) struct Downgrades {
    pub(crate) requests: Requests,
    /// Number of downgrades that wait for accesses: threads yield meanwhile.
    awaiting_access: AtomicUsize,
    /// Count of changes by which a set-aside downgrade may be able to go on.
    changes: PaddedCounter,
    set_aside: Mutex<Vec<SetAside>>,
    how_many: AtomicUsize,
}

impl Downgrades {
    /// Makes the table of a node with `computing` computing processors.
    pub(crate) fn new(computing: usize) -> Self {
        Self {
            requests: Requests::new(computing),
            awaiting_access: AtomicUsize::new(0),
            changes: PaddedCounter::default(),
            set_aside: Mutex::default(),
            how_many: AtomicUsize::new(0),
        }
    }

    /// Whether a downgrade is set aside. Exact under the lock of a serial dispatcher, if there is one.
    #[inline]
    pub(crate) fn has_set_aside(&self) -> bool {
        self.how_many.load(Ordering::Relaxed) > 0
    }

    /// Whether threads have to yield, because a ready thread has been granted an access.
    #[inline]
    pub(crate) fn awaits_access(&self) -> bool {
        self.awaiting_access.load(Ordering::Relaxed) > 0
    }

    /// Counts a change: an access has been made, a question answered, or a downgrade set aside. The caller wakes a server.
    pub(crate) fn note_change(&self) {
        let order = if mutated!("change-relaxed") { Ordering::Relaxed } else { Ordering::Release };
        self.changes.0.fetch_add(1, order);
    }

    /// Whether there was a change since the last fruitless look, remembered in `looked`.
    #[inline]
    pub(crate) fn sees_change(&self, looked: &Cell<u64>) -> bool {
        self.changes() != looked.get()
    }

    #[inline]
    fn changes(&self) -> u64 {
        let order = if mutated!("change-not-acquired") { Ordering::Relaxed } else { Ordering::Acquire };
        self.changes.0.load(order)
    }

    /// Begins a downgrade. Returns it as pending if it has to wait.
    pub(crate) fn begin(&self, by: &impl DowngradeSite, lowering: &Downgrade) -> Option<Pending> {
        if by.is_alone() && !by.is_pinned(lowering) {
            by.lower(lowering);
            return None;
        }
        self.requests.expect();
        let mut pending = Pending { lowering: lowering.clone(), stage: Stage::Accesses };
        if !pending.advance(&self.requests, by) {
            return Some(pending);
        }
        self.requests.settle();
        None
    }

    /// Sets a downgrade aside until it can go on. The caller notes a change, because the awaited event may have come before the downgrade
    /// was in the list.
    pub(crate) fn set_aside(&self, pending: Pending, message: Received, held: Option<Held>) {
        if pending.stage == Stage::Accesses {
            self.awaiting_access.fetch_add(1, Ordering::Relaxed);
        }
        let mut list = lock(&self.set_aside);
        list.push(SetAside { pending, message, held });
        self.how_many.store(list.len(), Ordering::Relaxed);
    }

    /// Advances the set-aside downgrades up to the first that is done, and takes it out. If none is, remembers in `looked` the changes
    /// seen so far.
    pub(crate) fn take_done(&self, by: &impl DowngradeSite, looked: &Cell<u64>) -> Option<Done> {
        let seen = self.changes();
        let done = self.take_out(by);
        if done.is_none() {
            looked.set(if mutated!("later-changes-seen") { self.changes() } else { seen });
        }
        let SetAside { pending, message, held } = done?;
        Some(Done { message, then: pending.lowering.then, held })
    }

    fn take_out(&self, by: &impl DowngradeSite) -> Option<SetAside> {
        let mut list = lock(&self.set_aside);
        let at = list.iter_mut().position(|aside| {
            let before = aside.pending.stage;
            let done = aside.pending.advance(&self.requests, by);
            if before == Stage::Accesses && (done || aside.pending.stage != before) {
                self.awaiting_access.fetch_sub(1, Ordering::Relaxed);
            }
            done
        })?;
        let done = list.remove(at);
        self.how_many.store(list.len(), Ordering::Relaxed);
        self.requests.settle();
        Some(done)
    }
}
