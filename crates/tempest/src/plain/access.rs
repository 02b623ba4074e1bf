//! Touching memory: the accesses that a program reports to words of its own node's segments, and the counts of a
//! modelled memory system.
//!
//! Most work is counted in operations, including loads and stores that hit. A program that studies the memory system
//! itself reports which words it touches and how. Natively a report costs and does nothing. The data are the
//! program's own: a touch moves none, and a model decides its effect on a cache. A world is told of a touch as a run
//! of accesses by their [addresses](crate::world::AddressRange). This module must never know a memory system.

/// The kind of access to words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// Each word is loaded, and the next instruction uses it.
    Load,
    /// Each word is loaded, and nothing waits for it.
    LoadIgnored,
    /// Each word is stored.
    Store,
    /// The lines that hold the words leave the cache, to memory if they are dirty: one instruction for each line.
    Flush,
    /// The lines that hold the words leave the cache, even if they are dirty: one instruction for each line.
    Purge,
}

/// A run of accesses by one thread or handler, one after the other, to elements of its node's memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touch {
    /// The modelled address of the first element, a multiple of its size.
    pub first: u64,
    /// The number of elements.
    pub elements: u64,
    /// The size of an element: 1, 2, 4 or 8 bytes.
    pub bytes: u64,
    /// The number of bytes from the beginning of an element to that of the next, a multiple of the size of an element.
    pub stride: u64,
    /// The kind of access. [`Access::Flush`] and [`Access::Purge`] are instructions of lines: those from the first element up to
    /// the last.
    pub access: Access,
}

impl Touch {
    /// A run of accesses to elements that follow each other without a gap.
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

/// The counters of a node's memory system and interface since the run began; all zero in a world that does
/// not count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MemoryEvents {
    /// Transactions on the node's bus.
    pub bus_transactions: u64,
    /// Bytes of data on the node's bus.
    pub bus_bytes: u64,
    /// Lines read from memory.
    pub memory_reads: u64,
    /// Lines written to memory.
    pub memory_writes: u64,
    /// Loads and stores that missed.
    pub misses: u64,
    /// Lines supplied by another cache.
    pub cache_supplies: u64,
    /// Lines supplied by the interface's buffer.
    pub buffer_supplies: u64,
    /// Lines that caches wrote back.
    pub write_backs: u64,
    /// Lines that the interface's buffer wrote to memory for want of room or of a tag.
    pub evictions: u64,
    /// Blocks of the interface's buffer that messages have filled, wholly or in part.
    pub kept_blocks: u64,
    /// Lines in the blocks of the interface's buffer that messages have filled.
    pub kept_lines: u64,
    /// Lines that the interface has put into a processor's cache.
    pub pushes: u64,
    /// Lines that such pushes displaced from a processor's cache.
    pub displaced: u64,
    /// Look-ups of receive slots by the interface's protocol engine.
    pub slot_lookups: u64,
    /// Look-ups of receive slots that had to come from memory.
    pub slot_misses: u64,
    /// Lines fetched because a message covers only a part of them.
    pub merges: u64,
    /// Loads that hit a line which an interface has since overwritten in memory.
    pub stale_loads: u64,
    /// Lines that an interface read from memory although a cache had newer ones.
    pub stale_sends: u64,
    /// Lines written back over data that an interface had since put in memory.
    pub overwritten: u64,
    /// Packets sent.
    pub packets: u64,
    /// Packets that paid for a way through the network, because they joined no packet before them.
    pub fall_throughs: u64,
}

impl MemoryEvents {
    /// The counts since `before`.
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
