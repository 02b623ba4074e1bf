//! Touches: runs of accesses to memory that a thread or handler reports by their addresses.
//!
//! Where the machine describes its caches, each access is an instruction at its own instant. Elsewhere a run is loads and stores
//! that hit, but for the first load of a line that an interface has put in memory.
//!
//! # Where a run goes by lines
//!
//! An access that needs the bus happens when engine time has come up to the processor's clock. Accesses that hit in one line are
//! made together where that makes no difference:
//!
//! * in memory of a thread's own, whose lines no other client of the bus asks for. Such accesses run ahead of engine time as far as
//!   the thread does. A handler that interrupts the thread meanwhile may take a line out of the cache that the thread has hit before
//!   in engine time, though not on its clock.
//! * elsewhere as long as nothing else happens on the node before the last of them is done, and ahead of engine time as far as
//!   [accesses to shared memory](super::accesses) are: loads, and stores to lines that no other client has wanted.
//!
//! # Why the last access is made at its own instant
//!
//! The bound of a node's turn, which other nodes have a part in, decides how many accesses elsewhere are made together. Engine time
//! after them must not depend on that: the processor may run ahead of engine time by the lead, and an event that it pushes has its
//! place among simultaneous ones by the engine time of the push. So the last access waits until engine time has come up to it.
//!
//! This module must never know the meaning of the elements.

use hardware::memory::{Hit, Hits};
use tempest::Access;
use tempest::world::{AddressRange, Touch};
use units::Time;

use super::Memory;
use super::at_work::AtWork;
use crate::processor::ledger::Bucket;

/// The instructions of a touch that are left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instructions {
    /// The address of the next one, and the bytes from each to the one behind it.
    at: u64,
    stride: u64,
    left: u64,
    access: Access,
}

impl Instructions {
    /// The instructions of a touch, where lines have `line` bytes: one for each element, or one for each line.
    #[inline]
    fn of(touch: &Touch, line: u64) -> Self {
        let &Touch { first, elements, stride, access, .. } = touch;
        match access {
            Access::Load | Access::LoadIgnored | Access::Store => {
                Self { at: first, stride, left: elements, access }
            }
            Access::Flush | Access::Purge => Self::of_lines(touch, line),
        }
    }

    /// A single instruction for each line of a touch.
    #[inline(never)]
    fn of_lines(touch: &Touch, line: u64) -> Self {
        let lines = touch.first / line..touch.end().div_ceil(line);
        Self { at: lines.start * line, stride: line, left: lines.end - lines.start, access: touch.access }
    }

    #[inline]
    pub(crate) fn are_over(&self) -> bool {
        self.left == 0
    }

    /// Whether only the thread that makes them accesses the memory.
    pub(crate) fn are_private(&self) -> bool {
        AddressRange::of(self.at) == AddressRange::Private
    }

    /// The number of instructions from the next one on that concern its line, which has `rest` bytes from there on.
    #[inline]
    fn within(&self, rest: u64) -> u64 {
        match (self.left, self.stride) {
            (1, _) => 1,
            (left, 0) => left,
            // A division takes the host as long as all the rest.
            (left, stride) if stride.is_power_of_two() => {
                left.min((rest + stride - 1) >> stride.trailing_zeros())
            }
            (left, stride) => left.min(rest.div_ceil(stride)),
        }
    }

    #[inline]
    fn advance(&mut self, count: u64) {
        self.at += self.stride * count;
        self.left -= count;
    }

    /// Whether each is a load.
    #[inline]
    fn load(&self) -> bool {
        matches!(self.access, Access::Load | Access::LoadIgnored)
    }

    /// The kind of access; `None` of instructions of lines.
    #[inline]
    fn kind(&self) -> Option<Hit> {
        kind(self.access)
    }
}

/// The kind of an access; `None` of an instruction of a line.
#[inline]
fn kind(access: Access) -> Option<Hit> {
    match access {
        Access::Load => Some(Hit::Used),
        Access::LoadIgnored => Some(Hit::Ignored),
        Access::Store => Some(Hit::Stored),
        Access::Flush | Access::Purge => None,
    }
}

/// Limits of a group of instructions of a touch that are made together.
#[derive(Clone, Copy)]
struct Passing {
    /// The number of instructions at the end that are left.
    keep: u64,
    /// Whether a line that another client has wanted ends them.
    alone: bool,
}

