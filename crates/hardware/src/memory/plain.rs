//! The transactions that move no block: the bus use of each kind, worked out once.
//!
//! This module must never know a cache, nor which client makes a transaction.

use machine::Transaction;
use units::{Bytes, Time};

use super::bus::{Usage, Usages};

/// The use of the bus by each kind of transaction, with lines of the size `line`.
pub(super) fn usages(costs: &machine::NodeMemory, line: Bytes) -> Usages {
    let (word, nothing) = (costs.bus.width, Bytes::new(0));
    let (device, supply) = (costs.bus.device, costs.cache.supply.unwrap_or_default());
    let snoop = costs.bus.snoop.unwrap_or_default();
    let mut usages = Usages::default();
    for (usage, kind) in usages.iter_mut().zip(Transaction::ALL) {
        let (delay, moved) = match kind {
            Transaction::Line => (device, line),
            Transaction::Read => (device, word),
            Transaction::Transfer => (snoop + supply, line),
            Transaction::Memory => (snoop + costs.banks.latency, line),
            Transaction::Invalidate => (snoop, nothing),
            Transaction::Write => (Time::ZERO, word),
        };
        *usage = Usage::of(&costs.bus, moved, delay);
    }
    usages
}
