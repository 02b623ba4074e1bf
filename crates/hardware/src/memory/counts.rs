//! The counts of a node's memory system. This module must never know a time.

/// Counts since the run began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of transactions on the bus, which equals the number of address phases.
    pub transactions: u64,
    /// The bytes in data phases on the bus.
    pub bus_bytes: u64,
    /// The number of lines read from memory.
    pub memory_reads: u64,
    /// The number of lines written to memory.
    pub memory_writes: u64,
    /// The number of loads and stores that missed their processor's cache.
    pub misses: u64,
    /// The number of lines that a cache supplied.
    pub cache_supplies: u64,
    /// The number of lines that the staging buffer supplied and gave up.
    pub buffer_supplies: u64,
    /// The number of lines that caches wrote back.
    pub write_backs: u64,
    /// The number of lines that the staging buffer wrote back because a packet found no free block.
    pub capacity_evictions: u64,
    /// The number of lines that the staging buffer wrote back because a block needed their tag.
    pub conflict_evictions: u64,
    /// The number of blocks of the staging buffer that messages have filled, wholly or in part.
    pub kept_blocks: u64,
    /// The number of lines in those blocks.
    pub kept_lines: u64,
    /// The number of lines that the interface has put into a processor's cache.
    pub pushes: u64,
    /// The number of lines that left a processor's cache for pushed lines.
    pub displaced: u64,
    /// The number of look-ups of slots by the engine of the interface.
    pub slot_lookups: u64,
    /// The number of slots that had to come from memory.
    pub slot_misses: u64,
    /// The number of lines fetched because an arriving message covers only a part of them.
    pub merges: u64,
    /// The number of loads that hit a line which a device had overwritten in memory since, in caches that do not snoop.
    pub stale_loads: u64,
    /// The number of lines that a device read from memory although a cache that does not snoop had newer words.
    pub stale_sends: u64,
    /// The number of lines that non-snooping caches wrote back over newer data that a device had put in memory.
    pub overwritten: u64,
}
