//! Panics of the program: which of them end the run, and the actions allowed to an unwinding thread.
//!
//! # Where panics go
//!
//! A thread's panic unwinds its fiber and comes out where the processor resumed that (`runner`): it is the run's failure. A panic that the
//! thread catches itself has no effect on the run.
//!
//! A handler runs on the stack of the server: often that of a thread that polls, or waits for room. Its panic ends the run (`handle`),
//! before the thread can catch it, and never reaches the thread, which is given up instead. A panic in the body of a hold also ends the
//! run, before its key is released, and then goes on through the thread that holds.
//!
//! # An unwinding thread never yields
//!
//! The host counts the panics under way for each OS thread. If a fiber suspended in the middle of one, other fibers would seem to panic
//! too, and dropping the suspended fiber would abort the process. So an unwinding thread never gives its processor away, whether it
//! panics itself or its fiber is dropped after the end of the run:
//!
//! - A wait, a phase or a poll ends the run, if that goes on, and returns at once (`tempest::Thread`).
//! - A send without room serves and waits where it stands; when the run is over the message is dropped.
//! - A hold whose key is not free serves and tries again where it stands. After a second (`holding`) it ends the run, but cannot return: if
//!   the key never becomes free the OS thread is left behind.
//!
//! The first panic is the failure, not the actions of a destructor that it runs: when that panic comes out of the fiber, its message
//! replaces that of the wait.
//!
//! This module must never know where a handler is run from.

use std::any::Any;

use std::thread::panicking;

use tempest::ThreadId;
use tempest::world::given_away;

use crate::dispatch::handle::blamed;
use crate::parts::core::Processor;
use crate::parts::endpoint::Endpoint;
use crate::parts::set_aside::Downgrades;

/// Ends the run by a panic of a thread, or of this processor's own loop.
pub(crate) fn fail_by_panic(processor: &Processor, panic: &(dyn Any + Send)) {
    let failure = blamed(processor, panic);
    if processor.endpoint.threads.occupation.take_abandoned() {
        processor.world().replace_failure(failure);
    } else {
        processor.world().fail(failure);
    }
}

/// Ends the run, if it still runs: a panic unwinds the running thread, whose next action would give the processor away.
#[cold]
pub(crate) fn abandon(endpoint: &Endpoint, what: &str) {
    let thread = ThreadId { node: endpoint.node().id, index: endpoint.threads.current() };
    if endpoint.world().fail(given_away(what, &thread, endpoint.world().now())) {
        endpoint.threads.occupation.note_abandoned();
    }
}

/// Whether the running thread goes on although others should run, because a panic unwinds it. Ends the run if another thread of this
/// processor has to run before any can go on.
pub(crate) fn stays(endpoint: &Endpoint) -> bool {
    let stays = panicking();
    if stays && endpoint.downgrades().is_some_and(Downgrades::awaits_access) {
        abandon(endpoint, "a send that finds no room");
    }
    stays
}