impl Memory {
    /// The instructions of a touch by a processor; `None` where the machine does not describe a cache of that processor.
    #[inline]
    pub(crate) fn instructions(&self, processor: u16, touch: &Touch) -> Option<Instructions> {
        let system = self.modelled().filter(|system| system.has_cache(processor.into()))?;
        Some(Instructions::of(touch, system.line()))
    }

    /// The number of lines from memory that a touch asks for, where the machine does not describe a cache of the
    /// processor. Lines that a processor inside a device stores leave the caches of the others.
    fn pass_beside_caches(&mut self, touch: &Touch) -> u64 {
        let (loads, stores) = match touch.access {
            Access::Load | Access::LoadIgnored => (true, false),
            Access::Store => (false, true),
            Access::Flush | Access::Purge => (false, false),
        };
        match self.system() {
            Some(system) if stores => {
                let lines = system.lines(touch.first, touch.end() - touch.first);
                lines.for_each(|(line, _)| system.overwrite(line));
                0
            }
            None if loads => self.arrived.take(touch.first, touch.end() - touch.first),
            _ => 0,
        }
    }
}

/// Charges a touch where the machine does not describe the processor's cache: instructions that hit, and lines that have come to
/// memory by the interface and that no processor has loaded since.
pub(crate) fn charge(work: &mut AtWork<'_>, touch: &Touch) {
    let issue = |load| work.prices.issue(work.core.list(), load);
    let issue = match touch.access {
        Access::Load | Access::LoadIgnored => issue(true),
        Access::Store => issue(false),
        Access::Flush | Access::Purge => Time::ZERO,
    };
    work.core.compute(if touch.elements == 1 { issue } else { issue * touch.elements });
    let arrived = work.memory.pass_beside_caches(touch);
    if arrived > 0 {
        work.core.spend(Bucket::Memory, work.memory.read * arrived);
    }
}

/// Makes an access from the processor's clock on, if it needs no bus and its lead on engine time is allowed. Returns
/// whether it has been made. A run of one access would do as much; this takes the host half as long.
#[inline]
pub(crate) fn makes_one(work: &mut AtWork<'_>, address: u64, access: Access) -> bool {
    let AtWork { now, core, memory, prices, .. } = work;
    let lead = memory.lead;
    let (processor, Some(system)) = (core.number().into(), memory.system()) else { return false };
    let Some(kind) = kind(access).filter(|_| system.has_cache(processor)) else { return false };
    let (line, issue) = (system.line_of(address), prices.issue(core.list(), kind != Hit::Stored));
    let private = AddressRange::of(address) == AddressRange::Private;
    if !private && kind == Hit::Stored && !system.is_private(processor, line) {
        return false;
    }
    let (begun, until) = (core.clock.at(*now), if private { Time::MAX } else { *now + lead });
    let Some(done) = system.hit(processor, line, Hits { kind, issue, count: 1 }, begun, until) else {
        return false;
    };
    core.compute(issue);
    let passed = done - begun;
    if passed > issue {
        core.spend(Bucket::Memory, passed - issue);
    }
    true
}

/// Charges an access where the machine describes no caches: an instruction that hits, and perhaps a line that has come to memory.
#[inline]
pub(crate) fn charge_one(work: &mut AtWork<'_>, address: u64, access: Access) {
    let Some(kind) = kind(access) else { return };
    let loads = kind != Hit::Stored;
    work.core.compute(work.prices.issue(work.core.list(), loads));
    // An element lies in one line, so that its first byte stands for all.
    if loads && work.memory.arrived.take(address, 1) > 0 {
        work.core.spend(Bucket::Memory, work.memory.read);
    }
}

impl Instructions {
    /// Makes instructions from the processor's clock on, line by line, as long as they need no bus and are done before
    /// `until`. In memory that others access, the last instruction is left: it is made at its own instant.
    #[inline]
    pub(crate) fn pass_hits(&mut self, work: &mut AtWork<'_>, until: Time) {
        let keep = u64::from(!self.are_private());
        self.pass(work, until, Passing { keep, alone: false });
    }

