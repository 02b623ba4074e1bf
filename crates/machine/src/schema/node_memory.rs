//! The memory of a node: section `[memory]`. In detail, the memory system: caches, bus, memory banks, and the staging
//! buffer of a network interface that is a client of the bus. A machine gives the sections `[cache]`, `[bus]` and
//! `[memory.banks]` together or not at all; `[staging]` may be absent. Pure data.
//!
//! Durations in cycles are cycles of the processor's clock; in `[bus]` they are cycles of the bus.

use units::{Bandwidth, Bytes, Frequency, Time};

use crate::reading::{Section, above_zero, or_default, own_clock, range, required_if, section};

/// The memory system of a node in detail: caches, bus, banks and staging buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeMemory {
    /// The data cache of each processor.
    pub cache: Cache,
    /// The bus that joins caches, memory and devices.
    pub bus: Bus,
    /// The banks of the main memory.
    pub banks: Banks,
    /// The staging buffer of an NI that reads and supplies lines over the bus; `None`: the NI has no such buffer.
    pub staging: Option<Staging>,
}

section! {
    /// The write-back data cache of a processor. Its lines are as long as a memory line.
    Cache(section, line: Bytes) {
        /// The capacity of the cache: a whole number of sets.
        size: Bytes = above_zero,
        /// The number of lines in a set; at least 1, which makes the cache direct mapped.
        ways: usize,
        /// Whether the cache snoops the bus transactions of others (MOESI). If not, software flushes and purges lines.
        coherent: bool = |section, _| section.is_word("coherence", "snooping", ["snooping", "software"]),
        /// The time from the end of the issue of a load that hits until the next instruction can use the value.
        load_use: Time,
        /// The time from the critical word of a miss on the bus until the instruction that waits for it goes on.
        refill: Time,
        /// The number of misses that a processor may have outstanding; at least 1.
        misses: usize,
        /// The number of lines that may wait for the bus to be written back; at least 1.
        write_backs: usize,
        /// The time from memory's acceptance of a line until the cache counts its write-back as done.
        acknowledge: Time,
        /// The time from the issue of a flush or purge until the tags are looked up. The processor does not wait for it.
        tag_delay: Time,
        /// The time of an instruction that waits for all write-backs, if none is outstanding.
        sync: Time,
        /// The time from the snoop response to the first word on the bus, when this cache supplies a line. `None` for a cache
        /// that is not coherent.
        supply: Option<Time> = required_if(coherent == Some(true)),
        /// The first-level cache between the processor and this one: section `[cache.first]`. `None`: there is one level.
        first: Option<FirstLevel> = |section, key| section.optional_section(key, |section| FirstLevel::read_keys(section, line, size)),
    }
    agree {
        // The rest of a refused cache states the requirements of bus and staging buffer.
        check_sets(section, (size, ways), line, &["cache.ways", "memory.line"]);
    }
}

section! {
    /// A first-level cache in front of a processor's data cache, which has all of its lines too. Loads bring lines in; stores pass
    /// through it.
    FirstLevel(section, line: Bytes, behind: Option<Bytes>) {
        /// The capacity of the cache: a whole number of sets, and at most the capacity of the cache behind it.
        size: Bytes = above_zero,
        /// The number of lines in a set; at least 1, which makes the cache direct mapped.
        ways: usize,
        /// The extra time of a load that misses here and hits in the cache behind.
        wait: Time,
    }
    agree {
        check_sets(section, (size, ways), line, &["cache.first.ways", "memory.line"]);
        if let (Some(size), Some(behind)) = (size, behind)
            && size > behind
        {
            section.contradict("size", format!("at most that of the cache behind it, which is {behind}"), &["cache.size"]);
        }
    }
}

/// Refuses a cache that its ways do not divide into sets.
fn check_sets(section: &Section<'_>, sets: (Option<Bytes>, Option<usize>), line: Bytes, others: &[&str]) {
    let (Some(size), Some(ways)) = sets else { return };
    let set = line.get().saturating_mul(ways as u64);
    if set == 0 || !size.get().is_multiple_of(set) || size.get() / set > MOST_SETS {
        let expected =
            format!("a whole number of sets, which are {} each, at most {MOST_SETS}", Bytes::new(set));
        section.contradict("size", expected, others);
    }
}

