//! A price without its bus transactions: the processor's own share. It must not be negative.
//!
//! A price is the time on an idle machine. Where the file describes the memory system in detail, a processor makes the
//! transactions of a price on the bus, and only the rest is a fixed time. The price is exact while the bus is idle, and grows
//! with its load.

use units::{Bytes, Time};

use crate::reading::Section;
use crate::{Capability, Class, Cost, NodeMemory, Primitives, Transaction, Transactions};

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

/// Checks that no price is less than its transactions on an idle bus, and reports each price that is less. These are
/// the transactions that the price names and, on a machine with shared memory, the ones implied by handling a block.
pub(crate) fn check(
    section: &Section<'_>,
    primitives: &Primitives,
    (memory, line): (&NodeMemory, Bytes),
    can: &[Capability],
) -> Option<()> {
    let shares = can.contains(&Capability::SharedMemory);
    let mut sound = Some(());
    for (key, price) in primitives.iter() {
        let each_line = if shares { implied(key, memory, line) } else { Time::ZERO };
        let short = |cost: Cost| {
            let [path, after] = [cost.bus, cost.after].map(|made| memory.uncontended_all(made, line));
            [
                ("a line", cost.line, each_line),
                ("a path", cost.path, path),
                ("an occupancy", cost.occupancy, after),
            ]
            .into_iter()
            .find(|(_, stated, needed)| stated < needed)
            .map(|(part, _, needed)| (part, needed))
        };
        let short = Class::ALL.into_iter().find_map(|class| short(price.of(class)));
        if let Some((part, needed)) = short {
            section.contradict(
                key,
                format!("{part} of at least {needed}, which its bus transactions take"),
                &[],
            );
            sound = None;
        }
    }
    sound
}
