//! What a processor is at: where a panic comes from, and what it ends.
//!
//! This module must never know what a handler or a thread does.

use std::cell::Cell;

use tempest::world::MessageId;

/// What a processor is at.
#[derive(Clone, Copy)]
pub(crate) enum Doing {
    /// Running its current thread.
    Thread,
    /// Running a handler.
    Handler(MessageId),
}

/// What one processor is at, and on whose stack.
pub(crate) struct Occupation {
    doing: Cell<Doing>,
    /// Whether it runs its current thread, and not its loop.
    runs_thread: Cell<bool>,
    /// Whether this processor has ended the run because of what a thread did while a panic unwound it.
    abandoned: Cell<bool>,
}

impl Default for Occupation {
    fn default() -> Self {
        let (doing, not) = (Cell::new(Doing::Thread), || Cell::new(false));
        Self { doing, runs_thread: not(), abandoned: not() }
    }
}

impl Occupation {
    /// What the processor is at.
    #[inline]
    pub(crate) fn now(&self) -> Doing {
        self.doing.get()
    }

    /// Whether that is a handler.
    pub(crate) fn is_handler(&self) -> bool {
        matches!(self.doing.get(), Doing::Handler(_))
    }

    /// A handler of that kind of message begins.
    #[inline]
    pub(crate) fn begin(&self, handler: MessageId) {
        self.doing.set(Doing::Handler(handler));
    }

    /// The handlers have ended: the processor is at what it was at before.
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

    /// Whether the processor runs its current thread, and not its loop.
    pub(crate) fn runs_thread(&self) -> bool {
        self.runs_thread.get()
    }

    /// The processor has ended the run because of what a thread did while a panic unwound it.
    pub(crate) fn note_abandoned(&self) {
        self.abandoned.set(true);
    }

    /// Whether the processor has ended the run so, and nobody has been told.
    pub(crate) fn take_abandoned(&self) -> bool {
        self.abandoned.take()
    }
}
