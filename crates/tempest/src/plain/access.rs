//! Reports of memory accesses: the accesses that a program reports to words of its own node's segments, and the counts
//! of a modelled memory system.
//!
//! Most work is counted in operations, including loads and stores that hit the cache. A program that studies the memory
//! system itself reports which words it accesses and how. Natively a report costs nothing and has no effect. The data
//! are the program's own: a report moves none, and a simulator decides its effect on a cache. A world is told of a run
//! of accesses by their [addresses](crate::world::AddressRange). This module must never know a memory system.

/// The kind of an access to memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// A load of each accessed word, whose value the next instruction uses.
    Load,
    /// A load of each accessed word, whose value no later instruction waits for.
    LoadIgnored,
    /// A store to each accessed word.
    Store,
    /// A flush of each cache line that holds a word: the line leaves the cache, and is written to memory if it is
    /// dirty. One instruction for each line.
    Flush,
    /// A purge of each cache line that holds a word: the line leaves the cache without being written to memory, even if
    /// it is dirty. One instruction for each line.
    Purge,
}

/// A run of accesses by one thread or handler, one after the other, to elements of its node's memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touch {
    /// The address of the first element on the modelled machine, a multiple of the size of an element.
    pub first: u64,
    /// The number of accessed elements.
    pub elements: u64,
    /// The size of an element: 1, 2, 4 or 8 bytes.
    pub bytes: u64,
    /// The distance in bytes from the beginning of an element to the beginning of the next: a multiple of the size of
    /// an element.
    pub stride: u64,
    /// The kind of access. [`Access::Flush`] and [`Access::Purge`] concern all cache lines from the first element's to
    /// the last element's.
    pub access: Access,
}

impl Touch {
    /// Makes a run of accesses to elements of `bytes` bytes that follow each other without a gap.
    pub fn dense(first: u64, elements: usize, bytes: u64, access: Access) -> Self {
        Self { first, elements: elements as u64, bytes, stride: bytes, access }
    }

    /// The address behind the last element; the first address where there is no element.
    pub fn end(&self) -> u64 {
        match self.elements.checked_sub(1) {
            Some(others) => self.first + others * self.stride + self.bytes,
            None => self.first,
        }
    }
}

/// The counters of a node's memory system and interface since the run began; all zero in a world that does not count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MemoryEvents {
    /// Number of transactions that the node's memory bus has served.
    pub bus_transactions: u64,
    /// Number of bytes of data that the node's memory bus has moved.
    pub bus_bytes: u64,
    /// Number of cache lines read from memory.
    pub memory_reads: u64,
    /// Number of cache lines written to memory.
    pub memory_writes: u64,
    /// Number of loads and stores that missed in the processor's cache.
    pub misses: u64,
    /// Number of cache lines supplied by another processor's cache.
    pub cache_supplies: u64,
    /// Number of cache lines supplied by the network interface's buffer.
    pub buffer_supplies: u64,
    /// Number of cache lines that processors' caches wrote back.
    pub write_backs: u64,
    /// Number of cache lines that the network interface's buffer wrote to memory because the buffer lacked room or a
    /// tag.
    pub evictions: u64,
    /// Number of blocks of the network interface's buffer that messages have filled, wholly or in part.
    pub kept_blocks: u64,
    /// Number of cache lines in the blocks of the network interface's buffer that messages have filled.
    pub kept_lines: u64,
    /// Number of cache lines that the network interface has put into a processor's cache.
    pub pushes: u64,
    /// Number of cache lines that left a processor's cache to make room for lines that the network interface put there.
    pub displaced: u64,
    /// Number of look-ups of receive slots (a source's right to write into a segment) by the network interface.
    pub slot_lookups: u64,
    /// Number of look-ups of receive slots for which the network interface had to read memory.
    pub slot_misses: u64,
    /// Number of cache lines that the network interface fetched into its buffer because an arriving message covers only
    /// a part of the line.
    pub merges: u64,
    /// Number of loads that hit a line of a cache which a network interface had overwritten in memory since the line
    /// came in.
    pub stale_loads: u64,
    /// Number of cache lines that a network interface read from memory although a cache had newer contents.
    pub stale_sends: u64,
    /// Number of cache lines that a cache wrote back over newer data, which a network interface had put in memory.
    pub overwritten: u64,
    /// Number of packets that the network interface has put into the network; 0 on a machine whose interfaces have no
    /// staging buffers.
    pub packets: u64,
    /// Number of packets for which the network interface set up a path through the network, because they did not join
    /// the path of the packet before.
    pub fall_throughs: u64,
}

impl MemoryEvents {
    /// Returns the differences of all counts from `before`, an earlier reading.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            bus_transactions: self.bus_transactions - before.bus_transactions,
            bus_bytes: self.bus_bytes - before.bus_bytes,
            memory_reads: self.memory_reads - before.memory_reads,
            memory_writes: self.memory_writes - before.memory_writes,
            misses: self.misses - before.misses,
            cache_supplies: self.cache_supplies - before.cache_supplies,
            buffer_supplies: self.buffer_supplies - before.buffer_supplies,
            write_backs: self.write_backs - before.write_backs,
            evictions: self.evictions - before.evictions,
            kept_blocks: self.kept_blocks - before.kept_blocks,
            kept_lines: self.kept_lines - before.kept_lines,
            pushes: self.pushes - before.pushes,
            displaced: self.displaced - before.displaced,
            slot_lookups: self.slot_lookups - before.slot_lookups,
            slot_misses: self.slot_misses - before.slot_misses,
            merges: self.merges - before.merges,
            stale_loads: self.stale_loads - before.stale_loads,
            stale_sends: self.stale_sends - before.stale_sends,
            overwritten: self.overwritten - before.overwritten,
            packets: self.packets - before.packets,
            fall_throughs: self.fall_throughs - before.fall_throughs,
        }
    }
}
