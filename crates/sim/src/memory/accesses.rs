//! Accesses of threads to shared memory, and their waits until memory has all that was flushed.
//!
//! An access to shared memory that its tag allows is a load or store of the processor's cache. A hit takes the
//! instruction's issue, as in a program's own count of operations. Any other access waits for the node's bus. Without a
//! description of caches every access is a hit, except the access that ends a fault: its line comes from memory.
//!
//! # How far a thread runs ahead
//!
//! An access that needs the bus happens when engine time has come up to the processor's clock. So does a store, or an atomic
//! access, to a line that another processor or the device has wanted: no such line is hit by a store after it has been taken
//! away.
//!
//! Two kinds of access may happen earlier in engine time than on the processor's clock: a store to a line that no other
//! client has wanted yet, and a load that hits. They may be early by at most the lead of the node's
//! [`Memory`](super::Memory). The first client that takes the line of such a store waits until the store's time. A load
//! may hit a line that is taken away in between. The lead is the time of one transaction from cache to cache: a load
//! later than that would have had to fetch the other processor's store.
//!
//! This module must never know a protocol, nor the meaning of a program's words.

use hardware::memory::{Keep, NodeMemory};
use tempest::outcome::Stage;

use super::at_work::AtWork;
use crate::measure::anatomy::Taken;
use crate::processor::ledger::Bucket;

impl AtWork<'_> {
    /// Waits, from the present time on, until all lines that the processor has flushed are in memory.
    pub(crate) fn drain(&mut self) {
        let (now, processor) = (self.now, self.number());
        if let Some(system) = self.memory.system() {
            let done = system.sync(processor, now);
            self.core.spend(Bucket::Memory, done - now);
        }
    }

    /// Whether the thread is too far ahead of engine time for its next access: earlier events must happen first.
    pub(crate) fn is_far_ahead(&self, address: u64, store: bool) -> bool {
        let ahead = self.core.clock.ahead();
        if ahead > self.memory.lead {
            return true;
        }
        let private = |system: &NodeMemory| system.is_private(self.number(), system.line_of(address));
        store && !ahead.is_zero() && !self.memory.modelled().is_none_or(private)
    }

    /// Issues an access of the thread that has not faulted. Returns whether the line is in the cache in a state that allows the
    /// access. Where the machine does not describe caches, every line is.
    pub(crate) fn hits(&mut self, address: u64, store: bool) -> bool {
        self.anatomy.count_access();
        self.core.spend(Bucket::Compute, self.prices.access(self.core.list(), !store));
        let (processor, at) = (self.number(), self.core.clock.at(self.now));
        let Some(system) = self.memory.system() else { return true };
        let line = system.line_of(address);
        if !system.hits(processor, line, store, at) {
            return false;
        }
        if !store {
            let wait = system.first_level(processor, line);
            self.core.spend(Bucket::Memory, wait);
        }
        true
    }

    /// Waits, from the present time on, for the line of an access of the thread. The access has faulted before, or its line is
    /// not in the cache. `keep` says in which state the line may stay in the cache.
    pub(crate) fn miss(&mut self, address: u64, store: bool, faulted: bool, keep: Keep) {
        if faulted {
            self.anatomy.count_access();
        }
        let (now, processor, read) = (self.now, self.number(), self.memory.read);
        let time = self.memory.system().map_or(read, |system| {
            // The access may hit now: a handler may have run since the processor looked at its cache.
            system.access(processor, system.line_of(address), store, keep, now) - now
        });
        self.core.spend(Bucket::Memory, time);
        let (taken, name) =
            if faulted { (Taken::COMPLETE, Stage::COMPLETE) } else { (Taken::MISS, Stage::MISS) };
        self.anatomy.count_step(self.core.purpose().kind, taken, (name, 1), time);
    }

    /// The processor's number, by which the memory system knows its cache.
    fn number(&self) -> usize {
        self.core.number().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Memory;
    use crate::memory::testing::Bench;
    use crate::testing::{described, ns};
    use machine::Primitives;
    use tempest::Operations;

    #[test]
    fn without_caches_an_access_takes_its_issue_and_one_that_faulted_a_line_from_memory() {
        let mut bench = Bench::new(Memory::plain(ns(50)), Primitives::default());
        let issue = bench.time_of(Operations::NONE.loads(1));
        assert!(bench.at_work(0, ns(0)).hits(64, false));
        assert_eq!(bench.spent(0), (issue, ns(0), ns(0)));
        assert!(!bench.at_work(0, ns(0)).is_far_ahead(64, false));
        bench.at_work(0, ns(0)).miss(64, false, true, Keep::Any);
        assert_eq!(bench.spent(0), (issue + ns(50), ns(0), ns(50)));
        assert!(bench.at_work(0, ns(0)).is_far_ahead(64, false));
    }

    #[test]
    fn a_line_is_waited_for_once_and_kept_as_the_right_to_its_block_says() {
        for (keep, read, written) in
            [(Keep::Nothing, false, false), (Keep::Shared, true, false), (Keep::Any, true, true)]
        {
            let mut costs = described();
            (costs.cache.coherent, costs.cache.supply, costs.bus.snoop) = (true, Some(ns(2)), Some(ns(1)));
            let mut bench = Bench::new(Memory::described(&costs), Primitives::default());
            assert!(!bench.at_work(0, ns(0)).hits(64, false));
            bench.at_work(0, ns(0)).miss(64, false, false, keep);
            assert!(bench.spent(0).2 > ns(0));
            assert_eq!(bench.at_work(0, ns(500)).hits(64, false), read, "{keep:?}");
            assert_eq!(bench.at_work(0, ns(500)).hits(64, true), written, "{keep:?}");
        }
    }

    #[test]
    fn a_store_runs_ahead_on_a_line_that_nobody_else_wants_and_a_load_on_any() {
        let mut costs = described();
        (costs.cache.coherent, costs.cache.supply, costs.bus.snoop) = (true, Some(ns(2)), Some(ns(1)));
        let mut memory = Memory::described(&costs);
        memory.lead_by(ns(50));
        let mut bench = Bench::new(memory, Primitives::default());
        let is_far = |bench: &mut Bench, processor: usize, store, ahead: u64| {
            let core = &mut bench.cores[processor];
            core.clock.take_ahead();
            core.clock.advance(ns(ahead));
            bench.at_work(processor, ns(100)).is_far_ahead(64, store)
        };
        assert!(is_far(&mut bench, 0, true, 1), "the store needs the bus");
        bench.at_work(0, ns(100)).miss(64, true, false, Keep::Any);
        assert!(!is_far(&mut bench, 0, true, 1) && !is_far(&mut bench, 0, false, 1));
        // Another processor takes the line.
        bench.at_work(1, ns(200)).miss(64, true, false, Keep::Any);
        assert!(is_far(&mut bench, 1, true, 1) && !is_far(&mut bench, 1, true, 0));
        assert!(!is_far(&mut bench, 1, false, 1) && is_far(&mut bench, 1, false, 1000));
    }
}