    /// Makes instructions from the processor's clock on, line by line, as long as they need no bus and may be made ahead of engine
    /// time.
    #[inline]
    pub(crate) fn pass_ahead(&mut self, work: &mut AtWork<'_>) {
        let alone = self.kind() == Some(Hit::Stored);
        self.pass(work, work.now + work.memory.lead, Passing { keep: 0, alone });
    }

    /// Makes instructions that need no bus and are done before `until`.
    #[inline]
    fn pass(&mut self, work: &mut AtWork<'_>, until: Time, Passing { keep, alone }: Passing) {
        let (Some(kind), core) = (self.kind(), &mut *work.core) else { return };
        let issue = work.prices.issue(core.list(), self.load());
        let (processor, begun) = (core.number().into(), core.clock.at(work.now));
        let Some(system) = work.memory.system() else { return };
        let (mut done, mut issued) = (begun, 0);
        while self.left > keep {
            let count = self.within(system.rest_of_line(self.at)).min(self.left - keep);
            let (line, hits) = (system.line_of(self.at), Hits { kind, issue, count });
            if alone && !system.is_private(processor, line) {
                break;
            }
            let Some(end) = system.hit(processor, line, hits, done, until) else { break };
            self.advance(count);
            (done, issued) = (end, issued + count);
        }
        if issued == 0 {
            return;
        }
        let (issued, passed) = (if issued == 1 { issue } else { issue * issued }, done - begun);
        core.compute(issued);
        if passed > issued {
            core.spend(Bucket::Memory, passed - issued);
        }
    }

    /// Makes the next instruction at the present time: its issue, and its wait for a line.
    pub(crate) fn make_next(&mut self, work: &mut AtWork<'_>) {
        work.core.compute(work.prices.issue(work.core.list(), self.load()));
        let (processor, issued) = (work.core.number().into(), work.core.clock.at(work.now));
        let Some(system) = work.memory.system() else { return };
        let line = system.line_of(self.at);
        let done = match self.access {
            Access::Load => system.load(processor, line, issued, true),
            Access::LoadIgnored => system.load(processor, line, issued, false),
            Access::Store => system.store(processor, line, issued),
            Access::Flush => system.flush(processor, line, issued),
            Access::Purge => system.purge(processor, line, issued),
        };
        self.advance(1);
        work.core.spend(Bucket::Memory, done.saturating_sub(issued));
    }
}

#[cfg(test)]
mod tests {
    use machine::Primitives;
    use proptest::prelude::*;
    use tempest::Operations;

    use super::*;
    use crate::memory::testing::Bench;
    use crate::testing::{described, ns};

    const LINE: u64 = 32;

    fn lines(touch: &Touch) -> Vec<u64> {
        let mut left = Instructions::of(touch, LINE);
        std::iter::from_fn(|| {
            let line = left.at / LINE;
            (!left.are_over()).then(|| left.advance(1)).map(|()| line)
        })
        .collect()
    }

    #[test]
    fn a_touch_is_one_instruction_an_element_and_a_flush_one_a_line() {
        // Words of 8 B from the middle of the first line of 32 B on.
        let touch = |access| Touch::dense(16, 4, 8, access);
        assert_eq!(lines(&touch(Access::Load)), [0, 0, 1, 1]);
        assert_eq!(lines(&touch(Access::Flush)), [0, 1]);
        assert_eq!(lines(&Touch { stride: 24, ..touch(Access::Store) }), [0, 1, 2, 2]);
        assert!(Memory::plain(ns(50)).instructions(0, &touch(Access::Load)).is_none());
    }

    #[test]
    fn without_caches_a_touch_is_operations_that_hit() {
        let mut bench = Bench::new(Memory::plain(ns(50)), Primitives::default());
        let loads = bench.time_of(Operations::NONE.loads(5));
        charge(&mut bench.at_work(0, ns(0)), &Touch::dense(16, 5, 4, Access::Load));
        assert_eq!(bench.spent(0), (loads, ns(0), ns(0)));
    }

    #[test]
    fn the_last_access_in_memory_that_others_access_is_left() {
        let left = |first| {
            let mut bench = Bench::new(Memory::described(&described()), Primitives::default());
            let touch = Touch::dense(first, 8, 8, Access::Load);
            make(&mut bench, &[touch], false);
            let mut left = bench.memory.instructions(0, &touch).expect("caches are described");
            left.pass_hits(&mut bench.at_work(0, ns(1_000_000)), Time::MAX);
            left.left
        };
        assert_eq!([left(0), left(AddressRange::Private.first())], [1, 0]);
    }

