//! A processor's present activity: the origin of a panic, and the extent of its effect.
//!
//! This module must never know the effect of a handler or a thread.

use std::cell::Cell;

use tempest::world::MessageId;

/// A processor's activity.
#[derive(Clone, Copy)]
pub(crate) enum Doing {
    /// Running its current thread.
    Thread,
    /// Running a handler.
    Handler(MessageId),
}

/// A processor's activity, and the stack on which it runs.
pub(crate) struct Occupation {
    doing: Cell<Doing>,
    /// Whether the current thread's stack is in use, and not the loop's.
    runs_thread: Cell<bool>,
    /// Whether this processor has ended the run because of an action of a thread that a panic unwinds.
    abandoned: Cell<bool>,
}

impl Default for Occupation {
    fn default() -> Self {
        let (doing, not) = (Cell::new(Doing::Thread), || Cell::new(false));
        Self { doing, runs_thread: not(), abandoned: not() }
    }
}

impl Occupation {
    /// The present activity.
    #[inline]
    pub(crate) fn now(&self) -> Doing {
        self.doing.get()
    }

    /// Whether the present activity is a handler.
    pub(crate) fn is_handler(&self) -> bool {
        matches!(self.doing.get(), Doing::Handler(_))
    }

    /// Begins a handler of this kind of message.
    #[inline]
    pub(crate) fn begin(&self, handler: MessageId) {
        self.doing.set(Doing::Handler(handler));
    }

    /// Ends handlers: restores the activity before them.
    #[inline]
    pub(crate) fn go_back_to(&self, before: Doing) {
        self.doing.set(before);
    }

    /// Runs the current thread.
    #[inline]
    pub(crate) fn run_thread<R>(&self, run: impl FnOnce() -> R) -> R {
        self.runs_thread.set(true);
        let result = run();
        self.runs_thread.set(false);
        result
    }

    /// Whether the current thread's stack is in use, and not the loop's.
    pub(crate) fn runs_thread(&self) -> bool {
        self.runs_thread.get()
    }

    /// Records that the processor has ended the run because of an action of a thread that a panic unwinds.
    pub(crate) fn note_abandoned(&self) {
        self.abandoned.set(true);
    }

    /// Whether the processor has ended the run in this way and the failure has not been replaced yet; clears the flag.
    pub(crate) fn take_abandoned(&self) -> bool {
        self.abandoned.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_activity_before_a_handler_is_restored() {
        let occupation = Occupation::default();
        let before = occupation.now();
        occupation.begin(MessageId(3));
        assert!(occupation.is_handler() && matches!(occupation.now(), Doing::Handler(MessageId(3))));
        occupation.go_back_to(before);
        assert!(!occupation.is_handler());
    }

    #[test]
    fn a_thread_s_stack_is_in_use_while_it_runs() {
        let occupation = Occupation::default();
        assert!(occupation.run_thread(|| occupation.runs_thread()) && !occupation.runs_thread());
    }

    #[test]
    fn the_end_of_a_run_by_an_unwinding_thread_is_replaced_once() {
        let occupation = Occupation::default();
        assert!(!occupation.take_abandoned());
        occupation.note_abandoned();
        assert!(occupation.take_abandoned() && !occupation.take_abandoned());
    }
}
