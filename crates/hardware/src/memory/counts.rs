//! What the memory system of a node counts. Knows no time.

/// Counts since the run began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Transactions on the bus: address phases.
    pub transactions: u64,
    /// Bytes in data phases on the bus.
    pub bus_bytes: u64,
    /// Lines read from memory.
    pub memory_reads: u64,
    /// Lines written to memory.
    pub memory_writes: u64,
    /// Loads and stores of processors that missed their cache.
    pub misses: u64,
    /// Lines that a cache supplied.
    pub cache_supplies: u64,
    /// Lines that the staging buffer supplied, and gave up.
    pub buffer_supplies: u64,
    /// Lines that caches wrote back.
    pub write_backs: u64,
    /// Lines that the staging buffer wrote back because a block had no room.
    pub capacity_evictions: u64,
    /// Lines that the staging buffer wrote back because a block needed their tag.
    pub conflict_evictions: u64,
    /// Blocks that messages have filled in the staging buffer, wholly or in part.
    pub kept_blocks: u64,
    /// Lines in them.
    pub kept_lines: u64,
    /// Lines fetched because an arriving message covers only a part of them.
    pub merges: u64,
    /// Loads that hit a line which a device has overwritten in memory since: caches that do not snoop.
    pub stale_loads: u64,
    /// Lines that a device read from memory although a cache had newer ones: caches that do not snoop.
    pub stale_sends: u64,
    /// Lines written back over what a device had put in memory since they were cached: caches that do not snoop.
    pub overwritten: u64,
}
