//! The network interface of a node. Pure data and its section `[interface]`.

use units::{Bandwidth, Bytes, Frequency, Quantity, Rate, Span, Time};

use crate::Capability;
use crate::section::Section;

/// The network interface (NI) of a node: one port out, one port in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Of each port, in each direction.
    pub bandwidth: Bandwidth,
    /// What the network adds to the data of each packet.
    pub header: Bytes,
    /// The most data, header aside, that one packet carries; at least 1 B. A longer message is split.
    pub packet: Bytes,
    /// Packets the NI takes before the sender must wait; at least 1.
    pub send_queue: usize,
    /// Messages the NI holds for the processors before the network backs up; at least 1. `None`: any number.
    pub receive_queue: Option<usize>,
    /// What happens when that queue stays full; `None`: nothing, the network waits.
    pub overflow: Option<Overflow>,
    /// What it costs a processor that has to wait for the lock over the NI, beyond the wait: the lock is held during each
    /// access, in either direction. `None`: there is no such lock.
    pub lock_migration: Option<Time>,
    /// Of the engine that moves a block transfer between the node's memory and a port; there if the machine can do
    /// `transfer`.
    pub engine: Option<Bandwidth>,
    /// The engine moves a block in pieces of so many bytes; `None`: in one.
    pub chunk: Option<Bytes>,
    /// What the engine needs for each piece beyond moving its bytes; zero unless stated.
    pub chunk_cost: Time,
    /// Whether the engine is a loop of the network processor, which then serves nothing else while a piece moves.
    pub engine_shares_processor: bool,
    /// What the NI takes to put the words of a deposit in memory, for each line, once they have passed the port in. The
    /// port is not free before that. There if the machine can do `deposit`.
    pub deposit: Option<Time>,
    /// What a message to the own node takes to where another processor of the node finds it; zero unless stated.
    pub loopback: Time,
}

/// The trap that empties the queue of an NI into the node's memory, where compute processors take the messages out
/// themselves: section `[interface.overflow]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overflow {
    /// How long a message must have waited at the port in.
    pub after: Time,
    /// What the trap takes the processor.
    pub trap: Time,
    /// And for each byte that it moves.
    pub byte: Time,
}

impl Overflow {
    fn read(section: &Section<'_>, clock: Frequency) -> Option<Self> {
        let after = section.time_above_zero("after", clock);
        let trap = section.time("trap", clock);
        let byte = section.time("byte", clock);
        Some(Self { after: after?, trap: trap?, byte: byte? })
    }
}

impl Interface {
    pub(crate) fn read(section: &Section<'_>, clock: Frequency, can: &[Capability]) -> Option<Self> {
        let bandwidth = section.bandwidth("bandwidth", clock);
        let header = section.quantity("header");
        let packet = section.quantity_above_zero("packet");
        let send_queue = section.count("send_queue");
        let receive_queue = section.optional("receive_queue", |section| section.count("receive_queue"));
        let overflow = section.optional_section("overflow", |section| Overflow::read(section, clock));
        if section.has("overflow") {
            section.expect("receive_queue", "a number of messages, to be full of");
        }
        let lock_migration =
            section.optional("lock_migration", |section| section.time("lock_migration", clock));
        if can.contains(&Capability::Transfer) {
            section.expect("engine", Rate::EXPECTED);
        }
        let engine = section.optional("engine", |section| section.bandwidth("engine", clock));
        let chunk = section.optional("chunk", |section| section.quantity_above_zero("chunk"));
        if section.has("chunk_cost") {
            section.expect("chunk", Bytes::EXPECTED);
        }
        let chunk_cost = section.time_or("chunk_cost", clock, Time::ZERO);
        let shares =
            section.optional("engine_shares_processor", |section| section.flag("engine_shares_processor"));
        if can.contains(&Capability::Deposit) {
            section.expect("deposit", Span::EXPECTED);
        }
        let deposit = section.optional("deposit", |section| section.time("deposit", clock));
        let loopback = section.time_or("loopback", clock, Time::ZERO);
        Some(Self {
            bandwidth: bandwidth?,
            header: header?,
            packet: packet?,
            send_queue: send_queue?,
            receive_queue: receive_queue?,
            overflow: overflow?,
            lock_migration: lock_migration?,
            engine: engine?,
            chunk: chunk?,
            chunk_cost: chunk_cost?,
            engine_shares_processor: shares?.unwrap_or(false),
            deposit: deposit?,
            loopback: loopback?,
        })
    }
}
