//! A train: the requests that a fiber makes on the bus of its node one after the other.
//!
//! A request and its answer each use the bus at their own instant, so the bus is granted in the order of time. Between two steps
//! of a train the processor's clock is settled. If an event comes before, the fiber waits, and so does its train; the engine
//! then goes on with the train, and with the fiber at the train's end. Transactions that no other client can disturb need no steps: they
//! take their time on an idle bus.
//!
//! This module must never know why a fiber makes a request.

use std::ops::Range;

use hardware::memory::Answer;
use tempest::Primitive;
use units::Time;

use super::at_work::AtWork;
use super::blocks::BlockWork;
use crate::processor::clock::Pending;
use crate::processor::core::{Activity, Core};
use crate::processor::ledger::Bucket;

/// The requests of a fiber, and the step that comes next.
#[derive(Clone, Debug)]
pub(crate) struct Train {
    requests: Requests,
    next: Next,
}

/// The requests that are not over. The first of them is the present one.
#[derive(Clone, Debug)]
enum Requests {
    /// Transactions of prices.
    Plain(Pending),
    Lines(Lines),
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

/// The next step of a train.
#[derive(Clone, Copy, Debug)]
enum Next {
    /// The processor comes to the present request.
    Come,
    /// It makes the request.
    Ask,
    /// It takes the answer, for which it has waited so long.
    Take(Answer, Time),
    /// It books the request, which has taken so long. An answer without data has come by then.
    Book(Time),
}

impl Train {
    /// The train of the transactions that a fiber has put on its processor's clock.
    #[inline]
    pub(crate) fn of_transactions(pending: Pending) -> Self {
        Self { requests: Requests::Plain(pending), next: Next::Come }
    }

    /// The train of the lines of a block. The processor takes the time `own` before each of them.
    pub(crate) fn of_lines(work: &BlockWork, own: Time) -> Self {
        let (left, what) = (work.lines.clone(), (work.primitive, work.name));
        let lines = Lines { left, work: what, path: work.cost.path, own, alone: work.cost.line };
        Self { requests: Requests::Lines(lines), next: Next::Come }
    }

    /// Takes the next step at the present time. Returns false if the train is over. Otherwise the clock must be settled before
    /// the step that follows.
    pub(crate) fn step(&mut self, work: &mut AtWork<'_>) -> bool {
        self.next = match self.next {
            Next::Come if self.requests.are_over() => return false,
            Next::Come => match &self.requests {
                Requests::Plain(..) => self.requests.ask(work),
                Requests::Lines(lines) => {
                    work.core.clock.advance(lines.path + lines.own);
                    Next::Ask
                }
            },
            Next::Ask => self.requests.ask(work),
            Next::Take(answer, waited) => {
                let now = work.now;
                let rest = work.bus().take(answer, now) - now;
                work.core.clock.advance(rest);
                Next::Book(waited + rest)
            }
            Next::Book(took) => {
                self.requests.book(work, took);
                Next::Come
            }
        };
        true
    }

    /// The transactions that are left, if the train consists of such and comes to the next of them.
    #[inline]
    pub(crate) fn unasked(&self) -> Option<Pending> {
        match (&self.requests, self.next) {
            (&Requests::Plain(left), Next::Come) => Some(left),
            _ => None,
        }
    }
}

impl Requests {
    #[inline]
    fn are_over(&self) -> bool {
        match self {
            Self::Plain(left) => left.made.is_empty(),
            Self::Lines(lines) => lines.left.is_empty(),
        }
    }

    /// Makes the present request. The processor waits for the answer on its own clock.
    #[inline]
    fn ask(&self, work: &mut AtWork<'_>) -> Next {
        let now = work.now;
        let bus = work.bus();
        let answer = match self {
            Self::Plain(left) => bus.make(left.made.iter().next().expect("the train is not over"), now),
            Self::Lines(Lines { left, work: (Primitive::FetchBlock, _), .. }) => {
                bus.fetch_line(left.start, now)
            }
            Self::Lines(Lines { left, .. }) => bus.purge_line(left.start, now),
        };
        let waited = answer.ready - now;
        work.core.clock.advance(waited);
        if answer.is_empty() { Next::Book(waited) } else { Next::Take(answer, waited) }
    }