    #[test]
    fn without_caches_an_access_is_a_run_of_one() {
        let mut both =
            [false, true].map(|one| (Bench::new(Memory::plain(ns(50)), Primitives::default()), one));
        let spent = both.each_mut().map(|(bench, one)| {
            assert_eq!(bench.memory.put(16, 32, ns(0)), None);
            for access in [Access::Store, Access::Load, Access::LoadIgnored, Access::Flush, Access::Load] {
                let mut work = bench.at_work(0, ns(0));
                match one {
                    true => charge_one(&mut work, 40, access),
                    false => charge(&mut work, &Touch::dense(40, 1, 8, access)),
                }
            }
            bench.spent(0)
        });
        assert_eq!((spent[0], spent[0].2), (spent[1], ns(50)));
    }

    #[test]
    fn without_caches_what_has_arrived_is_loaded_from_memory_once() {
        let mut bench = Bench::new(Memory::plain(ns(50)), Primitives::default());
        assert_eq!(bench.memory.put(16, 32, ns(0)), None);
        for _ in 0..2 {
            charge(&mut bench.at_work(0, ns(0)), &Touch::dense(16, 4, 8, Access::Load));
            assert_eq!(bench.spent(0).2, ns(100), "two lines");
        }
    }

    #[test]
    fn what_a_device_stores_or_an_interface_brings_is_in_no_cache() {
        let mut costs = described();
        (costs.cache.coherent, costs.cache.supply, costs.bus.snoop) = (true, Some(ns(2)), Some(ns(1)));
        let mut bench = Bench::new(Memory::described(&costs), Primitives::default());
        let load = [Touch::dense(64, 1, 8, Access::Load)];
        let misses = |bench: &mut Bench| {
            make(bench, &load, false);
            bench.memory.modelled().expect("it is described").counts().misses
        };
        assert_eq!([misses(&mut bench), misses(&mut bench)], [1, 1]);
        // Two processors have caches; the third is inside the device.
        assert!(bench.memory.instructions(2, &load[0]).is_none());
        bench.memory.pass_beside_caches(&Touch { access: Access::Store, ..load[0] });
        assert_eq!([misses(&mut bench), misses(&mut bench)], [2, 2]);
        assert!(
            bench.memory.put(0, 128, ns(0)).is_some(),
            "the device writes four lines, one after the other"
        );
        assert_eq!(misses(&mut bench), 3);
    }

    /// Makes all instructions of touches, as soon as possible by lines if `by_lines`. Returns the end of each touch.
    fn make(bench: &mut Bench, touches: &[Touch], by_lines: bool) -> Vec<Time> {
        let mut now = ns(0);
        let mut end = |touch: &Touch| {
            let mut left = bench.memory.instructions(0, touch).expect("caches are described");
            while !left.are_over() {
                if by_lines {
                    left.pass_hits(&mut bench.at_work(0, now), Time::MAX);
                    now += bench.cores[0].clock.take_ahead();
                }
                if !left.are_over() {
                    left.make_next(&mut bench.at_work(0, now));
                    now += bench.cores[0].clock.take_ahead();
                }
            }
            now
        };
        touches.iter().map(&mut end).collect()
    }

    #[test]
    fn two_counters_of_four_bytes_in_one_line_go_from_cache_to_cache() {
        let transactions = |apart: u64| {
            let mut costs = described();
            (costs.cache.coherent, costs.cache.supply, costs.bus.snoop) = (true, Some(ns(2)), Some(ns(1)));
            let mut bench = Bench::new(Memory::described(&costs), Primitives::default());
            let mut now = ns(0);
            for turn in 0..20 {
                for processor in 0..2 {
                    for access in [Access::Load, Access::Store] {
                        let counter = Touch::dense(256 + processor as u64 * apart, 1, 4, access);
                        let mut left = bench.memory.instructions(0, &counter).expect("caches are described");
                        left.make_next(&mut bench.at_work(processor, now));
                        now += bench.cores[processor].clock.take_ahead() + ns(turn);
                    }
                }
            }
            bench.memory.modelled().expect("it is described").counts().transactions
        };
        // Each processor fetches the line and raises its right, each time.
        assert_eq!(transactions(4), 79);
        assert_eq!(transactions(LINE), 2);
    }

