//! The memory of a node: section `[memory]`. In detail, the memory system: caches, bus, memory banks, and the staging
//! buffer of a network interface that is a client of the bus. A machine gives the sections `[cache]`, `[bus]` and
//! `[memory.banks]` together or not at all; `[staging]` may be absent. Pure data.
//!
//! Durations in cycles are cycles of the processor's clock; in `[bus]` they are cycles of the bus.

use units::{Bandwidth, Bytes, Frequency, Time};

use crate::reading::{Section, above_zero, or_default, own_clock, required_if, section};

/// The memory system of a node, in detail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeMemory {
    /// The data cache of each processor.
    pub cache: Cache,
    /// What joins caches, memory and devices.
    pub bus: Bus,
    /// What the memory is made of.
    pub banks: Banks,
    /// The buffer of an interface that reads and supplies lines over the bus; `None`: there is none.
    pub staging: Option<Staging>,
}

section! {
    /// A write-back data cache. Its lines are those of the memory.
    Cache(section, line: Bytes) {
        /// Its data; a whole number of sets.
        size: Bytes = above_zero,
        /// Lines of a set; at least 1, which is direct mapped.
        ways: usize,
        /// Whether bus transactions of others are snooped (MOESI). If not, software flushes and purges.
        coherent: bool = |section, _| section.is_word("coherence", "snooping", ["snooping", "software"]),
        /// What the next instruction waits for a loaded value beyond the load's issue, in a hit.
        load_use: Time,
        /// From the critical word on the bus to the instruction that waited for it.
        refill: Time,
        /// Misses a processor may have outstanding; at least 1.
        misses: usize,
        /// Lines that wait for the bus to be written back; at least 1.
        write_backs: usize,
        /// From the memory's acceptance of a line to its write-back's being done.
        acknowledge: Time,
        /// From the issue of a flush or purge until the tags are looked up: the processor does not wait for it.
        tag_delay: Time,
        /// What an instruction that waits for all write-backs takes when there are none.
        sync: Time,
        /// From the snoop response to the first word on the bus, when this cache supplies a line; coherent ones only.
        supply: Option<Time> = required_if(coherent == Some(true)),
    }
    agree {
        if let (Some(size), Some(ways)) = (size, ways) {
            let set = line.get().saturating_mul(ways as u64);
            if set == 0 || !size.get().is_multiple_of(set) {
                section.contradict("size", format!("a whole number of sets, which are {} each", Bytes::new(set)));
                return None;
            }
        }
    }
}

section! {
    /// A split-transaction bus.
    Bus(section, line: Bytes, coherent: bool) {
        /// Its clock.
        clock: Frequency = own_clock,
        /// Bytes of one data cycle; at least 1.
        width: Bytes = above_zero,
        /// One data cycle.
        cycle: Time = |section, _| Some(section.clock().cycles_to_time(1)),
        /// From a request to the earliest address phase.
        arbitration: Time,
        /// The address phase.
        address: Time = above_zero,
        /// From the address phase to the caches' answer; where caches are coherent.
        snoop: Option<Time> = required_if(coherent),
        /// Whether addresses and data share the wires.
        multiplexed: bool,
        /// From the address phase until a device has the first word that is read from it; zero where none is.
        device: Time = or_default,
    }
    agree {
        if let Some(width) = width
            && !line.get().is_multiple_of(width.get())
        {
            section.contradict("width", format!("a part of a line, which is {line}"));
            return None;
        }
    }
}

section! {
    /// Interleaved memory banks behind one controller. Neighbouring lines are in neighbouring banks.
    Banks(section) {
        /// How many; at least 1.
        count: usize,
        /// From the start of a read to its first word.
        latency: Time,
        /// How long a read keeps its bank busy.
        read: Time,
        /// How long a write keeps its bank busy, from its data on.
        write: Time,
        /// What the first read after a write waits for the controller.
        turnaround: Time,
        /// From the last word of a written line to its being where every later read finds it.
        accept: Time,
    }
}

