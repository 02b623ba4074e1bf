//! The answers of a bus's clients to a transaction, and the line that comes by the transaction.
//!
//! This module must never know which client asks.

use units::Time;

use super::moesi::{Packed, State};

/// A line that comes to a client.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fetched {
    /// The end of the critical word on the bus.
    pub(super) first: Time,
    /// The end of the line on the bus.
    pub(super) end: Time,
    pub(super) state: State,
    /// Whether another cache had the line.
    pub(super) met: bool,
}

/// The client that supplies a line.
pub(super) enum Supplier {
    Cache,
    Buffer,
    Memory,
}

/// The answer of a bus's other clients to a transaction. It is two words, which a call returns without memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Snooped {
    /// The answers of all caches together, and whether a staging buffer gives the line up.
    pub(super) answer: Packed,
    /// The time from which the line is there at every client that supplies it or gives it up. The transaction is asked for
    /// at this time at the earliest.
    pub(super) there: Time,
}

impl Snooped {
    /// The answer where no other client has the line.
    pub(super) const NOBODY: Self = Self { answer: Packed::NONE, there: Time::ZERO };

    /// The client that supplies the line.
    #[inline]
    pub(super) fn supplier(self) -> Supplier {
        match self.answer {
            answer if answer.passes() => Supplier::Buffer,
            answer if answer.supplies() => Supplier::Cache,
            _ => Supplier::Memory,
        }
    }
}
