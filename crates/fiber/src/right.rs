//! The right to suspend: fibers that only their owner suspends.
//!
//! A scheduler that runs other people's code on its fibers loses a fiber that this code suspends: the scheduler has not
//! noted the reason and never resumes it. This may happen by mistake, because [`suspend`](crate::suspend) needs no
//! handle. Fibers of an *owned* pool refuse it.
//!
//! This module must never know why a fiber is suspended.

use std::ptr;

use crate::crew;
use crate::owner::Owner;
use crate::routine;

impl Owner {
    /// Suspends the fiber that runs on this OS thread, as [`suspend`](crate::suspend) does where fibers have no owner.
    ///
    /// # Panics
    ///
    /// If no fiber is running, or the running one has another owner or none. Code on an owned fiber may run fibers of
    /// its own there.
    #[inline]
    pub fn suspend(&'static self) {
        self.expect_own("suspended");
        routine::suspend();
    }

    /// Suspends the running fiber of a crew and resumes another in its place, as [`pass`](crate::pass) does where fibers have
    /// no owner.
    ///
    /// # Panics
    ///
    /// As [`pass`](crate::pass), and as [`suspend`](Self::suspend).
    #[inline]
    pub fn pass(&'static self, number: usize) -> bool {
        self.expect_own("passed over");
        crew::pass_on(number)
    }

    #[inline]
    fn expect_own(&'static self, what: &str) {
        if !routine::owner().is_some_and(|owner| ptr::eq(owner, self)) {
            refuse_foreign(what);
        }
    }
}

/// Suspends the running fiber of a crew and resumes another in its place. Returns true when the suspended fiber is
/// resumed or is passed the turn again; false at once if the other fiber is finished or is the running one.
///
/// # Panics
/// If no fiber of a crew is running, there is no fiber of that number, the running one has an [`Owner`](crate::Owner),
/// or the running one does not belong to the crew but was resumed by a fiber of it.
#[inline]
pub fn pass(number: usize) -> bool {
    expect_none("fiber::pass");
    crew::pass_on(number)
}

/// Insists that the running fiber, if there is one, has no owner.
#[inline]
pub(crate) fn expect_none(what: &str) {
    if let Some(owner) = routine::owner() {
        refuse(what, owner);
    }
}

#[cold]
fn refuse(what: &str, owner: &Owner) -> ! {
    panic!("{what} was called on a fiber that only its owner suspends: {}", owner.advice())
}

#[cold]
fn refuse_foreign(what: &str) -> ! {
    assert!(routine::is_inside(), "a fiber is {what} by its owner, and no fiber is running");
    panic!("a fiber is {what} by its owner inside another fiber: the inner one has to end or suspend first")
}
