//! The trains of a node in global order and where nodes run ahead, which find the same.

use std::collections::VecDeque;

use machine::{Primitives, Transaction, Transactions};
use proptest::prelude::*;
use tempest::outcome::Stage;

use super::*;
use crate::measure::anatomy::Taken;
use crate::memory::testing::Bench;
use crate::processor::core::Activity;
use crate::testing::{described, ns};

/// Work of a fiber: a number of nanoseconds, and then transactions of these kinds.
type Work = (u64, Vec<usize>);

/// The time, the use of the bus, and the books of both processors, as an event or the end of a work finds them.
type Found = (Time, Time, [(Time, Time); 2]);

/// Two processors whose threads work through lists. A device writes lines, and the first processor is interrupted.
struct Room {
    bench: Bench,
    trains: Trains,
    agenda: Agenda,
    threads: [VecDeque<Work>; 2],
    /// Whether each thread waits for its train.
    waits: [bool; 2],
    handlers: VecDeque<Work>,
    /// The rest of the time of the thread that is put off.
    left: Time,
    found: Vec<Found>,
}

impl Room {
    fn new(runs_ahead: bool, multiplexed: bool) -> Self {
        let mut costs = described();
        costs.bus.multiplexed = multiplexed;
        let lookahead = if runs_ahead { ns(1_000_000) } else { Time::ZERO };
        let mut bench = Bench::new(Memory::described(&costs), Primitives::default());
        bench.cores.iter_mut().for_each(|core| core.begin(Activity::Thread(0)));
        Self {
            bench,
            trains: Trains::default(),
            agenda: Agenda::new([0].into(), lookahead, None),
            threads: Default::default(),
            waits: Default::default(),
            handlers: VecDeque::new(),
            left: Time::ZERO,
            found: Vec::new(),
        }
    }

    fn on_bus(&mut self) -> OnBus<'_> {
        let Self { bench, trains, agenda, .. } = self;
        let Bench { cores, memory, prices, anatomy } = bench;
        OnBus { node: 0, first: 0, cores, memory, trains, agenda, prices, anatomy }
    }

    fn catch_up(&mut self) {
        if self.agenda.acting().is_some() {
            let until = self.agenda.reached_by(0);
            self.on_bus().make_until(until);
        }
    }

    fn note(&mut self) {
        let now = self.agenda.now();
        let books = [0, 1].map(|number| (self.bench.spent(number).1, self.bench.spent(number).2));
        let busy = self.bench.memory.modelled().expect("it is described").bus_busy_at(now).0;
        self.found.push((now, busy, books));
    }

    /// Lets the fiber at work on a processor work until it waits or has done all.
    fn work(&mut self, number: usize) {
        loop {
            let handles = self.bench.cores[number].activity() == Activity::Handler;
            let work = if handles { self.handlers.pop_front() } else { self.threads[number].pop_front() };
            let Some((ahead, made)) = work else { return };
            let made = made.into_iter().map(|kind| Transactions::one(Transaction::ALL[kind]));
            let made = made.fold(Transactions::NONE, Transactions::and);
            let alone = self.bench.memory.modelled().expect("it is described").uncontended(made);
            let pending = Pending { made, alone, step: Some((0, Taken::MISS)) };
            if self.on_bus().make_transactions(number, pending, ns(ahead)) {
                self.waits[number] |= !handles;
                return;
            }
            self.catch_up();
            self.note();
            if handles {
                return self.resume_thread(number);
            }
        }
    }

    fn resume_thread(&mut self, number: usize) {
        self.bench.cores[number].begin(Activity::Thread(0));
        let at = self.agenda.now() + self.left;
        let epoch = self.bench.cores[number].clock.go_on_at(at);
        self.agenda.push(0, at, Happening::Continue { core: number as u32, epoch });
    }

    fn go_on(&mut self, number: usize) {
        let fiber = Fiber::at_work(&self.bench.cores[number]);
        let mut node = self.on_bus();
        if node.trains.has(fiber) {
            let waits = match node.trains.take_still(fiber) {
                Some(train) => node.make(number, train, Time::ZERO),
                None => node.again().waits_for(fiber),
            };
            if waits {
                return;
            }
        }
        self.note();
        if self.bench.cores[number].activity() == Activity::Handler {
            return self.resume_thread(number);
        }
        self.waits[number] = false;
        self.work(number);
    }

    fn interrupt(&mut self) {
        let core = &mut self.bench.cores[0];
        let thread = Fiber::thread_of(core);
        if core.activity() == Activity::Handler || !self.waits[0] || self.handlers.is_empty() {
            return;
        }
        self.left = core.clock.left(self.agenda.now());
        core.clock.put_off();
        core.begin(Activity::Handler);
        self.trains.stop(thread);
        self.work(0);
    }

    fn run(mut self) -> (Vec<Found>, Vec<Stage>, impl PartialEq + std::fmt::Debug) {
        while let Some((at, event)) = self.agenda.take_next() {
            self.agenda.begin(at, event);
            self.catch_up();
            match event.into() {
                Happening::Continue { core, epoch } => {
                    if self.bench.cores[core as usize].clock.counts(epoch) {
                        self.go_on(core as usize);
                    }
                }
                Happening::Post { .. } => {
                    self.note();
                    self.bench.memory.system().expect("it is described").write_line(at, at);
                }
                _ => {
                    self.note();
                    self.interrupt();
                }
            }
        }
        self.bench.anatomy.count_access();
        assert!(self.trains.next().is_none() && self.threads.iter().all(VecDeque::is_empty));
        let counts = self.bench.memory.modelled().expect("it is described").counts();
        (self.found, self.bench.stages(), counts)
    }
}

fn any_work(most: usize) -> impl Strategy<Value = VecDeque<Work>> {
    let one = (0_u64..30, proptest::collection::vec(0_usize..5, 1..5));
    proptest::collection::vec_deque(one, 0..most)
}

/// The works of two threads and of the handlers, and the times of other events with whether the device writes a line then.
type Works = ([VecDeque<Work>; 2], VecDeque<Work>, Vec<(u64, bool)>);

/// Runs the works in global order, where each request to come is an event, and where nodes run ahead, so that requests are made
/// when something else happens. Both find the same.
fn finds_the_same_in_both_orders(multiplexed: bool, (threads, handlers, others): &Works) {
    let [in_order, ahead] = [false, true].map(|runs_ahead| {
        let mut room = Room::new(runs_ahead, multiplexed);
        for &(at, posts) in others {
            let happening = if posts { Happening::Post { node: 0 } } else { Happening::Look { node: 0 } };
            room.agenda.push(0, ns(at), happening);
        }
        for core in 0..2 {
            room.agenda.push(0, Time::ZERO, Happening::Continue { core, epoch: 0 });
        }
        (room.threads, room.handlers) = (threads.clone(), handlers.clone());
        room.run()
    });
    assert_eq!(in_order, ahead);
}

#[test]
fn a_train_that_began_at_time_zero_ends_at_its_own_event() {
    let threads = [[(11, vec![3])].into(), [(0, vec![3, 0, 1, 0])].into()];
    finds_the_same_in_both_orders(false, &(threads, [(0, vec![0])].into(), vec![(12, false)]));
}

proptest! {
    /// Requests of any works are made in both orders alike.
    #[test]
    fn requests_are_made_as_if_each_were_an_event(
        multiplexed in any::<bool>(),
        threads in [any_work(12), any_work(12)],
        handlers in any_work(4),
        others in proptest::collection::vec((0_u64..400, any::<bool>()), 0..12),
    ) {
        finds_the_same_in_both_orders(multiplexed, &(threads, handlers, others));
    }
}