/// The most sets of a cache: a cache of 1 GiB with lines of 64 B.
const MOST_SETS: u64 = 1 << 24;

/// The most blocks of a staging buffer, all of which a packet that finds no free one looks at.
const MOST_BLOCKS: u64 = 1 << 16;

/// The size of a word, the least that a transaction moves.
const WORD: Bytes = Bytes::new(8);

section! {
    /// The memory bus of a node. Other clients use it while a line or a device register is fetched, unless it is `connected`.
    Bus(section, line: Bytes, coherent: bool) {
        /// The clock of the bus; the processors' clock unless stated.
        clock: Frequency = |section, key| if section.gives(key) { own_clock(section, key) } else { Some(section.clock()) },
        /// The data that the bus moves in one data cycle; at least a word of 8 B.
        width: Bytes = above_zero,
        /// The time of one data cycle.
        cycle: Time = |section, _| Some(section.clock().cycles_to_time(1)),
        /// The time from a request for the bus to the earliest address phase.
        arbitration: Time,
        /// The time of the address phase.
        address: Time = above_zero,
        /// The time from the address phase to the snoop response of the caches. `None`: caches are not coherent.
        snoop: Option<Time> = required_if(coherent),
        /// Whether addresses and data share the wires of the bus.
        multiplexed: bool,
        /// Whether a transaction holds the bus from its address to the end of its data, so that none is split. Such a bus is
        /// `multiplexed` too. False unless stated.
        connected: bool = or_default,
        /// The time from the address phase until a device has the first word that is read from it; zero unless stated.
        device: Time = or_default,
    }
    agree {
        if let Some(width) = width
            && width < WORD
        {
            section.contradict("width", format!("at least a word, which is {WORD}"), &[]);
            return None;
        }
        if let (Some(true), Some(false)) = (connected, multiplexed) {
            let expected = "false, because addresses have wires of their own, which nobody can hold for data";
            section.contradict("connected", expected.to_owned(), &["bus.multiplexed"]);
            return None;
        }
        if let Some(width) = width
            && !line.get().is_multiple_of(width.get())
        {
            section.contradict("width", format!("a part of a line, which is {line}"), &["memory.line"]);
            return None;
        }
    }
}

section! {
    /// Interleaved memory banks behind one controller. Neighbouring lines are in neighbouring banks.
    Banks(section) {
        /// The number of banks; at least 1.
        count: usize,
        /// The time from the start of a read of a bank to its first word.
        latency: Time,
        /// The time that a read keeps its bank busy.
        read: Time,
        /// The time that a write keeps its bank busy once its data have arrived.
        write: Time,
        /// The extra wait of the first read after a write, because the controller changes direction.
        turnaround: Time,
        /// The time from the last word of a written line until every later read finds the line.
        accept: Time,
    }
}

