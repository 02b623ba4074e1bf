//! Panics of handlers: a handler runs on the stack of the server, often that of a thread, whose own code must not catch its panic.
//!
//! `unwinding` tells where all panics of a program go. This module must never know where a handler is run from.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use tempest::outcome::Failure;
use tempest::world::panicked;

use crate::parts::core::Processor;
use crate::parts::stacks;

/// Runs handlers. A panic of one ends the run, even if the thread around it would catch it.
#[inline]
pub(crate) fn run_handlers<R: Default>(processor: &Processor, serve: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(serve)).unwrap_or_else(|panic| give_up_by(processor, panic))
}

/// Ends the run by a handler's panic, and gives up the thread on whose stack it ran.
#[cold]
fn give_up_by<R: Default>(processor: &Processor, panic: Box<dyn Any + Send>) -> R {
    processor.world().fail(blamed(processor, &*panic));
    if !processor.endpoint.threads.occupation.runs_thread() {
        resume_unwind(panic);
    }
    // The payload's destructor may panic once more, in the middle of an unwinding.
    std::mem::forget(panic);
    stacks::give_up_if_over(processor.world());
    R::default()
}

/// The failure of a run by a panic of this processor's present activity.
#[cold]
pub(crate) fn blamed(processor: &Processor, panic: &(dyn Any + Send)) -> Failure {
    panicked(panic, processor, processor.world().now())
}
