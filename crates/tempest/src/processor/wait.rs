//! The things that a blocked thread waits for, as reports name them.
//!
//! This module must never know how a thread is blocked.

use std::fmt;

/// The thing that a blocked thread waits for, as a deadlock report prints it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wait {
    /// An event's count.
    Event {
        /// The event's name.
        name: &'static str,
        /// The count that the thread waits for.
        at_least: u64,
        /// The count when the thread blocked.
        had: u64,
    },
    /// A right to a block of shared memory. This counts as a wait for memory; the other two count as synchronization.
    Block,
    /// A resumption by the thread's waiter.
    Resume {
        /// The name that the program gave to the thing that the thread waits for.
        what: &'static str,
    },
}

impl Wait {
    /// The name of the thing that the thread waits for, without its count.
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