    fn any_touch() -> impl Strategy<Value = Touch> {
        let kinds = prop_oneof![Just(Access::Load), Just(Access::LoadIgnored), Just(Access::Store)];
        let size = (0_u32..4).prop_map(|bits| 1_u64 << bits);
        (0_u64..300, 1_u64..40, size, 0_u64..9, kinds).prop_map(|(at, elements, bytes, step, access)| Touch {
            first: at * bytes,
            elements,
            bytes,
            stride: step * bytes,
            access,
        })
    }

    /// Makes single accesses, one after the other: at once where they need no bus, if `at_once`. Returns the end of each.
    fn make_each(bench: &mut Bench, all: &[Touch], at_once: bool) -> Vec<Time> {
        let mut now = ns(0);
        let mut end = |touch: &Touch| {
            if !at_once || !makes_one(&mut bench.at_work(0, now), touch.first, touch.access) {
                let mut left = bench.memory.instructions(0, touch).expect("caches are described");
                left.make_next(&mut bench.at_work(0, now));
            }
            now += bench.cores[0].clock.take_ahead();
            now
        };
        all.iter().map(&mut end).collect()
    }

    proptest! {
        #[test]
        fn an_access_at_once_is_the_instruction(
            coherent in any::<bool>(), ways in 1_usize..3, private in any::<bool>(), first in any::<bool>(),
            touches in proptest::collection::vec(any_touch(), 1..60),
        ) {
            let mut costs = described();
            (costs.cache.ways, costs.cache.coherent) = (ways, coherent);
            if coherent {
                (costs.cache.supply, costs.bus.snoop) = (Some(ns(2)), Some(ns(1)));
            }
            let size = units::Bytes::new(128);
            costs.cache.first = first.then_some(machine::FirstLevel { size, ways: 1, wait: ns(3) });
            let from = if private { AddressRange::Private.first() } else { 0 };
            let all: Vec<_> = touches.iter().map(|touch| Touch { first: from + touch.first, elements: 1, ..*touch }).collect();
            let mut both = [false, true].map(|at_once| (Bench::new(Memory::described(&costs), Primitives::default()), at_once));
            let ends = both.each_mut().map(|(bench, at_once)| {
                bench.memory.lead_by(ns(1000));
                let ends = make_each(bench, &all, *at_once);
                (ends, bench.spent(0), bench.memory.modelled().expect("it is described").counts())
            });
            prop_assert_eq!(&ends[0], &ends[1]);
        }

        #[test]
        fn a_run_by_lines_is_its_accesses_one_by_one(
            coherent in any::<bool>(), ways in 1_usize..3, misses in 1_usize..3, first in any::<bool>(),
            touches in proptest::collection::vec(any_touch(), 1..20),
        ) {
            let mut costs = described();
            (costs.cache.ways, costs.cache.misses, costs.cache.coherent) = (ways, misses, coherent);
            if coherent {
                (costs.cache.supply, costs.bus.snoop) = (Some(ns(2)), Some(ns(1)));
            }
            let size = units::Bytes::new(128);
            costs.cache.first = first.then_some(machine::FirstLevel { size, ways: 1, wait: ns(3) });
            let mut both = [false, true].map(|by_lines| (Bench::new(Memory::described(&costs), Primitives::default()), by_lines));
            let ends = both.each_mut().map(|(bench, by_lines)| {
                let ends = make(bench, &touches, *by_lines);
                (ends, bench.spent(0), bench.memory.modelled().expect("it is described").counts())
            });
            prop_assert_eq!(&ends[0], &ends[1]);
        }

        #[test]
        fn no_access_passes_that_is_not_done_in_time(
            touches in proptest::collection::vec(any_touch(), 1..20), until in 1_u64..400,
        ) {
            let mut bench = Bench::new(Memory::described(&described()), Primitives::default());
            make(&mut bench, &touches, false);
            for touch in &touches {
                let mut left = bench.memory.instructions(0, touch).expect("caches are described");
                left.pass_hits(&mut bench.at_work(0, ns(1_000_000)), ns(1_000_000 + until));
                prop_assert!(bench.cores[0].clock.take_ahead() < ns(until));
            }
        }
    }
}
