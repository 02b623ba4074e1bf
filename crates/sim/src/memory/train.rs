//! A train: the requests that a fiber makes on the bus of its node one after the other.
//!
//! A request and its answer each use the bus at their own instant, so the bus is granted in the order of time. What happens at
//! one instant is a step: the fiber asks, or takes an answer, or books a request that is over and asks for the next at once. A
//! step touches the node's memory system, and the clock, the ledger and the account of costs of the fiber's processor. Nothing
//! else sees it. Transactions that no other client can disturb need no steps: they take their time on an idle bus.
//!
//! This module must never know why a fiber makes a request, nor which step of which train comes next.

use std::ops::Range;

use hardware::memory::{Answer, NodeMemory};
use tempest::Primitive;
use units::Time;

use super::Memory;
use super::at_work::AtWork;
use super::blocks::BlockWork;
use crate::processor::clock::Pending;
use crate::processor::ledger::Bucket;

/// The requests of a fiber, and the step that comes next.
#[derive(Clone, Debug)]
pub(crate) struct Train {
    requests: Requests,
    next: Next,
    /// The time that the present request takes up to the next step.
    took: Time,
}

/// The requests that are not over. The first of them is the present one.
#[derive(Clone, Debug)]
enum Requests {
    /// Transactions of prices.
    Plain(Pending),
    Lines(Box<Lines>),
}

/// The lines of a block that the interface fetches or purges.
#[derive(Clone, Debug)]
struct Lines {
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
    fn ask(&self, bus: &mut NodeMemory, now: Time) -> Answer {
        let line = self.left.start;
        if self.work.0 == Primitive::FetchBlock {
            bus.fetch_line(line, now)
        } else {
            bus.purge_line(line, now)
        }
    }

    #[inline(never)]
    fn book(&mut self, work: &mut AtWork<'_>, took: Time) -> Option<Time> {
        let before = self.path + self.own;
        work.book_block(self.work, before + took, self.path + self.alone);
        (self.left.start, self.path) = (self.left.start + 1, Time::ZERO);
        (!self.left.is_empty()).then_some(self.own)
    }
}

/// The next step of a train.
#[derive(Clone, Copy, Debug)]
enum Next {
    /// The processor makes the present request.
    Ask,
    /// It takes the answer.
    Take(Answer),
    /// It books the request, whose answer has come, and makes the next one if no time lies between.
    Book,
}

impl Train {
    /// The train of the transactions that a fiber has put on its processor's clock. There is one at least.
    #[inline]
    pub(crate) fn of_transactions(pending: Pending) -> Self {
        Self { requests: Requests::Plain(pending), next: Next::Ask, took: Time::ZERO }
    }

    /// The train of the lines of a block, and the time until its first step. The processor takes the time `own` before each line.
    pub(crate) fn of_lines(work: &BlockWork, own: Time) -> (Self, Time) {
        let (left, what) = (work.lines.clone(), (work.primitive, work.name));
        let lines = Lines { left, work: what, path: work.cost.path, own, alone: work.cost.line };
        let first = lines.path + own;
        (Self { requests: Requests::Lines(lines.into()), next: Next::Ask, took: Time::ZERO }, first)
    }

    /// Takes the next step at the present time. Returns the time of the step that follows; `None` if the train is over.
    #[inline(always)]
    pub(crate) fn step(&mut self, work: &mut AtWork<'_>) -> Option<Time> {
        let now = work.now;
        match self.next {
            Next::Ask => {}
            Next::Take(answer) => {
                let end = work.bus().take(answer, now);
                self.took += end - now;
                self.next = Next::Book;
                return Some(end);
            }
            Next::Book => {
                let until = self.requests.book(work, self.took)?;
                if !until.is_zero() {
                    self.next = Next::Ask;
                    return Some(now + until);
                }
            }
        }
        let answer = self.requests.ask(work.bus(), now);
        self.took = answer.ready - now;
        self.next = if answer.is_empty() { Next::Book } else { Next::Take(answer) };
        Some(answer.ready)
    }

    /// The earliest end of the train, whose next step comes at `at`: no other client uses the bus from then on.
    pub(crate) fn earliest_end(&self, memory: &Memory, at: Time) -> Time {
        let (present, later) = self.requests.least_times(memory);
        let rest = match self.next {
            Next::Ask => present,
            Next::Take(answer) => memory.modelled().map_or(Time::ZERO, |system| system.time_to_take(answer)),
            Next::Book => Time::ZERO,
        };
        at + rest + later
    }
}

impl Requests {
    /// Makes the present request.
    #[inline]
    fn ask(&self, bus: &mut NodeMemory, now: Time) -> Answer {
        match self {
            Self::Plain(left) => bus.make(left.made.first().expect("the train is not over"), now),
            Self::Lines(lines) => lines.ask(bus, now),
        }
    }

    /// Books the present request, which took the time `took`, and goes on to the next one. Returns the time until that; `None`
    /// if there is none.
    #[inline]
    fn book(&mut self, work: &mut AtWork<'_>, took: Time) -> Option<Time> {
        match self {
            Self::Plain(left) => {
                let alone = work.memory.time_alone(left.made.take_first()?);
                left.alone -= alone;
                // Other clients may use the bus.
                let wait = took.saturating_sub(alone);
                work.core.ledger.book(Bucket::Overhead, took - wait);
                if !wait.is_zero() {
                    work.book_wait(wait, left.step);
                }
                (!left.made.is_empty()).then_some(Time::ZERO)
            }
            Self::Lines(lines) => lines.book(work, took),
        }
    }

    /// The least times that the present request takes, and all later ones.
    fn least_times(&self, memory: &Memory) -> (Time, Time) {
        match self {
            Self::Plain(left) => {
                let present = left.made.first().map_or(Time::ZERO, |first| memory.time_alone(first));
                (present, left.alone - present)
            }
            Self::Lines(lines) => {
                let Lines { left, work: (primitive, _), own, .. } = &**lines;
                let fetches = *primitive == Primitive::FetchBlock;
                let least = memory.modelled().map_or(Time::ZERO, |system| system.least_time_of_line(fetches));
                (least, (least + *own) * (left.end - left.start - 1))
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
        Pending { made, alone, step: Some((0, Taken::Miss)) }
    }

    /// Makes a train that no event disturbs, from `now` on. Returns its end.
    fn drive(bench: &mut Bench, mut now: Time, mut train: Train) -> Time {
        loop {
            let earliest = train.earliest_end(&bench.memory, now);
            let Some(next) = train.step(&mut bench.at_work(0, now)) else {
                assert_eq!(earliest, now, "the last step ends the train");
                return now;
            };
            assert!(train.earliest_end(&bench.memory, next) >= earliest, "a train is not sooner than alone");
            now = next;
        }
    }

    /// Makes transactions that no event disturbs: at once where the bus is free.
    fn make(bench: &mut Bench, now: Time, left: Pending, at_once: bool) -> Time {
        if !at_once || !bench.at_work(0, now).finds_bus_free() {
            return drive(bench, now, Train::of_transactions(left));
        }
        bench.at_work(0, now).make_undisturbed(left.made, left.alone);
        now + left.alone
    }

    proptest! {
        #[test]
        fn a_train_takes_as_long_at_once_as_step_by_step(
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
            let (train, first) = Train::of_lines(&work, ns(5));
            assert_eq!(first, ns(14));
            let end = drive(&mut bench, ns(100) + first, train);
            assert_eq!(Some(end - ns(100)), line.map(|line| ns(9) + (ns(5) + line) * 3), "{primitive:?}");
        }
    }
}
