//! The network interface of a node. Pure data and its section `[interface]`.

use units::{Bandwidth, Bytes, Quantity, Time};

use crate::Capability;
use crate::reading::{above_zero, or_default, required_if, section, with};

section! {
    /// The network interface (NI) of a node: one port out, one port in.
    Interface(section, can: &[Capability]) {
        /// Of each port, in each direction.
        bandwidth: Bandwidth,
        /// What the network adds to the data of each packet.
        header: Bytes,
        /// The most data, header aside, that one packet carries; at least 1 B. A longer message is split.
        packet: Bytes = above_zero,
        /// Packets the NI takes before the sender must wait; at least 1.
        send_queue: usize,
        /// Messages the NI holds for the processors before the network backs up; at least 1. `None`: any number.
        receive_queue: Option<usize>,
        /// What happens when that queue stays full; `None`: nothing, the network waits.
        overflow: Option<Overflow> = with("receive_queue", "a number of messages, to be full of"),
        /// What it costs a processor that has to wait for the lock over the NI, beyond the wait: the lock is held during each
        /// access, in either direction. `None`: there is no such lock.
        lock_migration: Option<Time>,
        /// Of the engine that moves a block transfer between the node's memory and a port; there if the machine can do
        /// `transfer`.
        engine: Option<Bandwidth> = required_if(can.contains(&Capability::Transfer)),
        /// The engine moves a block in pieces of so many bytes; `None`: in one.
        chunk: Option<Bytes> = |section, key| section.optional(key, |section| above_zero(section, key)),
        /// What the engine needs for each piece beyond moving its bytes; zero unless stated.
        chunk_cost: Time = with("chunk", Bytes::EXPECTED),
        /// Whether the engine is a loop of the network processor, which then serves nothing else while a piece moves.
        engine_shares_processor: bool = or_default,
        /// What the NI takes to put the words of a deposit in memory, for each line, once they have passed the port in. The
        /// port is not free before that. There if the machine can do `deposit`.
        deposit: Option<Time> = required_if(can.contains(&Capability::Deposit)),
        /// What a message to the own node takes to where another processor of the node finds it; zero unless stated.
        loopback: Time = or_default,
    }
}

section! {
    /// The trap that empties the queue of an NI into the node's memory, where compute processors take the messages out
    /// themselves: section `[interface.overflow]`.
    Overflow(section) {
        /// How long a message must have waited at the port in.
        after: Time = above_zero,
        /// What the trap takes the processor.
        trap: Time,
        /// And for each byte that it moves.
        byte: Time,
    }
}
