//! The answers of a bus's clients to a transaction, and the line that comes by the transaction.
//!
//! This module must never know which client asks.

use units::Time;

use super::moesi::State;

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

/// The answer of a bus's other clients to a transaction.
pub(super) struct Snooped {
    pub(super) supplier: Supplier,
    /// Whether another cache had the line.
    pub(super) met: bool,
    /// Whether another cache keeps the line.
    pub(super) shared: bool,
    /// The time from which the line is there at every client that supplies it or gives it up. The transaction is asked for
    /// at this time at the earliest.
    pub(super) there: Time,
}
