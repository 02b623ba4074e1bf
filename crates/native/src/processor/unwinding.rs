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
//! - A hold whose key is not free serves and tries again where it stands. After a second (`holding`) it ends the run, but cannot return: if
//!   the key never becomes free the OS thread is left behind.
//!
//! The first panic is the reason, not what a destructor does because of it: when that panic comes out of the fiber, its words
//! replace those of the wait.
//!
//! This module must never know where a handler is run from.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread::panicking;

use tempest::world::{given_away, panicked};
use tempest::{Failure, ThreadId};

use crate::memory::set_aside::Lowerings;
use crate::processor::core::Processor;
use crate::processor::stacks::PROCESSORS;

/// Runs handlers. A panic of one ends the run, whatever the thread around it catches.
#[inline]
pub(crate) fn run_handlers<R: Default>(processor: &Processor, serve: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(serve)).unwrap_or_else(|panic| give_up_by(processor, panic))
}

/// A handler has panicked. Gives up the thread on whose stack it ran.
#[cold]
fn give_up_by<R: Default>(processor: &Processor, panic: Box<dyn Any + Send>) -> R {
    processor.world().fail(blamed(processor, &*panic));
    if !processor.occupation.runs_thread() {
        resume_unwind(panic);
    }
    // Its destructor may panic once more, in the middle of an unwinding.
    std::mem::forget(panic);
    give_up_if_over(processor);
    R::default()
}

/// The failure of a run in which what this processor is at has panicked.
#[cold]
fn blamed(processor: &Processor, panic: &(dyn Any + Send)) -> Failure {
    panicked(panic, processor, processor.world().now())
}

/// Ends the run because of a panic of a thread, or on this processor's own stack.
pub(crate) fn fail_by_panic(processor: &Processor, panic: &(dyn Any + Send)) {
    let failure = blamed(processor, panic);
    if processor.occupation.take_abandoned() {
        processor.world().replace_failure(failure);
    } else {
        processor.world().fail(failure);
    }
}

/// Ends the run, if it goes on: a panic unwinds the running thread, and what it does next would give the processor away.
#[cold]
pub(crate) fn abandon(processor: &Processor, what: &str) {
    let thread = ThreadId { node: processor.node().id, index: processor.threads.current() };
    if processor.world().fail(given_away(what, &thread, processor.world().now())) {
        processor.occupation.note_abandoned();
    }
}

/// The running thread is at a point where it may be given up. If the run is over it is, never to return; but for a thread
/// that a panic unwinds, which goes on.
pub(crate) fn give_up_if_over(processor: &Processor) {
    while !processor.world().is_running() && !panicking() {
        PROCESSORS.suspend();
    }
}

/// Whether the running thread goes on although it is the turn of others: a panic unwinds it. Ends the run if nobody can go on
/// before another thread of this processor does.
pub(crate) fn stays(processor: &Processor) -> bool {
    let stays = panicking();
    if stays && processor.lowerings().is_some_and(Lowerings::awaits_access) {
        abandon(processor, "a send that finds no room");
    }
    stays
}
