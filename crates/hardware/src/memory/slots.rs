//! The cache of an interface's protocol engine for receive slots, whose table lies in memory. A slot fills a line.
//!
//! A slot has the state of its window, which the engine changes with each packet. So a slot comes with the right to store to it, and is
//! written back when another takes its place. No processor uses the table during a run.
//!
//! This module must never know which words a slot is for.

use units::Time;

use super::moesi::{Request, State};
use super::node::NodeMemory;

impl NodeMemory {
    /// The number of slots that the engine has at hand at most; 0 where it needs no cache.
    pub fn slots_at_hand(&self) -> usize {
        self.costs.staging.as_ref().and_then(|staging| staging.slots).unwrap_or(0)
    }

    /// Has the engine look a slot up, by its line, from `now` on. Returns the time at which the slot is at hand: at once where the
    /// engine's cache has it, otherwise when its line has come over the bus.
    pub fn look_up_slot(&mut self, line: u64, now: Time) -> Time {
        let Some(slots) = &mut self.slots else { return now };
        self.counts.slot_lookups += 1;
        let found = slots.access(line);
        if found.state != State::Invalid {
            return now.max(found.there);
        }
        self.bus.forget(now);
        self.counts.slot_misses += 1;
        let there = self.fetch(None, self.sets.spot(line), now, Request::ReadOwned).end;
        let slots = self.slots.as_mut();
        if let Some(victim) = slots.and_then(|slots| slots.insert(line, State::Modified, false, there)) {
            let open = self.banks.open(victim.line).max(there);
            self.write(victim.line, there, open);
        }
        there
    }

    /// Puts a slot into the engine's cache, as it was made before the first instant. The slot that it replaces is in memory.
    pub fn open_slot_before(&mut self, line: u64) {
        if let Some(slots) = &mut self.slots {
            slots.insert(line, State::Modified, false, Time::ZERO);
        }
    }
}

#[cfg(test)]
mod tests {
    use units::Bytes;

    use crate::memory::NodeMemory;
    use crate::memory::tests::{costs, cycles, staging};

    /// A memory system whose engine has room for two slots.
    fn memory() -> NodeMemory {
        let staging = machine::Staging { slots: Some(2), ..staging() };
        NodeMemory::new(&machine::NodeMemory { staging: Some(staging), ..costs(true) }, Bytes::new(32), 1)
    }

    #[test]
    fn a_slot_comes_from_memory_once_and_the_one_used_longest_ago_leaves() {
        let mut memory = memory();
        memory.open_slot_before(100);
        let mut at = cycles(0);
        let mut look_up = |line| {
            at += cycles(1000);
            memory.look_up_slot(line, at) - at
        };
        // Arbitration 2, address 1, snoop 3, memory 21, data 4.
        let (hit, miss) = (cycles(0), cycles(31));
        assert_eq!([100, 102, 100, 102].map(&mut look_up), [hit, miss, hit, hit]);
        assert_eq!([104, 102].map(&mut look_up), [miss, hit], "slot 100 has left");
        // The first read after a write-back turns memory round: 10 more.
        assert_eq!(look_up(100), miss + cycles(10));
        let counts = memory.counts();
        assert_eq!((counts.slot_lookups, counts.slot_misses), (7, 3));
        assert_eq!(
            (counts.memory_reads, counts.memory_writes),
            (3, 2),
            "a slot that leaves has been changed"
        );
    }

    #[test]
    fn an_engine_without_a_cache_has_every_slot_at_hand() {
        let mut memory = NodeMemory::new(&costs(true), Bytes::new(32), 1);
        assert_eq!(memory.look_up_slot(7, cycles(5)), cycles(5));
        assert_eq!(memory.counts().slot_lookups, 0);
    }
}
