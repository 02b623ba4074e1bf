//! An interface and a memory system in round numbers, for the tests of the link's parts.
//!
//! This module must never know a machine file.

use hardware::memory::NodeMemory;
use machine::{Banks, Bus, Cache, Staging};
use units::{Bandwidth, Bytes, Frequency, Time};

pub(super) fn ns(n: u64) -> Time {
    Time::from_nanoseconds(n)
}

/// 1 B/ns without headers; packets of 64 B; room for two messages.
pub(super) fn interface() -> machine::Interface {
    machine::Interface {
        endpoints: machine::Endpoints::Node,
        bandwidth: Bandwidth::new(1_000_000_000).expect("above zero"),
        header: Bytes::new(0),
        packet: Bytes::new(64),
        send_queue: 2,
        receive_queue: None,
        overflow: None,
        lock_migration: None,
        engine: None,
        chunk: None,
        chunk_cost: Time::ZERO,
        engine_shares_processor: false,
        deposit: None,
        loopback: Time::ZERO,
        fill: Bytes::new(0),
        gap: Time::ZERO,
        visible: Time::ZERO,
    }
}

/// Four blocks of 64 B; the engine takes 20 ns for a command, 10 ns for each further packet.
pub(super) fn staging() -> Staging {
    Staging {
        size: Bytes::new(256),
        block: Bytes::new(64),
        tags: 16,
        keeps: false,
        append: true,
        interleave: false,
        command: ns(20),
        packet: ns(10),
        read_every: ns(1),
        port: Bandwidth::new(8_000_000_000).expect("above zero"),
        store: ns(1),
        handoff: ns(5),
        path: ns(35),
        receive: ns(3),
        lookup: ns(4),
        notify: ns(50),
    }
}

/// An idle memory system with lines of 32 B and that staging buffer.
pub(super) fn memory() -> NodeMemory {
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
    let costs = machine::NodeMemory { cache, bus, banks, staging: Some(staging()) };
    NodeMemory::new(&costs, Bytes::new(32), 1)
}
