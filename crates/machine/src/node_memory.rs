//! The memory system of a node: caches, bus, memory banks, and the staging buffer of a network interface that is a
//! client of the bus. Pure data and its sections `[cache]`, `[bus]`, `[memory.banks]` and `[staging]`, which a machine
//! gives together or not at all (`[staging]` may be absent).
//!
//! Durations in cycles are cycles of the processor's clock; in `[bus]` they are cycles of the bus.

use units::{Bandwidth, Bytes, Frequency, Quantity, Span, Time};

use crate::parse::NO_CLOCK;
use crate::section::Section;

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

/// A write-back data cache. Its lines are those of the memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    /// Its data; a whole number of sets.
    pub size: Bytes,
    /// Lines of a set; at least 1, which is direct mapped.
    pub ways: usize,
    /// Whether bus transactions of others are snooped (MOESI). If not, software flushes and purges.
    pub coherent: bool,
    /// What the next instruction waits for a loaded value beyond the load's issue, in a hit.
    pub load_use: Time,
    /// From the critical word on the bus to the instruction that waited for it.
    pub refill: Time,
    /// Misses a processor may have outstanding; at least 1.
    pub misses: usize,
    /// Lines that wait for the bus to be written back; at least 1.
    pub write_backs: usize,
    /// From the memory's acceptance of a line to its write-back's being done.
    pub acknowledge: Time,
    /// From the issue of a flush or purge until the tags are looked up: the processor does not wait for it.
    pub tag_delay: Time,
    /// What an instruction that waits for all write-backs takes when there are none.
    pub sync: Time,
    /// From the snoop response to the first word on the bus, when this cache supplies a line; coherent ones only.
    pub supply: Option<Time>,
}

/// A split-transaction bus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bus {
    /// Its clock.
    pub clock: Frequency,
    /// Bytes of one data cycle; at least 1.
    pub width: Bytes,
    /// One data cycle.
    pub cycle: Time,
    /// From a request to the earliest address phase.
    pub arbitration: Time,
    /// The address phase.
    pub address: Time,
    /// From the address phase to the caches' answer; where caches are coherent.
    pub snoop: Option<Time>,
    /// Whether addresses and data share the wires.
    pub multiplexed: bool,
    /// From the address phase until a device has the first word that is read from it; zero where none is.
    pub device: Time,
}

/// Interleaved memory banks behind one controller. Neighbouring lines are in neighbouring banks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Banks {
    /// How many; at least 1.
    pub count: usize,
    /// From the start of a read to its first word.
    pub latency: Time,
    /// How long a read keeps its bank busy.
    pub read: Time,
    /// How long a write keeps its bank busy, from its data on.
    pub write: Time,
    /// What the first read after a write waits for the controller.
    pub turnaround: Time,
    /// From the last word of a written line to its being where every later read finds it.
    pub accept: Time,
}

/// An interface with a buffer of its own on the bus: it reads what is sent from caches or memory, packet by packet, and
/// puts what arrives in memory, or keeps it and supplies it as a cache would.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Staging {
    /// Of the buffer.
    pub size: Bytes,
    /// A block: what a packet fills at most, and what a tag speaks for; a whole number of lines.
    pub block: Bytes,
    /// Tags of the cache controller, direct mapped; at least 1.
    pub tags: usize,
    /// Whether lines that arrive stay in the buffer, owned by the cache controller.
    pub keeps: bool,
    /// Whether a packet that follows its neighbour closely joins it on the wire.
    pub append: bool,
    /// Whether packets of several messages take turns; else a message is sent whole.
    pub interleave: bool,
    /// What the protocol engine takes to accept a command and make its first packet.
    pub command: Time,
    /// What it takes for each further packet.
    pub packet: Time,
    /// How often the bus interface can begin a read.
    pub read_every: Time,
    /// Of a port of the buffer.
    pub port: Bandwidth,
    /// From the last word of a line on the bus to its passing the port of the buffer.
    pub store: Time,
    /// From a packet in the buffer to its first byte on the wire.
    pub handoff: Time,
    /// How long a packet that is not appended keeps the way through the network to itself beyond its bytes.
    pub path: Time,
    /// From a byte on the wire to its being where the protocol engine, or the buffer, has it.
    pub receive: Time,
    /// Finding the slot of an arriving packet and checking it.
    pub lookup: Time,
    /// From the last line in its place to a poll's seeing that the message is there.
    pub notify: Time,
}

impl NodeMemory {
    /// Reads the sections of a file; `banks` has been read with the memory. `Some(None)`: there are none.
    pub(crate) fn read(
        file: &Section<'_>,
        clock: Frequency,
        line: Bytes,
        banks: Option<Banks>,
    ) -> Option<Option<Self>> {
        let has_any = banks.is_some() || ["cache", "bus", "staging"].into_iter().any(|key| file.gives(key));
        if !has_any {
            return Some(None);
        }
        if banks.is_none() {
            file.expect("memory.banks", "a section, as there are others of the memory system");
        }
        let cache = file.section("cache", |section| Cache::read(section, clock, line));
        let coherent = cache.as_ref().is_some_and(|cache| cache.coherent);
        let bus = file.section("bus", |section| Bus::read(section, line, coherent));
        let staging =
            file.optional_section("staging", |section| Staging::read(section, clock, line, coherent));
        Some(Some(Self { cache: cache?, bus: bus?, banks: banks?, staging: staging? }))
    }
}

