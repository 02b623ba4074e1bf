//! Panics of the program: which of them end the run, with which words, and what a thread may do that one unwinds.
//!
//! # Where panics go
//!
//! A thread's panic unwinds its fiber, and comes out where the processor resumed that (`runner`): it is the run's failure. What the
//! thread catches itself is its own affair.
//!
//! A handler runs on the stack of whoever serves: often a thread that polls, or waits for room. Its panic ends the run here, before
//! the thread can catch it, and never reaches the thread, which is given up instead. A panic in the body of a hold ends the run,
//! too, before its key is released, and then goes on through the thread, whose own it is.
//!
//! # Unwinding gives nothing away
//!
//! The host counts the panics under way for each OS thread. So a fiber that suspended in the middle of one would let other fibers
//! look as if they panicked, and ended where it is suspended it would take the process with it. A thread that is unwound
//! therefore never gives its processor away, whether it panics itself or the run is over and its fiber is dropped:
//!
//! - A wait, a phase or a poll ends the run, if that goes on, and returns at once (`tempest::Thread`).
//! - A send without room serves and waits where it stands; when the run is over the message is dropped.
//! - A hold whose key is not free serves and tries again where it stands. After [`PATIENCE`] it ends the run, but cannot return: if
//!   the key never becomes free the OS thread is left behind.
//!
//! The first panic is the reason, not what a destructor does because of it: when that panic comes out of the fiber, its words
//! replace those of the wait.
//!
//! This module must never know where a handler is run from.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread::{panicking, sleep};
use std::time::{Duration, Instant};

use tempest::world::panic_message;
use tempest::{Failure, ThreadId};

use crate::memory::set_aside::Lowerings;
use crate::processor::core::Processor;
use crate::processor::idle::NAP;
use crate::processor::stacks::PROCESSORS;

/// How long a thread that a panic unwinds tries to hold a key before the run is over.
const PATIENCE: Duration = Duration::from_secs(1);

impl Processor {
    /// Runs handlers. A panic of one ends the run, whatever the thread around it catches.
    #[inline]
    pub(crate) fn run_handlers<R: Default>(&self, serve: impl FnOnce() -> R) -> R {
        catch_unwind(AssertUnwindSafe(serve)).unwrap_or_else(|panic| self.give_up_by(panic))
    }

    /// A handler has panicked. Gives up the thread on whose stack it ran.
    #[cold]
    fn give_up_by<R: Default>(&self, panic: Box<dyn Any + Send>) -> R {
        self.world.fail(self.panicked(&*panic));
        if !self.runs_thread.get() {
            resume_unwind(panic);
        }
        // Its destructor may panic once more, in the middle of an unwinding.
        std::mem::forget(panic);
        self.give_up_if_over();
        R::default()
    }

    /// The failure of a run in which what this processor is at has panicked.
    #[cold]
    fn panicked(&self, panic: &(dyn Any + Send)) -> Failure {
        Failure::Program(format!("{self} panicked: {}", panic_message(panic)))
    }

    /// Ends the run because of a panic of a thread, or on this processor's own stack.
    pub(crate) fn fail_by_panic(&self, panic: &(dyn Any + Send)) {
        let failure = self.panicked(panic);
        if self.abandoned.take() {
            self.world.replace_failure(failure);
        } else {
            self.world.fail(failure);
        }
    }

    /// Ends the run, if it goes on: a panic unwinds the running thread, and what it does next would give the processor away.
    #[cold]
    pub(crate) fn abandon(&self, what: &str) {
        let thread = ThreadId { node: self.node().id, index: self.current.get() };
        let failed = self.world.fail(Failure::Program(format!(
            "{what} on {thread} while a panic unwinds it: a destructor must not give the processor away then; \
             `std::thread::panicking` tells it"
        )));
        if failed {
            self.abandoned.set(true);
        }
    }

    /// The running thread is at a point where it may be given up. If the run is over it is, never to return; but for a thread
    /// that a panic unwinds, which goes on.
    pub(crate) fn give_up_if_over(&self) {
        while !self.world.is_running() && !panicking() {
            PROCESSORS.suspend();
        }
    }

    /// Whether the running thread goes on although it is the turn of others: a panic unwinds it. Ends the run if nobody can go on
    /// before another thread of this processor does.
    pub(crate) fn stays(&self) -> bool {
        let stays = panicking();
        if stays && self.lowerings().is_some_and(Lowerings::awaits_access) {
            self.abandon("a send that finds no room");
        }
        stays
    }

    /// Tries to get a key until it is had, and serves meanwhile, for a thread that a panic unwinds. If that takes too long nobody
    /// may ever release the key: the run is over then.
    #[cold]
    pub(crate) fn insist<R>(&self, mut get: impl FnMut() -> Option<R>) -> R {
        let start = Instant::now();
        loop {
            if let Some(got) = get() {
                return got;
            }
            if start.elapsed() > PATIENCE {
                self.abandon("a hold of a key that does not become free");
            }
            if self.world.is_running() && self.serves() {
                self.serve();
            }
            sleep(NAP);
        }
    }
}
