//! A train: the bus requests of a fiber on its node, one after the other.
//!
//! The transactions of prices are one request: they are asked for together, and reserved one after the other. Each line of a block
//! is a request of its own, made when the line before is over, because it changes the states of the line in the caches. A request
//! tells at once when it is over, and is booked then: nothing that comes later changes it. Until then the fiber waits.
//!
//! This module must never know why a fiber makes a request, nor which request of which train comes next.

use std::ops::Range;

use tempest::Primitive;
use units::Time;

use super::Memory;
use super::at_work::AtWork;
use super::blocks::BlockWork;
use crate::processor::clock::Pending;

/// The requests of a fiber that are to come, at least one.
#[derive(Clone, Debug)]
pub(crate) enum Train {
    /// Transactions of prices.
    Plain(Pending),
    Lines(Box<Lines>),
}

/// A request that has been made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Made {
    /// It was the last request, and it is over at this time.
    Last(Time),
    /// The next one is made at this time.
    Next(Time),
}

/// The lines of a block that the interface fetches or purges.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    left: Range<u64>,
    work: (Primitive, &'static str),
    /// The processor's time before the first line; zero once that line is over.
    path: Time,
    /// The processor's time before each line.
    own: Time,
    /// The time of a line from memory on an idle bus, and of the processor before it.
    alone: Time,
}

impl Lines {
    #[inline(never)]
    fn make_next(&mut self, work: &mut AtWork<'_>) -> Made {
        let (line, now) = (self.left.start, work.now);
        let end = match self.work.0 == Primitive::FetchBlock {
            true => work.bus().fetch_line(line, now),
            false => work.bus().purge_line(line, now),
        };
        let before = self.path + self.own;
        work.book_block(self.work, before + (end - now), self.path + self.alone);
        (self.left.start, self.path) = (line + 1, Time::ZERO);
        if self.left.is_empty() { Made::Last(end) } else { Made::Next(end + self.own) }
    }
}

impl Train {
    /// The train of the lines of a block, and the time until its first request. The processor takes the time `own`
    /// before each line. The train reuses the room of a finished train, if there is one.
    pub(crate) fn of_lines(work: &BlockWork, own: Time, room: Option<Box<Lines>>) -> (Self, Time) {
        let (left, what) = (work.lines.clone(), (work.primitive, work.name));
        let lines = Lines { left, work: what, path: work.cost.path, own, alone: work.cost.line };
        let first = lines.path + own;
        let lines = match room {
            Some(mut room) => {
                *room = lines;
                room
            }
            None => Box::new(lines),
        };
        (Self::Lines(lines), first)
    }

    /// Makes the next request at the present time.
    #[inline(never)]
    pub(crate) fn make_next(&mut self, work: &mut AtWork<'_>) -> Made {
        match self {
            Self::Plain(pending) => Made::Last(work.make(*pending)),
            Self::Lines(lines) => lines.make_next(work),
        }
    }

    /// The earliest end of the train, whose next request is made at `at`: no other client uses the bus from then on.
    pub(crate) fn earliest_end(&self, memory: &Memory, at: Time) -> Time {
        match self {
            Self::Plain(pending) => at + pending.alone,
            Self::Lines(lines) => {
                let Lines { left, work: (primitive, _), own, .. } = &**lines;
                let fetches = *primitive == Primitive::FetchBlock;
                let least = memory.modelled().map_or(Time::ZERO, |system| system.least_time_of_line(fetches));
                at + least + (least + *own) * (left.end - left.start - 1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use hardware::memory::NodeMemory;
    use machine::{Cost, Primitives, Transaction, Transactions};
    use proptest::prelude::*;
    use units::Bytes;

    use super::*;
    use crate::measure::anatomy::Taken;
    use crate::memory::Memory;
    use crate::memory::testing::Bench;
    use crate::testing::{described, ns};

    fn pending(made: &[usize]) -> Pending {
        let one = |&kind: &usize| Transactions::one(Transaction::ALL[kind]);
        let made = made.iter().map(one).fold(Transactions::NONE, Transactions::and);
        let alone = NodeMemory::new(&described(), Bytes::new(32), 1).uncontended(made);
        Pending { made, alone, step: Some((0, Taken::MISS)) }
    }

    /// Makes a train that no event disturbs, from `now` on. Returns its end.
    fn drive(bench: &mut Bench, mut now: Time, mut train: Train) -> Time {
        loop {
            let earliest = train.earliest_end(&bench.memory, now);
            now = match train.make_next(&mut bench.at_work(0, now)) {
                Made::Next(at) => at,
                Made::Last(end) => {
                    assert!(end >= earliest, "a train is not sooner than alone");
                    return end;
                }
            };
            assert!(train.earliest_end(&bench.memory, now) >= earliest, "a train is not sooner than alone");
        }
    }

    /// Makes transactions that no event disturbs: at once where the bus is free.
    fn make(bench: &mut Bench, now: Time, left: Pending, at_once: bool) -> Time {
        if !at_once || !bench.at_work(0, now).finds_bus_free() {
            return drive(bench, now, Train::Plain(left));
        }
        bench.at_work(0, now).make_undisturbed(left.made, left.alone);
        now + left.alone
    }

    proptest! {
        #[test]
        fn transactions_that_nobody_disturbs_take_as_long_with_a_reservation_as_without(
            multiplexed in any::<bool>(),
            taken in proptest::collection::vec((0_u64..3, 0_u64..60), 0..5),
            trains in proptest::collection::vec((0_u64..40, proptest::collection::vec(0_usize..5, 1..6)), 1..6),
        ) {
            let mut taken = taken;
            taken.sort_by_key(|&(_, at)| at);
            let mut costs = described();
            costs.bus.multiplexed = multiplexed;
            let mut both = [false, true].map(|at_once| (Bench::new(Memory::described(&costs), Primitives::default()), at_once));
            let ends = both.each_mut().map(|(bench, at_once)| {
                // Another processor has lines on their way.
                for &(line, at) in &taken {
                    let system = bench.memory.system().expect("it is described");
                    system.load(1, line, ns(100 + at), true);
                }
                let mut now = ns(160);
                for (later, made) in &trains {
                    now = make(bench, now + ns(*later), pending(made), *at_once);
                }
                let system = bench.memory.modelled().expect("it is described");
                let bus = (system.counts(), system.bus_busy(), system.bus_busy_at(now));
                (now, bench.spent(0), bus)
            });
            prop_assert_eq!(&ends[0], &ends[1]);
        }
    }

    #[test]
    fn a_train_of_lines_takes_its_earliest_time_where_nobody_disturbs_it() {
        let mut costs = described();
        (costs.cache.coherent, costs.cache.supply, costs.bus.snoop) = (true, None, Some(ns(1)));
        for primitive in [Primitive::FetchBlock, Primitive::Purge] {
            let mut bench = Bench::new(Memory::described(&costs), Primitives::default());
            let line = bench
                .memory
                .modelled()
                .map(|system| system.least_time_of_line(primitive == Primitive::FetchBlock));
            let (name, cost) = ("work", Cost { path: ns(9), ..Cost::default() });
            let work = BlockWork { primitive, name, cost, lines: 4..7, own: Some(ns(5)) };
            let (train, first) = Train::of_lines(&work, ns(5), None);
            assert_eq!(first, ns(14));
            let end = drive(&mut bench, ns(100) + first, train);
            assert_eq!(Some(end - ns(100)), line.map(|line| ns(9) + (ns(5) + line) * 3), "{primitive:?}");
        }
    }
}
