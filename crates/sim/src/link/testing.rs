//! An interface and a memory system in round numbers, for the tests of the link's parts.
//!
//! This module must never know a machine file.

use hardware::memory::NodeMemory;
use machine::Staging;
use units::{Bandwidth, Bytes, Time};

use crate::testing::{described, ns};

/// 1 B/ns without headers; packets of 64 B; room for two messages.
pub(super) fn interface() -> machine::Interface {
    machine::Interface {
        endpoints: machine::Endpoints::Node,
        bandwidth: Bandwidth::new(1_000_000_000).expect("above zero"),
        header: Bytes::new(0),
        packet: Bytes::new(64),
        send_queue: 2,
        receive_queue: None,
        write_buffer: None,
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
        slots: None,
        deposit: machine::Placement::Memory,
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

/// An idle memory system with lines of 32 B and a staging buffer.
pub(super) fn memory(staging: Staging) -> NodeMemory {
    let costs = machine::NodeMemory { staging: Some(staging), ..described() };
    NodeMemory::new(&costs, Bytes::new(32), 1)
}
