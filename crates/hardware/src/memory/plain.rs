//! The transactions that move no block: the needs of each kind on the bus, worked out once.
//!
//! This module must never know a cache, nor which client makes a transaction.

use machine::Transaction;
use units::{Bytes, Time};

use super::bus::{Bus, Usage};

/// A transaction that moves no block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plain {
    pub(super) usage: Usage,
    /// The time of the whole transaction on an idle bus.
    pub(super) alone: Time,
}

impl Plain {
    /// Each kind of transaction on a bus, in the order of [`Transaction::ALL`], with lines of the size `line`.
    pub(super) fn all(costs: &machine::NodeMemory, line: Bytes, bus: &Bus) -> [Self; Transaction::ALL.len()] {
        let (word, nothing) = (costs.bus.width, Bytes::new(0));
        let (device, supply) = (costs.bus.device, costs.cache.supply.unwrap_or_default());
        let snoop = costs.bus.snoop.unwrap_or_default();
        Transaction::ALL.map(|kind| {
            let (delay, moved) = match kind {
                Transaction::Line => (device, line),
                Transaction::Read => (device, word),
                Transaction::Transfer => (snoop + supply, line),
                Transaction::Invalidate => (snoop, nothing),
                Transaction::Write => (Time::ZERO, word),
            };
            Self { usage: bus.usage(moved, delay), alone: costs.uncontended(kind, line) }
        })
    }
}
