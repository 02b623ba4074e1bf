//! Crews: fibers that pass the turn to each other directly, without a switch to the resumer of the first.
//!
//! # Why the safe interface is sound
//!
//! At most one fiber of a crew runs; `running` is its number. `resume` borrows the crew while a fiber runs. So no other
//! caller resumes it meanwhile, no part of it is moved or dropped, and [`pass`](crate::pass) alone changes the running fiber. Every
//! other fiber of the crew is fresh, suspended or done.
//!
//! `ACTIVE` names the crew that was resumed last and whose resume has not returned, so it is valid whenever it is not
//! null. Resumes end in the opposite order of their begin: a fiber that has resumed another one neither suspends nor
//! passes the turn before that resume returns. For `suspend` means the innermost fiber, and [`pass`](crate::pass) checks that it is
//! called on the stack of the running fiber, not on that of a fiber resumed by it. So every fiber that must be resumed
//! before control is back at `resume` belongs to the crew.
//!
//! A suspended fiber keeps no reference to the crew or to a routine on its stack, only pointers that it does not follow
//! again. Between two resumes the owner of the crew may therefore move and change it.
//!
//! This module must never know how stacks are switched: that is the routine's.

use std::cell::Cell;
use std::fmt;
use std::ptr;

use crate::pool::{Fiber, Status};
use crate::routine::Routine;

thread_local! {
    static ACTIVE: Cell<*const Crew> = const { Cell::new(ptr::null()) };
}

/// Fibers, by number, that may [`pass`](crate::pass) the turn to each other.
///
/// ```
/// let pool = tradewind_fiber::Pool::new(64 * 1024);
/// // SAFETY: neither touches a thread-local.
/// let (first, second) = unsafe {
///     (pool.spawn(|| assert!(tradewind_fiber::pass(1)))?, pool.spawn(|| tradewind_fiber::suspend())?)
/// };
/// let mut crew = tradewind_fiber::Crew::new([first, second]);
/// assert_eq!(crew.resume(0), (1, tradewind_fiber::Status::Suspended));
/// assert_eq!(crew.resume(1), (1, tradewind_fiber::Status::Finished));
/// assert_eq!(crew.resume(0), (0, tradewind_fiber::Status::Finished));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// It stays on the OS thread of its fibers.
///
/// ```compile_fail
/// fn needs_send(_: impl Send) {}
/// needs_send(tradewind_fiber::Crew::new([]));
/// ```
pub struct Crew {
    fibers: Box<[Fiber]>,
    /// Number and routine of the running fiber, while the crew is resumed.
    running: Cell<usize>,
    current: Cell<*const Routine>,
}

/// Makes a crew the active one, until it is dropped.
struct Activation {
    before: *const Crew,
}

impl Activation {
    fn of(crew: &Crew) -> Self {
        Self { before: ACTIVE.replace(crew) }
    }
}

impl Drop for Activation {
    fn drop(&mut self) {
        ACTIVE.set(self.before);
    }
}

impl Crew {
    /// Makes a crew of these fibers, which are numbered from 0.
    pub fn new(fibers: impl IntoIterator<Item = Fiber>) -> Self {
        Self { fibers: fibers.into_iter().collect(), running: Cell::new(0), current: Cell::new(ptr::null()) }
    }

    /// Number of fibers, finished ones included.
    pub fn len(&self) -> usize {
        self.fibers.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.fibers.is_empty()
    }

    /// Whether the body of a fiber has returned or panicked.
    ///
    /// # Panics
    /// If there is no such fiber.
    #[inline]
    pub fn is_finished(&self, number: usize) -> bool {
        self.fibers[number].is_finished()
    }

    /// Runs a fiber until it suspends or ends, or until a fiber to which the turn was passed does. Returns the number
    /// of the fiber that ran last, and its status.
    ///
    /// # Panics
    /// If there is no such fiber, or where [`Fiber::resume`] of any of these fibers panics.
    #[inline]
    pub fn resume(&mut self, number: usize) -> (usize, Status) {
        self.running.set(number);
        let activation = Activation::of(self);
        loop {
            let resumed = self.running.get();
            let routine = self.fibers[resumed].routine().expect("a finished fiber was resumed");
            self.current.set(routine);
            // SAFETY: no fiber of the crew runs yet, and no part of it is moved or dropped before this returns, as the
            // crew is borrowed.
            unsafe { routine.go_on() };
            if Routine::PASSES || self.running.get() == resumed {
                break;
            }
        }
        drop(activation);
        let last = self.running.get();
        (last, self.fibers[last].settle())
    }

    /// Asks for the cache lines that the next resumption of a fiber will touch, as [`Fiber::prefetch`] does.
    #[inline]
    pub fn prefetch(&self, number: usize) {
        self.fibers[number].prefetch();
    }

    /// Returns the routines of the running fiber and of fiber `number`, and makes the latter the running one. `None`,
    /// without a change, if it runs already or is done.
    ///
    /// # Panics
    /// Under the conditions of [`pass`](crate::pass).
    #[inline]
    fn change_to(&self, number: usize) -> Option<[*const Routine; 2]> {
        let from = self.current.get();
        // SAFETY: `resume` or the last change has set it to a routine of the crew, which stays where it is until that
        // `resume` returns.
        let is_current = unsafe { &*from }.is_current();
        assert!(is_current, "a turn is passed by a fiber that is not of the crew");
        let to = self.fibers[number].routine().filter(|to| !ptr::eq(*to, from) && !to.is_done())?;
        self.running.set(number);
        self.current.set(to);
        Some([from, to])
    }
}

impl fmt::Debug for Crew {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Crew").field("fibers", &self.fibers).finish_non_exhaustive()
    }
}

/// Does something with the crew whose fiber runs, on whose stack the caller is.
#[inline]
fn with_active<R>(f: impl FnOnce(&Crew) -> R) -> R {
    let crew = ACTIVE.get();
    assert!(!crew.is_null(), "a turn is passed outside a crew");
    // SAFETY: not null, so its resume, which borrows it, has not returned, and does not as long as this stack runs.
    f(unsafe { &*crew })
}

/// Passes the turn, without a check of the fiber's owner.
#[inline]
pub(crate) fn pass_on(number: usize) -> bool {
    let Some([from, to]) = with_active(|crew| crew.change_to(number)) else { return false };
    // SAFETY: `from` runs and this is its stack; `to` is another fiber of the same crew and not done; the resumer of
    // the crew waits in `resume`, and borrows both.
    unsafe { Routine::pass(from, to) };
    true
}

/// Asks for the cache lines that the next resumption of a fiber of the running crew will touch.
///
/// # Panics
/// If no fiber of a crew is running, or there is no fiber of that number.
#[inline]
pub fn prefetch(number: usize) {
    with_active(|crew| crew.prefetch(number));
}
