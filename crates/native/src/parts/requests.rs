//! Requests to all computing processors of a node to finish accesses under old rights, without a fence where they poll.
//!
//! # Guarantee
//!
//! A processor *tests* (loads a tag, with acquire) and then *accesses* the block if the test allowed it. An asker that takes a right away
//! stores the lowered tag, then [`ask`](Requests::ask)s, then waits until that question [`is answered`](Requests::is_answered). Then
//! every access whose test saw the old tag has been made, and happens before the asker's next steps.
//!
//! # Proof
//!
//! A processor answers only between accesses, so each test and its access lie on the same side of an answer.
//!
//! | processor | action | order |
//! |---|---|---|
//! | asker | stores the lowered tags | – |
//! | asker | raises `asked` to the question's number, then passes a fence | release, sequentially consistent |
//! | computing processor | finds `asked` changed | acquire |
//! | computing processor | stores that number as `answered` | release |
//! | processor that becomes idle | stores `away`, passes a fence, answers the latest question | release, sequentially consistent |
//! | processor that computes again | clears `away`, passes a fence, answers the latest question | sequentially consistent |
//! | asker | finds `answered` at the number, or `away` | acquire |
//!
//! *Answered*: an access before the answer, in program order, happens before the answer (release) and so before the asker's
//! look (acquire). A test after the answer comes after the acquiring load of `asked`, which saw the question or a later one;
//! so the tag's store happens before it, and it sees the tag lowered.
//!
//! *Away*: everything that the processor did before it went away happens before the asker's look. When it comes back, its fence is either
//! after the asker's fence: then its tests see the lowered tag. Or it is before: then the asker, whose look is after its own fence, does
//! not find the old `away`, which was cleared before the processor's fence. If it finds a later `away`, that was stored after the accesses
//! in between.
//!
//! *No asker is forgotten*: an asker announces that it waits for answers ([`expect`](Requests::expect)) before it asks. A processor that
//! answers its question has acquired it, so it sees the announcement and makes the asker look again. A processor that goes away without
//! having seen the question passed its fence before the asker's, so the asker finds it away.
//!
//! A poll costs two loads. This module must never know tags, blocks or handlers; it uses only the atomics of
//! `sync`, so that the models run it as it is.

use crate::sync::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence, mutated};

/// The answers of one processor.
#[derive(Default)]
#[repr(align(128))]
struct Seat {
    answered: AtomicU64,
    away: AtomicBool,
}

/// The questions to the computing processors of a node.
#[repr(align(128))]
pub(crate) struct Requests {
    /// Number of the latest question.
    asked: AtomicU64,
    /// Askers that may still look for answers.
    waiting: AtomicUsize,
    seats: Box<[Seat]>,
}

impl Requests {
    /// Makes the requests for `processors` computing processors, all of which compute.
    pub(crate) fn new(processors: usize) -> Self {
        Self {
            asked: AtomicU64::new(0),
            waiting: AtomicUsize::new(0),
            seats: (0..processors).map(|_| Seat::default()).collect(),
        }
    }

    /// Announces an asker that waits for answers. To be called before it asks.
    pub(crate) fn expect(&self) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
    }

    /// Ends the announcement of an asker.
    pub(crate) fn settle(&self) {
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether an asker waits for answers.
    #[inline]
    pub(crate) fn is_waited_for(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    /// Asks, after the tags have been lowered. Returns the number of the question.
    pub(crate) fn ask(&self) -> u64 {
        let order = if mutated!("question-relaxed") { Ordering::Relaxed } else { Ordering::Release };
        let number = self.asked.fetch_add(1, order) + 1;
        if !mutated!("question-without-fence") {
            fence(Ordering::SeqCst);
        }
        number
    }

    /// Whether every processor has answered the question or is away.
    pub(crate) fn is_answered(&self, number: u64) -> bool {
        let order = if mutated!("look-relaxed") { Ordering::Relaxed } else { Ordering::Acquire };
        mutated!("nobody-is-awaited")
            || self.seats.iter().all(|seat| seat.answered.load(order) >= number || seat.away.load(order))
    }

    /// Whether a processor has a question to answer. Never called between a test and its access.
    #[inline]
    pub(crate) fn concerns(&self, processor: usize) -> bool {
        let order = if mutated!("question-not-acquired") { Ordering::Relaxed } else { Ordering::Acquire };
        self.asked.load(order) != self.seats[processor].answered.load(Ordering::Relaxed)
    }

    /// Answers the latest question for a processor. Returns true if an asker may have waited for that.
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

    /// Marks a processor as away: it has no thread to run for a while. Returns true if an asker may have waited for its answer.
    pub(crate) fn go_away(&self, processor: usize) -> bool {
        let order = if mutated!("away-relaxed") { Ordering::Relaxed } else { Ordering::Release };
        self.seats[processor].away.store(true, order);
        if !mutated!("away-without-fence") {
            fence(Ordering::SeqCst);
        }
        !mutated!("away-without-answer") && self.answer(processor)
    }

    /// Marks a processor as computing again. Returns true if an asker may have waited for its answer.
    pub(crate) fn come_back(&self, processor: usize) -> bool {
        self.seats[processor].away.store(false, Ordering::Relaxed);
        if !mutated!("back-without-fence") {
            fence(Ordering::SeqCst);
        }
        self.answer(processor)
    }
}
