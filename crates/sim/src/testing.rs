//! Times and a memory system in round numbers, for the tests of several parts.
//!
//! This module must never know a machine file.

use machine::{Banks, Bus, Cache};
use units::{Bytes, Frequency, Time};

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
        first: None,
    };
    let bus = Bus {
        clock: Frequency::from_megahertz(1000),
        width: Bytes::new(8),
        cycle: ns(1),
        arbitration: ns(1),
        address: ns(1),
        snoop: None,
        multiplexed: true,
        connected: false,
        device: ns(1),
    };
    let banks =
        Banks { count: 2, latency: ns(9), read: ns(9), write: ns(4), turnaround: ns(1), accept: ns(2) };
    machine::NodeMemory { cache, bus, banks, staging: None }
}
