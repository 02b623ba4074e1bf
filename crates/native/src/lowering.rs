//! Taking rights to blocks of shared memory away from a node.
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
//! # The key
//!
//! With keyed dispatch the token is set aside with the lowering, and what comes then continues the event
//! ([`pdq::Queue::complete_with`]): it takes the event's place, ahead of all others. With serial dispatch events are handled
//! one at a time, in order of arrival: while a lowering is set aside nothing else is handled on the node, and no thread
//! holds a key. That ends without anybody's handler: by accesses and answers alone.
//!
//! # Progress
//!
//! A thread that was granted an access is ready. So that it does run, threads give way at polls while an access is awaited,
//! even where a poll does nothing else. A thread that never polls delays lowerings until it waits or faults.
//!
//! This module must never know what a protocol does with rights.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use tempest::Memory;
use tempest::world::{Held, Lowering, Packet};

use crate::node::{Event, Shared, lock};
use crate::processor::Processor;
use crate::requests::Requests;
use crate::ring::{Apart, Received};
use crate::sync::mutated;

/// What a lowering waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
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

/// It, set aside with what it needs to go on.
struct SetAside {
    pending: Pending,
    /// What began it, which is not dealt with yet.
    message: Received,
    /// The token of the key, where dispatch is keyed.
    held: Option<Held>,
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

/// A lowering that is done.
pub(crate) struct Done {
    /// What began it.
    pub(crate) message: Received,
    /// What is handled now.
    pub(crate) then: Packet,
    held: Option<Held>,
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

    /// Changes so far.
    #[inline]
    pub(crate) fn changes(&self) -> u64 {
        self.changes.0.load(Ordering::Acquire)
    }

    fn set_aside(&self, aside: SetAside) {
        if aside.pending.stage == Stage::Accesses {
            self.awaiting_access.fetch_add(1, Ordering::Relaxed);
        }
        let mut list = lock(&self.set_aside);
        list.push(aside);
        self.how_many.store(list.len(), Ordering::Relaxed);
    }

    /// Takes one out that is done, having gone on with all as far as `advance` says.
    fn take_done(&self, mut advance: impl FnMut(&mut Pending) -> bool) -> Option<SetAside> {
        let mut list = lock(&self.set_aside);
        let at = list.iter_mut().position(|aside| {
            let before = aside.pending.stage;
            let done = advance(&mut aside.pending);
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

impl Processor {
    /// The lowerings of this node, where it has shared memory.
    #[inline]
    pub(crate) fn lowerings(&self) -> Option<&Lowerings> {
        self.node().lowerings.as_deref()
    }

    /// Takes a right away; what has to be waited for, if anything.
    pub(crate) fn take_away(&self, lowering: &Lowering) -> Option<Pending> {
        let (lowerings, memory) = self.shared_memory();
        if self.is_alone() && !memory.is_pinned(lowering) {
            self.lower(memory, lowering);
            return None;
        }
        lowerings.requests.expect();
        let mut pending = Pending { lowering: lowering.clone(), stage: Stage::Accesses };
        if !self.advance(&mut pending) {
            return Some(pending);
        }
        lowerings.requests.settle();
        None
    }

    /// Goes on with a lowering as far as possible; true if it is done.
    fn advance(&self, pending: &mut Pending) -> bool {
        let (lowerings, memory) = self.shared_memory();
        if pending.stage == Stage::Accesses {
            if memory.is_pinned(&pending.lowering) {
                return false;
            }
            self.lower(memory, &pending.lowering);
            if self.is_alone() {
                return true;
            }
            pending.stage = Stage::Answers(lowerings.requests.ask());
            // Whatever this processor runs, it is not between a test and its access now.
            self.answer();
        }
        matches!(pending.stage, Stage::Answers(number) if lowerings.requests.is_answered(number))
    }

    fn lower(&self, memory: &Memory, lowering: &Lowering) {
        if !mutated!("right-is-kept") {
            memory.lower(lowering);
        }
    }

    fn shared_memory(&self) -> (&Lowerings, &Memory) {
        let lowerings = self.lowerings().expect("only blocks of shared memory are lowered");
        (lowerings, self.node().resident.node.memory().expect("a node with lowerings has shared memory"))
    }

    /// Sets a lowering aside until it can go on, with what its handler was for.
    pub(crate) fn set_aside(&self, pending: Pending, message: Received, held: Option<Held>) {
        let (lowerings, _) = self.shared_memory();
        lowerings.set_aside(SetAside { pending, message, held });
        // What it waits for may have come before anybody could see that it waits.
        self.tell_change(lowerings);
    }

    /// Whether something that is set aside may have come further since this processor looked last.
    #[inline]
    pub(crate) fn sees_change(&self) -> bool {
        self.lowerings().is_some_and(|lowerings| lowerings.changes() != self.looked.get())
    }

    /// A lowering that was set aside and is done now.
    pub(crate) fn take_done(&self) -> Option<Done> {
        let lowerings = self.lowerings()?;
        let changes = lowerings.changes();
        let done = lowerings.take_done(|pending| self.advance(pending));
        if done.is_none() {
            self.looked.set(changes);
        }
        let SetAside { pending, message, held } = done?;
        Some(Done { message, then: pending.lowering.then, held })
    }

    /// Puts what follows lowerings that are done into the queue, each in its event's place.
    pub(crate) fn continue_keyed(&self, shared: &Shared) {
        while self.sees_change()
            && let Some(done) = self.take_done()
        {
            let held = done.held.expect("with keyed dispatch the token is set aside too");
            shared.queue.complete_with(held, Event::Then(Box::new((done.message, done.then))));
            shared.note_change();
            self.wake_servers(1);
        }
    }

    /// This processor's thread is at a point that is not between a test and its access.
    #[inline]
    pub(crate) fn heed(&self) {
        if let Some(lowerings) = self.lowerings()
            && lowerings.requests.concerns(self.number)
        {
            self.answer();
        }
    }

    #[cold]
    fn answer(&self) {
        let Some(lowerings) = self.lowerings() else { return };
        if !self.world.is_dedicated(self.index) && lowerings.requests.answer(self.number) {
            self.tell_change(lowerings);
        }
    }

    /// This processor has nothing to compute for a while.
    pub(crate) fn stop_computing(&self) {
        if let Some(lowerings) = self.lowerings_of_several()
            && lowerings.requests.go_away(self.number)
        {
            self.tell_change(lowerings);
        }
    }

    /// It has again.
    pub(crate) fn compute_again(&self) {
        if let Some(lowerings) = self.lowerings_of_several()
            && lowerings.requests.come_back(self.number)
        {
            self.tell_change(lowerings);
        }
    }

    /// Where it may be asked.
    fn lowerings_of_several(&self) -> Option<&Lowerings> {
        self.lowerings().filter(|_| !self.is_alone() && !self.world.is_dedicated(self.index))
    }

    /// The last granted access to a block has been done.
    pub(crate) fn tell_access(&self) {
        if let Some(lowerings) = self.lowerings()
            && lowerings.requests.is_waited_for()
        {
            self.tell_change(lowerings);
        }
    }

    fn tell_change(&self, lowerings: &Lowerings) {
        lowerings.changes.0.fetch_add(1, Ordering::Release);
        self.wake_servers(1);
    }
}
