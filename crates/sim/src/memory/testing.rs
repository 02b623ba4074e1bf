//! A processor at work on a node in round numbers, for tests.
//!
//! This module must never know a machine file.

use machine::{Banks, Bus, ByClass, Cache, Cost, Primitives};
use tempest::Operations;
use units::{Bytes, Frequency, Time};

use super::Memory;
use super::at_work::AtWork;
use crate::measure::anatomy::Anatomy;
use crate::prices::{List, PriceLists};
use crate::processor::core::Core;

pub(crate) fn ns(n: u64) -> Time {
    Time::from_nanoseconds(n)
}

/// The memory system of a node: a cache of 1 KiB that does not snoop, a bus of 8 B a ns, two banks.
pub(crate) fn described() -> machine::NodeMemory {
    let cache = Cache {
        size: Bytes::new(1024),
        ways: 1,
        coherent: false,
        load_use: ns(1),
        refill: ns(1),
        misses: 1,
        write_backs: 1,
        acknowledge: ns(1),
        tag_delay: ns(1),
        sync: ns(1),
        supply: None,
    };
    let bus = Bus {
        clock: Frequency::from_megahertz(1000),
        width: Bytes::new(8),
        cycle: ns(1),
        arbitration: ns(1),
        address: ns(1),
        snoop: None,
        multiplexed: true,
        device: ns(1),
    };
    let banks =
        Banks { count: 2, latency: ns(9), read: ns(9), write: ns(4), turnaround: ns(1), accept: ns(2) };
    machine::NodeMemory { cache, bus, banks, staging: None }
}

/// The price of a primitive of any class.
pub(super) fn price(cost: Cost) -> Option<ByClass<Cost>> {
    Some(ByClass::uniform(cost))
}

/// Two processors of a node, its memory and its prices.
pub(super) struct Bench {
    pub(super) cores: [Core; 2],
    pub(super) memory: Memory,
    prices: PriceLists,
    anatomy: Anatomy,
}

impl Bench {
    pub(super) fn new(memory: Memory, general: Primitives) -> Self {
        Self {
            cores: [0, 1].map(|number| Core::new(0, number, false, 1)),
            memory,
            prices: PriceLists::in_round_numbers(general),
            anatomy: Anatomy::new(1),
        }
    }

    /// A processor at work at an instant.
    pub(super) fn at_work(&mut self, processor: usize, now: Time) -> AtWork<'_> {
        AtWork {
            now,
            core: &mut self.cores[processor],
            memory: &mut self.memory,
            prices: &self.prices,
            anatomy: &mut self.anatomy,
        }
    }

    /// The time that a processor has run ahead, and the overhead and the waits for memory in all its time.
    pub(super) fn spent(&self, processor: usize) -> (Time, Time, Time) {
        let core = &self.cores[processor];
        let spent = core.ledger.breakdown_at(Time::ZERO);
        (core.clock.ahead(), spent.overhead, spent.memory)
    }

    /// The time of a program's own operations.
    pub(super) fn time_of(&self, done: Operations) -> Time {
        self.prices.operations(List::General, done)
    }
}