impl Cache {
    fn read(section: &Section<'_>, clock: Frequency, line: Bytes) -> Option<Self> {
        let size: Option<Bytes> = section.quantity_above_zero("size");
        let ways: Option<usize> = section.count("ways");
        let coherence = section.text("coherence", "\"snooping\" or \"software\"", |text| {
            matches!(text, "snooping" | "software")
        });
        let coherent = coherence.as_deref() == Some("snooping");
        let load_use = section.time("load_use", clock);
        let refill = section.time("refill", clock);
        let misses = section.count("misses");
        let write_backs = section.count("write_backs");
        let acknowledge = section.time("acknowledge", clock);
        let tag_delay = section.time("tag_delay", clock);
        let sync = section.time("sync", clock);
        if coherent {
            section.expect("supply", Span::EXPECTED);
        }
        let supply = section.optional("supply", |section| section.time("supply", clock));
        let (size, ways) = (size?, ways?);
        let set = line.get().saturating_mul(ways as u64);
        if set == 0 || !size.get().is_multiple_of(set) {
            section.contradict("size", format!("a whole number of sets, which are {} each", Bytes::new(set)));
            return None;
        }
        Some(Self {
            size,
            ways,
            coherent: coherence.map(|_| coherent)?,
            load_use: load_use?,
            refill: refill?,
            misses: misses?,
            write_backs: write_backs?,
            acknowledge: acknowledge?,
            tag_delay: tag_delay?,
            sync: sync?,
            supply: supply?,
        })
    }
}

impl Bus {
    fn read(section: &Section<'_>, line: Bytes, coherent: bool) -> Option<Self> {
        let stated: Option<Frequency> = section.quantity("clock");
        let clock = stated.unwrap_or(NO_CLOCK);
        let width: Option<Bytes> = section.quantity_above_zero("width");
        let arbitration = section.time("arbitration", clock);
        let address = section.time_above_zero("address", clock);
        if coherent {
            section.expect("snoop", Span::EXPECTED);
        }
        let snoop = section.optional("snoop", |section| section.time("snoop", clock));
        let multiplexed = section.flag("multiplexed");
        let device = section.time_or("device", clock, Time::ZERO);
        let width = width?;
        if !line.get().is_multiple_of(width.get()) {
            section.contradict("width", format!("a part of a line, which is {line}"));
            return None;
        }
        Some(Self {
            clock: stated?,
            width,
            cycle: clock.cycles_to_time(1),
            arbitration: arbitration?,
            address: address?,
            snoop: snoop?,
            multiplexed: multiplexed?,
            device: device?,
        })
    }

    /// How long `size` bytes take their wires.
    pub fn passage(&self, size: Bytes) -> Time {
        self.cycle * size.get().div_ceil(self.width.get())
    }
}

impl Banks {
    pub(crate) fn read(section: &Section<'_>, clock: Frequency) -> Option<Self> {
        let count = section.count("count");
        let latency = section.time("latency", clock);
        let read = section.time("read", clock);
        let write = section.time("write", clock);
        let turnaround = section.time("turnaround", clock);
        let accept = section.time("accept", clock);
        Some(Self {
            count: count?,
            latency: latency?,
            read: read?,
            write: write?,
            turnaround: turnaround?,
            accept: accept?,
        })
    }
}

impl Staging {
    fn read(section: &Section<'_>, clock: Frequency, line: Bytes, coherent: bool) -> Option<Self> {
        let size: Option<Bytes> = section.quantity_above_zero("size");
        let block: Option<Bytes> = section.quantity_above_zero("block");
        let tags = section.count("tags");
        let deposit =
            section.text("deposit", "\"memory\" or \"buffer\"", |text| matches!(text, "memory" | "buffer"));
        let append = section.flag("append");
        let interleave = section.flag("interleave");
        let port = section.bandwidth("port", clock);
        let time = |key| section.time(key, clock);
        let (command, packet, read_every) = (time("command"), time("packet"), time("read_every"));
        let (store, handoff, path) = (time("store"), time("handoff"), time("path"));
        let (receive, lookup, notify) = (time("receive"), time("lookup"), time("notify"));
        let (size, block) = (size?, block?);
        if !block.get().is_multiple_of(line.get()) || block.get() / line.get() > 64 {
            section.contradict("block", format!("1 to 64 lines, which are {line} each"));
            return None;
        }
        if !size.get().is_multiple_of(block.get()) || size.get() / block.get() < 4 {
            section
                .contradict("size", format!("at least 4 blocks, which are {block} each, and no part of one"));
            return None;
        }
        let keeps = deposit.as_deref() == Some("buffer");
        if keeps && !coherent {
            section.contradict("deposit", "\"memory\", because cache.coherence is \"software\"".to_owned());
            return None;
        }
        Some(Self {
            size,
            block,
            tags: tags?,
            keeps: deposit.map(|_| keeps)?,
            append: append?,
            interleave: interleave?,
            command: command?,
            packet: packet?,
            read_every: read_every?,
            port: port?,
            store: store?,
            handoff: handoff?,
            path: path?,
            receive: receive?,
            lookup: lookup?,
            notify: notify?,
        })
    }
}