section! {
    /// A network interface with a staging buffer on the bus. It reads outgoing data from caches or memory, packet by packet. It
    /// puts arriving data into memory, or keeps them and supplies them as a cache would.
    Staging(section, line: Bytes, coherent: bool) {
        /// The size of the staging buffer: at least 4 blocks.
        size: Bytes = above_zero,
        /// The size of a block of the staging buffer, from 1 to 64 whole lines. A packet fills one block at most, and each tag
        /// stands for one block.
        block: Bytes = above_zero,
        /// The number of tags of the buffer's cache controller, which is direct mapped; at least 1.
        tags: usize,
        /// The number of receive slots (rights of a source to write into a segment) that the protocol engine caches; at least 1.
        /// The others are in memory, a line each. `None`: it caches all slots.
        slots: Option<usize>,
        /// The place where the NI puts lines that arrive.
        deposit: Placement = Placement::read,
        /// Whether a packet joins the previous packet of its message on the wire, if it is ready before that packet has left.
        append: bool,
        /// Whether packets of several messages take turns on the wire. Otherwise a message is sent whole.
        interleave: bool,
        /// The bandwidth of a port of the staging buffer.
        port: Bandwidth,
        /// The time that the protocol engine takes to accept a command and make its first packet.
        command: Time,
        /// The time that the protocol engine takes for each further packet of a command.
        packet: Time,
        /// The least time between the starts of two reads by the bus interface.
        read_every: Time,
        /// The time from the last word of a line on the bus until it passes the port of the staging buffer.
        store: Time,
        /// The time from a complete packet in the staging buffer to its first byte on the wire.
        handoff: Time,
        /// The extra time between two packets on the wire, in which the first gives up its route, unless the second joins it.
        path: Time,
        /// The time from a byte on the wire until the protocol engine, or the staging buffer, has it.
        receive: Time,
        /// The time to look up the receive slot of an arriving packet in the protocol engine, and to check the packet.
        lookup: Time,
        /// The time from the placement of a message's last line until a poll finds the message.
        notify: Time,
    }
    agree {
        if let (Some(size), Some(block)) = (size, block) {
            let refuse = |key, expected, others: &[_]| section.contradict(key, expected, others);
            if !block.get().is_multiple_of(line.get()) || block.get() / line.get() > 64 {
                refuse("block", format!("1 to 64 lines, which are {line} each"), &["memory.line"]);
                return None;
            }
            let blocks = size.get() / block.get();
            if !size.get().is_multiple_of(block.get()) || !(4..=MOST_BLOCKS).contains(&blocks) {
                let expected = format!("at least 4 blocks and at most {MOST_BLOCKS}, which are {block} each, and no part of one");
                refuse("size", expected, &["staging.block"]);
                return None;
            }
            if deposit.is_some_and(|deposit| deposit != Placement::Memory) && !coherent {
                refuse("deposit", "\"memory\", because caches are not coherent".to_owned(), &["cache.coherence"]);
                return None;
            }
        }
    }
}

/// The place where an interface with a staging buffer puts lines that arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Memory. Snooping caches lose their copies of the line.
    Memory,
    /// The staging buffer, whose controller owns the line and supplies it when a processor asks.
    Buffer,
    /// The cache that has an older copy of the line; the staging buffer if no cache has a copy.
    Update,
    /// A cache: the cache that has an older copy of the line, otherwise that of the node's first processor.
    Cache,
}

impl Placement {
    /// Every placement by its word in a machine file.
    const WORDS: [(&str, Self); 4] = [
        ("memory", Self::Memory),
        ("buffer", Self::Buffer),
        ("update", Self::Update),
        ("cache", Self::Cache),
    ];

    fn read(section: &Section<'_>, key: &'static str) -> Option<Self> {
        let expected = Self::WORDS.map(|(word, _)| format!("{word:?}")).join(" or ");
        let of =
            |text: &str| Self::WORDS.iter().find(|(word, _)| *word == text).map(|(_, placement)| *placement);
        let text = section.text(key, &expected, |text| of(text).is_some())?;
        of(&text)
    }
}

section! {
    /// The main memory of a node.
    Memory(section) {
        /// The size of a memory line, the unit in which caches fetch; at least 1 B.
        line: Bytes = above_zero => range("1 B", "64 KiB", "a bus moves it in one piece"),
        /// The time that a processor waits for a line that is in no cache.
        read: Time,
        /// The size of the shared memory under one access tag. A coherence block has one or several tags, and a change of the right
        /// to it costs the price `set_tag` for each. `None`: one tag for a block of any size.
        tag: Option<Bytes> => range("1 B", "1 GiB", "no block is larger"),
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
    /// Reads the sections of the memory system. `banks` comes from `[memory]`, which was read before. The result is
    /// `Some(None)` where the file has none of these sections.
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
        // The kind of a refused cache is unknown.
        let may_keep = coherent || cache.is_none();
        let staging = file.optional_section("staging", |section| Staging::read_keys(section, line, may_keep));
        Some(Some(Self { cache: cache?, bus: bus?, banks: banks?, staging: staging? }))
    }
}

impl Bus {
    /// The time for which a transfer of `size` bytes occupies the data wires of the bus.
    pub fn passage(&self, size: Bytes) -> Time {
        self.cycle * size.get().div_ceil(self.width.get())
    }
}
