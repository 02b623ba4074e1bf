//! The network interface of a node: section `[interface]`. Pure data.

use units::{Bandwidth, Bytes, Quantity, Time};

use crate::Capability;
use crate::reading::{Range, Section, above_zero, or_default, range, required_if, section, with};

/// The range of the bytes that each packet has, regardless of its content.
const FRAME: Range = range("0 B", "4 KiB", "each packet has them, however little data it carries");

section! {
    /// The network interface (NI) of a node: one port out, one port in.
    Interface(section, can: &[Capability]) {
        /// The endpoints at which the NI delivers events: one for the node, or one for each computing processor. One for the node
        /// unless stated.
        endpoints: Endpoints = Endpoints::read,
        /// The bandwidth of each of the NI's two ports.
        bandwidth: Bandwidth,
        /// The size of the header that the network adds to each packet.
        header: Bytes => FRAME,
        /// The most data that one packet carries, header aside; at least 1 B. A longer message is split.
        packet: Bytes = above_zero,
        /// The least data that a packet carries, header aside. A shorter packet is padded, and the padding takes its time on the
        /// wire. At most `packet`; zero unless stated.
        fill: Bytes = or_default => FRAME,
        /// The least time between the beginnings of two messages through one port: the reciprocal of the NI's message
        /// rate. A port is occupied for a message's bytes or for the gap, whichever is longer. A file states at least
        /// the time of a header at `bandwidth`; zero unless stated.
        gap: Time = or_default,
        /// The number of messages that may wait in the NI for the port out; at least 1. The sender of a further message waits.
        send_queue: usize,
        /// The number of messages that may wait in the NI for the processors before the network backs up; at least 1. `None`: any
        /// number.
        receive_queue: Option<usize>,
        /// The number of lines that the NI buffers until it has asked for the bus to write them to memory; at least 1. A processor
        /// that places more lines waits for room. `None`: any number.
        write_buffer: Option<usize>,
        /// The trap by which a processor empties a receive queue that stays full. `None`: there is no trap, and messages wait in
        /// the network.
        overflow: Option<Overflow> = with("receive_queue", "a number of messages, to be full of"),
        /// The time in which the cache line of the NI's lock moves to a processor that takes the lock after another. A processor
        /// holds the lock during each access, in either direction. `None`: the NI has no lock.
        lock_migration: Option<Time>,
        /// The bandwidth of the engine that moves block transfers between the node's memory and a port. Required if the machine has
        /// the capability `transfer`.
        engine: Option<Bandwidth> = required_if(can.contains(&Capability::Transfer)),
        /// The size of the pieces in which the transfer engine moves a block. `None`: it moves the block in one piece.
        chunk: Option<Bytes> => range("1 B", "1 GiB", "a transfer is no longer"),
        /// The extra time of the transfer engine for each piece, beyond moving its bytes; zero unless stated.
        chunk_cost: Time = with("chunk", Bytes::EXPECTED),
        /// Whether the transfer engine is a loop of the network processor, which then serves nothing else while a piece moves.
        engine_shares_processor: bool = or_default,
        /// The time in which the NI writes one line of a deposit to memory, once its words have passed the port in. The port is
        /// busy until then. Required if the machine has the capability `deposit`.
        deposit: Option<Time> = required_if(can.contains(&Capability::Deposit)),
        /// The time until a message from a node to itself reaches another processor of that node; zero unless stated.
        loopback: Time = or_default,
        /// The time from a message's last byte at the port in until a processor of the node can find it or is interrupted. The port
        /// and the processors are free meanwhile. Zero unless stated.
        visible: Time = or_default,
    }
    agree {
        if endpoints == Some(Endpoints::Processor) && matches!(lock_migration, Some(Some(_))) {
            let expected = "\"node\", because the processors share one endpoint under a lock";
            section.contradict("endpoints", expected.to_owned(), &["interface.lock_migration"]);
            return None;
        }
        if let (Some(fill), Some(packet)) = (fill, packet)
            && fill > packet
        {
            section.contradict("fill", format!("at most `packet`, which is {packet}"), &["interface.packet"]);
            return None;
        }
        if let (Some(gap), Some(bandwidth), Some(header)) = (gap, bandwidth, header)
            && !gap.is_zero()
            && gap < bandwidth.transfer_time(header)
            && ["gap", "bandwidth", "header"].iter().all(|key| section.has_in_file(key))
        {
            let least = bandwidth.transfer_time(header);
            let expected = format!("at least {least}, which `header` takes at `bandwidth`");
            section.contradict("gap", expected, &["interface.header", "interface.bandwidth"]);
            return None;
        }
    }
}

/// The places at which the NI of a node delivers events, and the processors that poll them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Endpoints {
    /// A single endpoint for the node: whichever processor polls takes the next event.
    #[default]
    Node,
    /// An endpoint for each computing processor, which polls that endpoint only. The key of an event decides its
    /// endpoint.
    Processor,
}

impl Endpoints {
    fn read(section: &Section<'_>, key: &'static str) -> Option<Self> {
        let words = ["node", "processor"];
        let each = section.optional(key, |section| section.is_word(key, words[1], words))?;
        Some(if each == Some(true) { Self::Processor } else { Self::Node })
    }
}

section! {
    /// The trap that empties the NI's receive queue into the node's memory, on a machine whose compute processors read the NI
    /// themselves: section `[interface.overflow]`.
    Overflow(section) {
        /// The time for which a message must have waited at the port in before a processor takes the trap.
        after: Time = above_zero,
        /// The processor's time for each trap, without the bytes that it moves.
        trap: Time,
        /// The processor's time for each byte that the trap moves.
        byte: Time,
    }
}
