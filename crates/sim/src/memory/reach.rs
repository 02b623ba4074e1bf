//! What handlers keep: entries of tables, and the data of a dispatch routine. Each line of it that a handler, or a thread that
//! holds a key, uses is in the cache of its processor, with the right to store to it.
//!
//! The instructions that read and write an entry are part of the prices of primitives, and of the operations that a program
//! counts. So a line that is in the cache takes no time of its own. A line that is not is waited for: it comes from memory, or
//! from the processor that used the line last.
//!
//! This module must never know what a line holds.

use std::ops::Range;

use hardware::memory::{Keep, NodeMemory};
use tempest::Stage;
use units::Time;

use super::at_work::AtWork;
use crate::measure::anatomy::Taken;
use crate::processor::ledger::Bucket;

/// The lines of what handlers keep; `None` if the processor has no cache, or the machine describes none.
pub(crate) fn lines(work: &AtWork<'_>, first: u64, bytes: u64) -> Option<Range<u64>> {
    work.memory.lines_of(work.core.number().into(), first, bytes)
}

/// Whether so much may happen before the processor's clock that the use of a line has to wait for engine time.
pub(crate) fn is_far_ahead(work: &AtWork<'_>, line: u64) -> bool {
    let ahead = work.core.clock.ahead();
    let is_private = |system: &NodeMemory| system.is_private(work.core.number().into(), line);
    ahead > work.memory.lead || !ahead.is_zero() && !work.memory.modelled().is_some_and(is_private)
}

/// Uses a line, if the processor's cache has it alone. Returns whether that is so.
pub(crate) fn uses_at_once(work: &mut AtWork<'_>, line: u64) -> bool {
    let (processor, at) = (work.core.number().into(), work.core.clock.at(work.now));
    work.bus().hits(processor, line, true, at)
}

/// Waits, from the present time on, for a line that the processor's cache does not have alone. Returns the time that it takes on an
/// idle bus, for which the processor is busy, as with any step of a handler.
pub(crate) fn fetch(work: &mut AtWork<'_>, line: u64) -> Time {
    let (processor, now) = (work.core.number().into(), work.now);
    // The line may be there now: a handler may have run since the processor looked at its cache.
    let time = work.bus().access(processor, line, true, Keep::Any, now) - now;
    let alone = time.min(work.memory.alone.fetch);
    work.core.spend(Bucket::Overhead, alone);
    work.core.spend(Bucket::Memory, time - alone);
    work.anatomy.count_step(work.core.purpose().kind, Taken::State, (Stage::STATE, 1), time);
    alone
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Memory;
    use crate::memory::testing::Bench;
    use crate::testing::{described, ns};
    use machine::Primitives;

    /// Caches that snoop.
    fn snooping() -> machine::NodeMemory {
        let mut costs = described();
        (costs.cache.coherent, costs.cache.supply, costs.bus.snoop) = (true, Some(ns(2)), Some(ns(1)));
        costs
    }

    #[test]
    fn an_entry_is_waited_for_by_the_processor_that_did_not_use_it_last() {
        let mut bench = Bench::new(Memory::described(&snooping()), Primitives::default());
        let lines = lines(&bench.at_work(0, ns(0)), 60, 8).expect("the processor has a cache");
        assert_eq!(lines, 1..3, "an entry may lie across two lines");
        let mut uses = |processor, at| {
            let mut work = bench.at_work(processor, ns(at));
            let there = uses_at_once(&mut work, 1);
            if !there {
                fetch(&mut work, 1);
            }
            there
        };
        assert_eq!(
            [(0, 100), (0, 200), (1, 300), (1, 400), (0, 500)].map(|(who, at)| uses(who, at)),
            [false, true, false, true, false]
        );
        let (ahead, overhead, memory) = bench.spent(0);
        assert!(ahead == overhead + memory && overhead > ns(0));
    }

    #[test]
    fn a_processor_without_a_cache_waits_for_no_entry() {
        let bench = || Bench::new(Memory::plain(ns(50)), Primitives::default());
        assert_eq!(lines(&bench().at_work(0, ns(0)), 64, 8), None);
    }
}