section! {
    /// An interface with a buffer of its own on the bus: it reads what is sent from caches or memory, packet by packet, and
    /// puts what arrives in memory, or keeps it and supplies it as a cache would.
    Staging(section, line: Bytes, coherent: bool) {
        /// Of the buffer.
        size: Bytes = above_zero,
        /// A block: what a packet fills at most, and what a tag speaks for; a whole number of lines.
        block: Bytes = above_zero,
        /// Tags of the cache controller, direct mapped; at least 1.
        tags: usize,
        /// Whether lines that arrive stay in the buffer, owned by the cache controller.
        keeps: bool = |section, _| section.is_word("deposit", "buffer", ["memory", "buffer"]),
        /// Whether a packet that follows its neighbour closely joins it on the wire.
        append: bool,
        /// Whether packets of several messages take turns; else a message is sent whole.
        interleave: bool,
        /// Of a port of the buffer.
        port: Bandwidth,
        /// What the protocol engine takes to accept a command and make its first packet.
        command: Time,
        /// What it takes for each further packet.
        packet: Time,
        /// How often the bus interface can begin a read.
        read_every: Time,
        /// From the last word of a line on the bus to its passing the port of the buffer.
        store: Time,
        /// From a packet in the buffer to its first byte on the wire.
        handoff: Time,
        /// How long a packet that is not appended keeps the way through the network to itself beyond its bytes.
        path: Time,
        /// From a byte on the wire to its being where the protocol engine, or the buffer, has it.
        receive: Time,
        /// Finding the slot of an arriving packet and checking it.
        lookup: Time,
        /// From the last line in its place to a poll's seeing that the message is there.
        notify: Time,
    }
    agree {
        if let (Some(size), Some(block)) = (size, block) {
            let refuse = |key, expected| section.contradict(key, expected);
            if !block.get().is_multiple_of(line.get()) || block.get() / line.get() > 64 {
                refuse("block", format!("1 to 64 lines, which are {line} each"));
                return None;
            }
            if !size.get().is_multiple_of(block.get()) || size.get() / block.get() < 4 {
                refuse("size", format!("at least 4 blocks, which are {block} each, and no part of one"));
                return None;
            }
            if keeps == Some(true) && !coherent {
                refuse("deposit", "\"memory\", because cache.coherence is \"software\"".to_owned());
                return None;
            }
        }
    }
}

section! {
    /// The memory of a node.
    Memory(section) {
        /// What a processor's cache takes from it at a time; at least 1 B.
        line: Bytes = above_zero,
        /// How long a processor waits for a line that is in no cache.
        read: Time,
    }
}

impl Memory {
    /// Reads `[memory]` and the section of its banks, which are part of the memory system in detail.
    pub(crate) fn read_with_banks(section: &Section<'_>) -> Option<(Self, Option<Banks>)> {
        let (memory, banks) = (Self::read_keys(section), section.key("banks"));
        Some((memory?, banks?))
    }
}

impl NodeMemory {
    /// Reads the sections of a file; `banks` has been read with the memory. `Some(None)`: there are none.
    pub(crate) fn read_keys(file: &Section<'_>, line: Bytes, banks: Option<Banks>) -> Option<Option<Self>> {
        let has_any = banks.is_some() || ["cache", "bus", "staging"].into_iter().any(|key| file.gives(key));
        if !has_any {
            return Some(None);
        }
        if banks.is_none() {
            file.expect("memory.banks", "a section, as there are others of the memory system");
        }
        let cache = file.section("cache", |section| Cache::read_keys(section, line));
        let coherent = cache.as_ref().is_some_and(|cache| cache.coherent);
        let bus = file.section("bus", |section| Bus::read_keys(section, line, coherent));
        let staging = file.optional_section("staging", |section| Staging::read_keys(section, line, coherent));
        Some(Some(Self { cache: cache?, bus: bus?, banks: banks?, staging: staging? }))
    }
}

impl Bus {
    /// How long `size` bytes take their wires.
    pub fn passage(&self, size: Bytes) -> Time {
        self.cycle * size.get().div_ceil(self.width.get())
    }
}
