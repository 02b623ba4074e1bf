//! The time of bus transactions while the bus is idle. This module must never know a price.

use units::{Bytes, Time};

use crate::{NodeMemory, Transaction, Transactions};

/// The time that bus transactions take on an idle bus.
#[derive(Clone, Copy)]
pub(crate) enum IdleBus<'m> {
    /// The machine has no bus in detail.
    Absent,
    /// The description of the bus was refused, and the mistake has been reported.
    Refused,
    /// The memory system, and the size of its lines.
    Known(&'m NodeMemory, Bytes),
}

impl IdleBus<'_> {
    /// The time of several transactions, one after the other.
    pub(super) fn all(self, transactions: Transactions) -> Time {
        match self {
            Self::Known(memory, line) => memory.uncontended_all(transactions, line),
            Self::Absent | Self::Refused => Time::ZERO,
        }
    }

    /// The time of the transactions that each line of a block implies for a primitive.
    pub(super) fn implied(self, primitive: &str) -> Time {
        match self {
            Self::Known(memory, line) => implied(primitive, memory, line),
            Self::Absent | Self::Refused => Time::ZERO,
        }
    }
}

impl NodeMemory {
    /// The time of one transaction on an idle bus, with memory lines of the size `line`.
    pub fn uncontended(&self, transaction: Transaction, line: Bytes) -> Time {
        let bus = &self.bus;
        let address = bus.arbitration + bus.address;
        let snoop = bus.snoop.unwrap_or_default();
        match transaction {
            Transaction::Invalidate => address + snoop,
            Transaction::Line => address + bus.device + bus.passage(line),
            Transaction::Read => address + bus.device + bus.cycle,
            Transaction::Write => address + bus.cycle,
            Transaction::Transfer => {
                address + snoop + self.cache.supply.unwrap_or_default() + bus.passage(line)
            }
            Transaction::Memory => self.uncontended_fetch(line),
        }
    }

    /// The time of several transactions on an idle bus, one after the other, with memory lines of the size `line`.
    pub fn uncontended_all(&self, transactions: Transactions, line: Bytes) -> Time {
        transactions.counts().map(|(transaction, count)| self.uncontended(transaction, line) * count).sum()
    }

    /// The time that a device waits on an idle bus for a line that memory supplies.
    pub fn uncontended_fetch(&self, line: Bytes) -> Time {
        let bus = &self.bus;
        let snoop = bus.snoop.unwrap_or_default();
        bus.arbitration + bus.address + snoop + self.banks.latency + bus.passage(line)
    }
}

/// The time of the transactions that a primitive makes for each line of a block, on an idle bus.
pub(super) fn implied(primitive: &str, memory: &NodeMemory, line: Bytes) -> Time {
    match primitive {
        "fetch_block" => memory.uncontended_fetch(line),
        "purge" => memory.uncontended(Transaction::Invalidate, line),
        _ => Time::ZERO,
    }
}
