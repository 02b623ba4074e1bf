//! Lowerings of a node that wait for something, and how whoever serves learns that one has come further.
//!
//! A handler that has ended with a [`Lowering`] leaves its key held. What comes next goes through these states:
//!
//! | state | leaves it |
//! |---|---|
//! | *accesses*: a thread has been granted an access to a block and has not done it | when the last one is done |
//! | *answers*: the tags are lowered, a question is put to the computing processors (`requests`) | when all have answered |
//! | *done*: what the handler left to be handled then is handled, under the same key | – |
//!
//! Mostly both are left at once: nothing has just been granted, and everybody else is idle. Where one processor computes and
//! runs all handlers nobody is asked: a handler never runs between a test and its access. Otherwise the lowering is *set
//! aside*, and no processor is occupied with it. Whoever does the last access, or answers, says that there is a *change*
//! and wakes a processor that serves, which looks through what is set aside.
//!
//! The message whose handler lowers is not dealt with before what comes then has been: a lowering is in flight.
//!
//! # Why no lowering is forgotten
//!
//! Whoever looks through the list reads `changes` first, and takes that number for what it has looked at only if nothing was
//! done. A change adds one, with release, after what it tells of. So either the look sees what the change tells of, or
//! `changes` is not the number any more, and is looked at again before anybody sleeps (`berth`).
//!
//! There is a change for all that can be waited for:
//!
//! - *An answer.* The asker has said that it waits before it asked, and who answers has acquired the question: see `requests`.
//! - *An access.* The asker has said that it waits, and then looked whether an access is granted, under the lock of the node's
//!   faults. The access is taken off that list under the same lock. If the asker's look came first, who does the access knows
//!   that somebody waits. If not, the asker did not wait.
//! - *Being set aside.* What is waited for may have come before the lowering was in the list, so that is a change too.
//!
//! This module must never know memory, messages or who serves. It names no atomic and no lock but those of `sync`, so that the
//! models run it as it is.

use std::cell::Cell;

use tempest::world::{Held, Lowering, Packet};

use crate::apart::Apart;
use crate::link::ring::Received;
use crate::lock::lock;
use crate::memory::requests::Requests;
use crate::sync::{AtomicUsize, Mutex, Ordering, mutated};

/// What goes on with a lowering: a processor, and the memory of its node.
pub(crate) trait Lowers {
    /// Whether it runs everything of its node, so that nobody is asked.
    fn is_alone(&self) -> bool;

    /// Whether a thread has been granted an access to one of the blocks and has not done it.
    fn is_pinned(&self, lowering: &Lowering) -> bool;

    /// Lowers the tags.
    fn lower(&self, lowering: &Lowering);

    /// Answers what is asked: whatever it runs, it is not between a test and its access now.
    fn answer(&self);
}

/// What a lowering waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Granted accesses.
    Accesses,
    /// The answers to a question.
    Answers(u64),
}

/// A lowering that waits for something.
pub(crate) struct Pending {
    lowering: Lowering,
    stage: Stage,
}

impl Pending {
    /// Goes on with it as far as possible; true if it is done.
    fn advance(&mut self, requests: &Requests, by: &impl Lowers) -> bool {
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

/// It, set aside with what it needs to go on.
struct SetAside {
    pending: Pending,
    /// What began it, which is not dealt with yet.
    message: Received,
    /// The token of the key, where dispatch is keyed.
    held: Option<Held>,
}

/// A lowering that is done.
pub(crate) struct Done {
    /// What began it.
    pub(crate) message: Received,
    /// What is handled now.
    pub(crate) then: Packet,
    /// The token of the key, where dispatch is keyed.
    pub(crate) held: Option<Held>,
}

/// The lowerings of a node with shared memory.
pub(crate) struct Lowerings {
    pub(crate) requests: Requests,
    /// Lowerings that wait for accesses: threads give way meanwhile.
    awaiting_access: AtomicUsize,
    /// Changes by which one that is set aside may have come further.
    changes: Apart,
    set_aside: Mutex<Vec<SetAside>>,
    how_many: AtomicUsize,
}

impl Lowerings {
    /// For a node with so many computing processors.
    pub(crate) fn new(computing: usize) -> Self {
        Self {
            requests: Requests::new(computing),
            awaiting_access: AtomicUsize::new(0),
            changes: Apart::default(),
            set_aside: Mutex::default(),
            how_many: AtomicUsize::new(0),
        }
    }

    /// Whether something is set aside. Exact under the lock of a serial dispatcher, where there is one.
    #[inline]
    pub(crate) fn has_set_aside(&self) -> bool {
        self.how_many.load(Ordering::Relaxed) > 0
    }

    /// Whether threads are to give way, because one that is ready has been granted an access.
    #[inline]
    pub(crate) fn awaits_access(&self) -> bool {
        self.awaiting_access.load(Ordering::Relaxed) > 0
    }

    /// Something may have come further: an access is done, a question answered, a lowering set aside. The caller wakes a
    /// processor that serves.
    pub(crate) fn note_change(&self) {
        let order = if mutated!("change-relaxed") { Ordering::Relaxed } else { Ordering::Release };
        self.changes.0.fetch_add(1, order);
    }

    /// Whether something may have come further since whoever has `looked` found nothing done.
    #[inline]
    pub(crate) fn sees_change(&self, looked: &Cell<u64>) -> bool {
        self.changes() != looked.get()
    }

    #[inline]
    fn changes(&self) -> u64 {
        let order = if mutated!("change-not-acquired") { Ordering::Relaxed } else { Ordering::Acquire };
        self.changes.0.load(order)
    }

    /// Takes a right away; what has to be waited for, if anything.
    pub(crate) fn begin(&self, by: &impl Lowers, lowering: &Lowering) -> Option<Pending> {
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

    /// Sets a lowering aside until it can go on. The caller notes a change: what it waits for may have come before anybody could
    /// see that it waits.
    pub(crate) fn set_aside(&self, pending: Pending, message: Received, held: Option<Held>) {
        if pending.stage == Stage::Accesses {
            self.awaiting_access.fetch_add(1, Ordering::Relaxed);
        }
        let mut list = lock(&self.set_aside);
        list.push(SetAside { pending, message, held });
        self.how_many.store(list.len(), Ordering::Relaxed);
    }

    /// Goes on with what is set aside, up to one that is done, which it takes out. If none is, whoever has `looked` has seen all
    /// changes so far.
    pub(crate) fn take_done(&self, by: &impl Lowers, looked: &Cell<u64>) -> Option<Done> {
        let seen = self.changes();
        let done = self.take_out(by);
        if done.is_none() {
            looked.set(if mutated!("later-changes-seen") { self.changes() } else { seen });
        }
        let SetAside { pending, message, held } = done?;
        Some(Done { message, then: pending.lowering.then, held })
    }

    fn take_out(&self, by: &impl Lowers) -> Option<SetAside> {
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