    /// Books the present request, which took the time `took`, and goes on to the next one.
    #[inline]
    fn book(&mut self, work: &mut AtWork<'_>, took: Time) {
        match self {
            Self::Plain(left) => {
                let Some(transaction) = left.made.take_first() else { return };
                let alone = work.memory.time_alone(transaction);
                left.alone -= alone;
                // Other clients may use the bus.
                let wait = took.saturating_sub(alone);
                work.core.ledger.book(Bucket::Overhead, took - wait);
                if !wait.is_zero() {
                    work.book_wait(wait, left.step);
                }
            }
            Self::Lines(lines) => {
                let before = lines.path + lines.own;
                work.book_block(lines.work, before + took, lines.path + lines.alone);
                (lines.left.start, lines.path) = (lines.left.start + 1, Time::ZERO);
            }
        }
    }
}

/// The trains of a node that are under way: for each processor that of its thread, and that of its handler. The handler runs
/// while the thread is put off in the middle of its train.
#[derive(Debug, Default)]
pub(crate) struct Trains(Vec<[Option<Train>; 2]>);

impl Trains {
    /// Whether no train has begun on the node, as on a node without a bus.
    #[inline]
    pub(crate) fn are_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Begins the train of the fiber at work on a processor.
    pub(crate) fn begin(&mut self, core: &Core, train: Train) -> &mut Option<Train> {
        let (processor, fiber) = place(core);
        if self.0.len() <= processor {
            self.0.resize_with(processor + 1, Default::default);
        }
        let place = &mut self.0[processor][fiber];
        *place = Some(train);
        place
    }

    /// The train of the fiber at work on a processor; `None` if that fiber makes no requests now.
    #[inline]
    pub(crate) fn of(&mut self, core: &Core) -> Option<&mut Option<Train>> {
        let (processor, fiber) = place(core);
        self.0.get_mut(processor).map(|both| &mut both[fiber]).filter(|train| train.is_some())
    }
}

#[inline]
fn place(core: &Core) -> (usize, usize) {
    (core.number().into(), usize::from(core.activity() == Activity::Handler))
}

#[cfg(test)]
mod tests {
    use hardware::memory::NodeMemory;
    use machine::{Primitives, Transaction, Transactions};
    use proptest::prelude::*;
    use units::Bytes;

    use super::*;
    use crate::measure::anatomy::Taken;
    use crate::memory::Memory;
    use crate::memory::testing::Bench;
    use crate::testing::{described, ns};

    fn train(made: &[usize]) -> Train {
        let one = |&kind: &usize| Transactions::one(Transaction::ALL[kind]);
        let made = made.iter().map(one).fold(Transactions::NONE, Transactions::and);
        let alone = NodeMemory::new(&described(), Bytes::new(32), 1).uncontended(made);
        Train::of_transactions(Pending { made, alone, step: Some((0, Taken::Miss)) })
    }

    /// Makes a train that no event disturbs, from `now` on. Returns its end.
    fn drive(bench: &mut Bench, mut now: Time, mut train: Train, at_once: bool) -> Time {
        loop {
            if let Some(left) = train.unasked()
                && at_once
                && bench.at_work(0, now).finds_bus_free()
            {
                now += left.alone;
                bench.at_work(0, now).make_undisturbed(left.made, left.alone);
                return now;
            }
            if !train.step(&mut bench.at_work(0, now)) {
                return now;
            }
            now += bench.cores[0].clock.take_ahead();
        }
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
                    now = drive(bench, now + ns(*later), train(made), *at_once);
                }
                let system = bench.memory.modelled().expect("it is described");
                let bus = (system.counts(), system.bus_busy(), system.bus_busy_at(now));
                (now, bench.spent(0), bus)
            });
            prop_assert_eq!(&ends[0], &ends[1]);
        }
    }

    #[test]
    fn a_fibers_train_is_known_by_its_processor_and_its_activity() {
        let [mut core, other] = Bench::new(Memory::plain(ns(50)), Primitives::default()).cores;
        let mut trains = Trains::default();
        core.begin(Activity::Thread(0));
        trains.begin(&core, train(&[1]));
        assert!(trains.of(&other).is_none());
        core.begin(Activity::Handler);
        assert!(trains.of(&core).is_none(), "it is the thread's");
        trains.begin(&core, train(&[2, 3]));
        assert!(trains.of(&core).is_some_and(|train| train.take().is_some()));
        assert!(trains.of(&core).is_none());
        core.begin(Activity::Thread(0));
        assert!(trains.of(&core).is_some());
    }
}
