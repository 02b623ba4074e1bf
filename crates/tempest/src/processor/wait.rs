//! The reasons why a thread is blocked, as reports name them.
//!
//! This module must never know how a thread is blocked.

use std::fmt;

/// The reason why a thread is blocked, as a deadlock report prints it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wait {
    /// The thread waits for the count of an event.
    Event {
        /// The event's name.
        name: &'static str,
        /// The count that the thread waits for.
        at_least: u64,
        /// The event's count when the thread blocked.
        had: u64,
    },
    /// The thread waits for a right to a block of shared memory. The time of this wait counts as waiting for memory;
    /// the time of other waits counts as synchronization.
    Block,
    /// The thread waits until another thread or a handler resumes its [`Waiter`](crate::Waiter).
    Resume {
        /// The program's name for the awaited thing.
        what: &'static str,
    },
}

impl Wait {
    /// The name of the awaited thing, without a count.
    pub fn what(self) -> &'static str {
        match self {
            Wait::Event { name, .. } => name,
            Wait::Block => "a block of shared memory",
            Wait::Resume { what } => what,
        }
    }
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wait::Event { name, at_least, had } => {
                write!(f, "event `{name}`: waiting for {at_least}, at {had} when the wait began")
            }
            Wait::Block | Wait::Resume { .. } => write!(f, "`{}`", self.what()),
        }
    }
}
