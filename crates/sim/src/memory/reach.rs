//! Data of handlers: entries of tables, and the data of a dispatch routine. A handler, or a thread that holds a key,
//! uses each line of it in the cache of its processor, with the right to store to it.
//!
//! The instructions that read and write an entry are part of the prices of primitives, and of the operations that a program
//! counts. So a line that is in the cache takes no time of its own. A line that is not is waited for: it comes from memory, or
//! from the processor that used the line last.
//!
//! This module must never know the content of a line.

use std::ops::Range;

use hardware::memory::Keep;
use tempest::outcome::Stage;
use units::Time;

use super::at_work::AtWork;
use crate::measure::anatomy::Taken;
use crate::processor::ledger::Bucket;

/// The lines of such data; `None` if the processor has no cache, or the machine describes none.
pub(crate) fn lines(work: &AtWork<'_>, first: u64, bytes: u64) -> Option<Range<u64>> {
    work.memory.lines_of(work.core.number().into(), first, bytes)
}

/// A use of a line before engine time has come to the processor's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Use {
    /// The line is used.
    Made,
    /// The processor's cache does not have the line alone.
    Misses,
    /// The processor's clock is too far ahead: the use has to wait for engine time.
    Waits,
}

/// Uses a line, if the processor's cache has it alone and no event can come before.
#[inline]
pub(crate) fn uses(work: &mut AtWork<'_>, line: u64) -> Use {
    let ahead = work.core.clock.ahead();
    if ahead.is_zero() {
        return if uses_at_once(work, line) { Use::Made } else { Use::Misses };
    }
    let (processor, at) = (work.core.number().into(), work.core.clock.at(work.now));
    let is_made = ahead <= work.memory.lead && work.bus().stores_private(processor, line, at);
    if is_made { Use::Made } else { Use::Waits }
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
    work.anatomy.count_step(work.core.purpose().kind, Taken::STATE, (Stage::STATE, 1), time);
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
    fn an_entry_that_another_processor_has_wanted_is_used_at_its_instant() {
        let mut memory = Memory::described(&snooping());
        memory.lead_by(ns(50));
        let mut bench = Bench::new(memory, Primitives::default());
        fetch(&mut bench.at_work(0, ns(100)), 1);
        let mut use_ahead = |processor: usize, ahead| {
            bench.cores[processor].clock.take_ahead();
            bench.cores[processor].clock.advance(ns(ahead));
            uses(&mut bench.at_work(processor, ns(1000)), 1)
        };
        assert_eq!([0, 50, 51].map(|ahead| use_ahead(0, ahead)), [Use::Made, Use::Made, Use::Waits]);
        assert_eq!([0, 1].map(|ahead| use_ahead(1, ahead)), [Use::Misses, Use::Waits]);
        fetch(&mut bench.at_work(1, ns(2000)), 1);
        let mut use_ahead = |ahead| {
            bench.cores[1].clock.take_ahead();
            bench.cores[1].clock.advance(ns(ahead));
            uses(&mut bench.at_work(1, ns(3000)), 1)
        };
        assert_eq!([0, 1].map(&mut use_ahead), [Use::Made, Use::Waits]);
    }

    #[test]
    fn a_processor_without_a_cache_waits_for_no_entry() {
        let bench = || Bench::new(Memory::plain(ns(50)), Primitives::default());
        assert_eq!(lines(&bench().at_work(0, ns(0)), 64, 8), None);
    }
}
