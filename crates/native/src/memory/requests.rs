//! Asking all computing processors of a node to let go of what they have tested, without a fence where they poll.
//!
//! # What is promised
//!
//! A processor *tests* (a load of a tag, acquiring) and then *accesses* what the test allowed. Who takes a right away stores
//! the lowered tag, then [`ask`](Requests::ask)s, then waits until that question [`is answered`](Requests::is_answered).
//! Then every access whose test saw the tag as it was before has been done, and happens before what follows.
//!
//! # Why that is so
//!
//! A processor answers only between accesses, so each test and its access lie on the same side of an answer.
//!
//! | who | does | order |
//! |---|---|---|
//! | asker | stores the lowered tags | – |
//! | asker | raises `asked` to the question's number, then passes a fence | release, sequentially consistent |
//! | processor that computes | finds `asked` moved | acquire |
//! | processor that computes | stores that number as `answered` | release |
//! | processor that becomes idle | stores `away`, passes a fence, answers what is asked | release, sequentially consistent |
//! | processor that computes again | clears `away`, passes a fence, answers what is asked | sequentially consistent |
//! | asker | finds `answered` at the number, or `away` | acquire |
//!
//! *Answered*: an access before the answer, in program order, happens before the answer (release) and so before the asker's
//! look (acquire). A test after the answer comes after the acquiring load of `asked`, which saw the question or a later one;
//! so the tag's store happens before it, and it sees the tag lowered.
//!
//! *Away*: what the processor did before it went away happens before the asker's look. When it comes back its fence is either
//! after the asker's: then its tests see the lowered tag. Or before it: then the asker, whose look is after its own fence,
//! does not find the `away` that was cleared before the other one; if it finds a later one, that happened after the accesses
//! in between.
//!
//! *Nobody is forgotten*: an asker says that it wants to be told of answers ([`expect`](Requests::expect)) before it asks. Who
//! answers its question has acquired it, so it sees that and has the asker look again. Who goes away without having seen the
//! question passed its fence before the asker's, so the asker finds it away.
//!
//! The price of a poll is two loads. This module must never know tags, blocks or handlers; it names no atomic but those of
//! `sync`, so that the models run it as it is.

use crate::sync::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence, mutated};

/// What one processor says.
#[derive(Default)]
#[repr(align(128))]
struct Seat {
    answered: AtomicU64,
    away: AtomicBool,
}

/// The questions put to the computing processors of a node.
#[repr(align(128))]
pub(crate) struct Requests {
    /// Number of the latest question.
    asked: AtomicU64,
    /// Askers that may still look for answers.
    waiting: AtomicUsize,
    seats: Box<[Seat]>,
}

impl Requests {
    /// For so many computing processors, all of which compute.
    pub(crate) fn new(processors: usize) -> Self {
        Self {
            asked: AtomicU64::new(0),
            waiting: AtomicUsize::new(0),
            seats: (0..processors).map(|_| Seat::default()).collect(),
        }
    }

    /// From now on an asker wants to be told of answers. Before it asks.
    pub(crate) fn expect(&self) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
    }

    /// It does no longer.
    pub(crate) fn settle(&self) {
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether anybody wants to be told.
    #[inline]
    pub(crate) fn is_waited_for(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    /// Asks; returns the number of the question. The tags have been lowered.
    pub(crate) fn ask(&self) -> u64 {
        let order = if mutated!("question-relaxed") { Ordering::Relaxed } else { Ordering::Release };
        let number = self.asked.fetch_add(1, order) + 1;
        if !mutated!("question-without-fence") {
            fence(Ordering::SeqCst);
        }
        number
    }

    /// Whether every processor has answered a question, or is away.
    pub(crate) fn is_answered(&self, number: u64) -> bool {
        let order = if mutated!("look-relaxed") { Ordering::Relaxed } else { Ordering::Acquire };
        mutated!("nobody-is-awaited")
            || self.seats.iter().all(|seat| seat.answered.load(order) >= number || seat.away.load(order))
    }

    /// Whether a processor has something to answer. Never asked between a test and its access.
    #[inline]
    pub(crate) fn concerns(&self, processor: usize) -> bool {
        let order = if mutated!("question-not-acquired") { Ordering::Relaxed } else { Ordering::Acquire };
        self.asked.load(order) != self.seats[processor].answered.load(Ordering::Relaxed)
    }

    /// A processor answers what has been asked. True if somebody may have waited for that.
    pub(crate) fn answer(&self, processor: usize) -> bool {
        if !self.concerns(processor) {
            return false;
        }
        let order = if mutated!("question-not-acquired") { Ordering::Relaxed } else { Ordering::Acquire };
        let asked = self.asked.load(order);
        let order = if mutated!("answer-relaxed") { Ordering::Relaxed } else { Ordering::Release };
        self.seats[processor].answered.store(asked, order);
        self.is_waited_for()
    }

    /// A processor has nothing to compute for a while. True if somebody may have waited for its answer.
    pub(crate) fn go_away(&self, processor: usize) -> bool {
        let order = if mutated!("away-relaxed") { Ordering::Relaxed } else { Ordering::Release };
        self.seats[processor].away.store(true, order);
        if !mutated!("away-without-fence") {
            fence(Ordering::SeqCst);
        }
        !mutated!("away-without-answer") && self.answer(processor)
    }

    /// It computes again. True if somebody may have waited for its answer.
    pub(crate) fn come_back(&self, processor: usize) -> bool {
        self.seats[processor].away.store(false, Ordering::Relaxed);
        if !mutated!("back-without-fence") {
            fence(Ordering::SeqCst);
        }
        self.answer(processor)
    }
}
