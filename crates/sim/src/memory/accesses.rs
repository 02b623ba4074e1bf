//! What program threads do to their node's memory, where the machine says what that is made of.
//!
//! Each instruction is an effect: devices and other processors use the same bus, so its processor's clock is settled
//! before it. Where the machine does not say, a touch is loads and stores that hit.
//!
//! Must never know what a program's words mean.

use tempest::{Access, MemoryEvents, Operations, Place, Work};

use crate::api::Edge;
use crate::cluster::Cluster;
use crate::link::cargo::WORD_BYTES;
use crate::processor::core::Bucket;

impl Edge {
    /// Touches words of this node's segments, one instruction after the other.
    pub(crate) fn touch_words(&self, place: Place, words: usize, access: Access) {
        let node = self.node();
        let found = self.state().nodes[node].waist.address(place, words);
        // Caught by the engine, like everything else that a program does wrong.
        let address = found.unwrap_or_else(|bad| panic!("{bad}"));
        let state = self.state();
        let Some(memory) = &state.nodes[node].memory.system else {
            drop(state);
            return self.state().charge_touch(self.core(), words, access);
        };
        let bytes = words as u64 * WORD_BYTES;
        let lines: Vec<u64> = match access {
            Access::Flush | Access::Purge => memory.lines(address, bytes).map(|(line, _)| line).collect(),
            _ => (0..words as u64).map(|word| memory.line_of(address + word * WORD_BYTES)).collect(),
        };
        drop(state);
        for line in lines {
            self.settle();
            self.state().instruction(self.core(), line, access);
        }
    }

    /// Waits until all that was flushed is in memory.
    pub(crate) fn drain_caches(&self) {
        self.settle();
        let (node, core) = (self.node(), self.core());
        let mut state = self.state();
        let (now, who) = (state.agenda.now, usize::from(state.cores[core].number));
        if let Some(memory) = &mut state.nodes[node].memory.system {
            let done = memory.sync(who, now);
            state.cores[core].spend(Bucket::Memory, done - now);
        }
    }

    /// What this node's memory system has counted by now.
    pub(crate) fn count_memory(&self) -> MemoryEvents {
        self.settle();
        let node = self.node();
        self.state().memory_events(node)
    }
}

impl Cluster {
    /// A touch where memory is not modelled: instructions that hit.
    fn charge_touch(&mut self, core: usize, words: usize, access: Access) {
        let words = u32::try_from(words).unwrap_or(u32::MAX);
        let work = match access {
            Access::Load | Access::LoadIgnored => Operations::NONE.loads(words),
            Access::Store => Operations::NONE.stores(words),
            Access::Flush | Access::Purge => Operations::NONE,
        };
        self.charge(core, Work::Compute(work));
    }

    /// One instruction of the thread on `core`, whose time is now: its issue, and what it waits for.
    fn instruction(&mut self, core: usize, line: u64, access: Access) {
        let issue = match access {
            Access::Load | Access::LoadIgnored => Operations::NONE.loads(1),
            Access::Store | Access::Flush | Access::Purge => Operations::NONE.stores(1),
        };
        self.charge(core, Work::Compute(issue));
        let (node, who) = (self.cores[core].node, usize::from(self.cores[core].number));
        let issued = self.agenda.now + self.cores[core].ahead;
        let Some(memory) = &mut self.nodes[node].memory.system else { return };
        let done = match access {
            Access::Load => memory.load(who, line, issued, true),
            Access::LoadIgnored => memory.load(who, line, issued, false),
            Access::Store => memory.store(who, line, issued),
            Access::Flush => memory.flush(who, line, issued),
            Access::Purge => memory.purge(who, line, issued),
        };
        self.cores[core].spend(Bucket::Memory, done.saturating_sub(issued));
    }

    /// Whether caches and interfaces of this machine keep each other up to date by themselves.
    pub(crate) fn is_coherent(&self) -> bool {
        self.setting.machine.node_memory.as_ref().is_none_or(|memory| memory.cache.coherent)
    }

    fn memory_events(&self, node: usize) -> MemoryEvents {
        let place = &self.nodes[node];
        let Some(memory) = &place.memory.system else { return MemoryEvents::default() };
        let counts = memory.counts();
        MemoryEvents {
            bus_transactions: counts.transactions,
            bus_bytes: counts.bus_bytes,
            memory_reads: counts.memory_reads,
            memory_writes: counts.memory_writes,
            misses: counts.misses,
            cache_supplies: counts.cache_supplies,
            buffer_supplies: counts.buffer_supplies,
            write_backs: counts.write_backs,
            evictions: counts.capacity_evictions + counts.conflict_evictions,
            kept_blocks: counts.kept_blocks,
            kept_lines: counts.kept_lines,
            merges: counts.merges,
            stale_loads: counts.stale_loads,
            stale_sends: counts.stale_sends,
            overwritten: counts.overwritten,
            packets: place.port.stager.packets,
            fall_throughs: place.port.stager.fall_throughs,
        }
    }
}
