//! The trains of a node, where they meet the agenda.
//!
//! # Who takes the steps
//!
//! A step of a train is no event. The node takes all steps whose places have come whenever something else of it happens: at each
//! event of the node, and each time that a fiber of it passes time. So whoever then touches the bus, a cache, a ledger or the
//! account of costs finds all that comes before, and nothing that comes after. An instant at which the clocks of all nodes are
//! read has the steps of all nodes taken first. While nothing can disturb the node, a fiber takes the steps of all its node's
//! trains up to its own train's end, before engine time has come to them.
//!
//! A fiber that waits for its train has one event at the train's *earliest end*: no other client uses the bus from then on. The
//! event comes before all others of that instant. If the train has been delayed by then, the fiber waits for its new earliest
//! end. If another event comes between the event and the last step, the fiber waits for the place of that step.
//!
//! An interrupt puts a thread off between two steps of its train. The train then stands still. Its next step comes as much later
//! as the thread goes on later.
//!
//! # Why the order is that of events
//!
//! The place of a step is the place that its event would have among the events of the node: its time, the time of the step
//! before, the node's rank, and a number that grows with each step and push. Steps are numbered when they are taken. A node takes
//! the steps that come before an event before that event pushes anything. So the numbers of its steps and its own pushes of one
//! instant grow in the order of that instant. What other nodes push at that instant is ordered by their ranks. In global order the
//! pushes of all nodes are numbered together, and each step is an event.
//!
//! This module must never know why a fiber makes a request.

use des::Order;
use units::Time;

use super::Cluster;
use super::node::Node;
use crate::agenda::Agenda;
use crate::happening::Happening;
use crate::measure::anatomy::Anatomy;
use crate::memory::Memory;
use crate::memory::at_work::AtWork;
use crate::memory::train::Train;
use crate::memory::trains::{Fiber, Trains};
use crate::prices::PriceLists;
use crate::processor::clock::Pending;
use crate::processor::core::Core;

/// The processors, the memory and the trains of one node.
struct OnBus<'a> {
    node: usize,
    /// The number of the first of the processors on the machine.
    first: u32,
    cores: &'a mut [Core],
    memory: &'a mut Memory,
    trains: &'a mut Trains,
    agenda: &'a mut Agenda,
    prices: &'a PriceLists,
    anatomy: &'a mut Anatomy,
}

/// Advances engine time to the clock of `core`, whose fiber runs now, and makes the transactions that are pending then. Returns
/// true if an event comes before. The fiber must then suspend; it is resumed when its transactions are made.
#[inline]
pub(crate) fn settle(cluster: &mut Cluster, core: usize) -> bool {
    if cluster.cores[core].clock.pends() {
        return settle_and_make(cluster, core);
    }
    let waits = cluster.settle(core);
    if !waits {
        catch_up(cluster);
    }
    waits
}

#[inline(never)]
fn settle_and_make(cluster: &mut Cluster, core: usize) -> bool {
    let (mut node, core) = on_bus(cluster, core);
    let clock = &mut node.cores[core].clock;
    // The pending transactions belong to this fiber. The next fiber on this core has transactions of its own.
    let (ahead, pending) = (clock.take_ahead(), clock.take_pending());
    !node.passes_undisturbed(core, ahead, pending) && node.make(core, Train::of_transactions(pending), ahead)
}

/// Lets the fiber at work on `core` make the requests of a train, the first of them so much later. Returns true if an event comes
/// before the train's end. The fiber must then suspend; it is resumed at that end.
pub(crate) fn make(cluster: &mut Cluster, core: usize, (train, later): (Train, Time)) -> bool {
    let (mut node, core) = on_bus(cluster, core);
    node.make(core, train, later)
}

/// Goes on with the train of the fiber at work on `core`, if it makes one. Returns true if the fiber still waits for it.
#[inline]
pub(crate) fn go_on(cluster: &mut Cluster, core: usize) -> bool {
    if cluster.nodes[cluster.cores[core].node()].trains.are_none() {
        return false;
    }
    go_on_with_train(cluster, core)
}

#[inline(never)]
fn go_on_with_train(cluster: &mut Cluster, core: usize) -> bool {
    let (mut node, core) = on_bus(cluster, core);
    let fiber = Fiber::at_work(&node.cores[core]);
    if !node.trains.has(fiber) {
        return false;
    }
    if node.trains.stands_still(fiber) && node.starts(fiber) {
        return false;
    }
    node.waits_for(fiber)
}

/// Lets the train of the thread that an interrupt has put off on `core` stand still.
#[inline]
pub(crate) fn put_off(cluster: &mut Cluster, core: usize) {
    let core = &cluster.cores[core];
    let trains = &mut cluster.nodes[core.node()].trains;
    if !trains.are_none() {
        trains.stop(Fiber::thread_of(core));
    }
}

/// The instant before which nothing happens on the node of `core` but what the fiber there does, whose clock is settled.
pub(crate) fn quiet_until(cluster: &Cluster, core: usize) -> Time {
    match cluster.nodes[cluster.cores[core].node()].trains.next() {
        Some((place, _)) => place.at.min(cluster.agenda.quiet_until()),
        None => cluster.agenda.quiet_until(),
    }
}

/// Takes all steps of the acting node that come before what happens now.
#[inline(always)]
pub(crate) fn catch_up(cluster: &mut Cluster) {
    if cluster.setting.machine.node_memory.is_some() {
        catch_up_on_bus(cluster);
    }
}

fn catch_up_on_bus(cluster: &mut Cluster) {
    let Some(node) = cluster.agenda.acting() else { return };
    let next = cluster.nodes[node].trains.next();
    if next.is_some_and(|(place, _)| place.at <= cluster.agenda.now()) {
        catch_up_on(cluster, node);
    }
}

#[inline(never)]
fn catch_up_on(cluster: &mut Cluster, node: usize) {
    let until = cluster.agenda.reached_by(node);
    let ended = of_node(cluster, node).take_until(until);
    debug_assert!(ended.is_none(), "the fiber of a train goes on at its end");
}

/// Takes the steps of all nodes that come before the present instant, which is that of global order.
pub(crate) fn catch_up_all(cluster: &mut Cluster) {
    if cluster.agenda.acting().is_none() {
        return;
    }
    for node in 0..cluster.nodes.len() {
        catch_up_on(cluster, node);
    }
}

/// The node of `core`, and the number of `core` there.
#[inline]
fn on_bus(cluster: &mut Cluster, core: usize) -> (OnBus<'_>, usize) {
    let (node, number) = (cluster.cores[core].node(), cluster.cores[core].number());
    (of_node(cluster, node), number.into())
}

#[inline]
fn of_node(cluster: &mut Cluster, node: usize) -> OnBus<'_> {
    let Cluster { cores, nodes, agenda, setting, measure, .. } = cluster;
    let place = &mut nodes[node];
    let (first, cores) = (place.first_core as u32, &mut cores[place.all()]);
    let Node { memory, trains, .. } = place;
    OnBus {
        node,
        first,
        cores,
        memory,
        trains,
        agenda,
        prices: &setting.prices,
        anatomy: &mut measure.anatomy,
    }
}

impl OnBus<'_> {
    /// The processor `number` of the node at work at `now`, the trains of the node, and the agenda.
    #[inline]
    fn at_work(&mut self, number: usize, now: Time) -> (AtWork<'_>, &mut Trains, &mut Agenda) {
        let core = &mut self.cores[number];
        let work = AtWork { now, core, memory: self.memory, prices: self.prices, anatomy: self.anatomy };
        (work, self.trains, self.agenda)
    }

    /// Makes the transactions of a fiber at once from so much later on, and advances engine time to their end, if no event or
    /// other client can disturb them. Returns whether they are made.
    #[inline]
    fn passes_undisturbed(
        &mut self,
        number: usize,
        ahead: Time,
        Pending { made, alone, .. }: Pending,
    ) -> bool {
        let start = self.agenda.now() + ahead;
        let passes = self.trains.next().is_none()
            && self.at_work(number, start).0.finds_bus_free()
            && self.agenda.pass(ahead + alone).is_none();
        if passes {
            self.at_work(number, start).0.make_undisturbed(made, alone);
        }
        passes
    }

    /// Begins the train of the fiber at work on processor `number`, with the first step so much later. Returns whether the fiber
    /// waits for it.
    fn make(&mut self, number: usize, train: Train, later: Time) -> bool {
        let fiber = Fiber::at_work(&self.cores[number]);
        self.trains.begin(fiber, train);
        if later.is_zero() {
            return !self.starts(fiber) && self.waits_for(fiber);
        }
        self.lets_go_on(fiber, self.agenda.now() + later);
        self.waits_for(fiber)
    }

    /// Takes the next step of a train that stands still, at the present time. Returns whether the train is over.
    fn starts(&mut self, fiber: Fiber) -> bool {
        let now = self.agenda.now();
        loop {
            let (mut work, trains, _) = self.at_work(fiber.processor(), now);
            match trains.of(fiber).step(&mut work) {
                None => {
                    trains.end(fiber);
                    return true;
                }
                Some(at) if at > now => {
                    self.lets_go_on(fiber, at);
                    return false;
                }
                Some(_) => {}
            }
        }
    }

    /// Lets a train that stands still go on at `at`.
    fn lets_go_on(&mut self, fiber: Fiber, at: Time) {
        let place = self.agenda.keep_place(self.node, at);
        self.cores[fiber.processor()].clock.go_on_at(at);
        self.trains.go_on(fiber, place);
    }

    /// Takes the steps of all trains up to the end of a fiber's own, as far as nothing can disturb the node. Returns whether
    /// the fiber waits for its train. Its event is queued then.
    fn waits_for(&mut self, fiber: Fiber) -> bool {
        let until = self.agenda.undisturbed_until();
        let waits = self.take_until(until) != Some(fiber);
        if waits {
            self.await_end(fiber);
        }
        waits
    }

    /// Takes all steps before a place, up to the end of a train. Advances engine time to that end, and returns the train's fiber.
    /// Only the fiber that waits for it here may come to such an end: any other has an event before.
    fn take_until(&mut self, until: Order) -> Option<Fiber> {
        while let Some((place, fiber)) = self.trains.next_before(until) {
            let core = &mut self.cores[fiber.processor()];
            let (memory, prices, anatomy) = (&mut *self.memory, self.prices, &mut *self.anatomy);
            let mut work = AtWork { now: place.at, core, memory, prices, anatomy };
            let Some(at) = self.trains.of(fiber).step(&mut work) else {
                self.trains.end_first();
                self.agenda.pass_to(place);
                return Some(fiber);
            };
            if at > place.at {
                work.core.clock.go_on_at(at);
                self.trains.move_first(fiber, self.agenda.place_after(self.node, place.at, at));
            }
        }
        None
    }

    /// Queues the event of a fiber that waits for its train.
    fn await_end(&mut self, fiber: Fiber) {
        let Some(next) = self.trains.next_of(fiber) else { return };
        let place = if self.agenda.acting().is_some() {
            let end = self.trains.of(fiber).earliest_end(self.memory, next.at);
            if end == next.at { next } else { self.agenda.early_place(end) }
        } else {
            next
        };
        let core = &self.cores[fiber.processor()];
        let on =
            Happening::Continue { core: self.first + fiber.processor() as u32, epoch: core.clock.epoch() };
        self.agenda.push_to(place, self.node, on);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use machine::{Primitives, Transaction, Transactions};
    use proptest::prelude::*;
    use tempest::Stage;

    use super::*;
    use crate::measure::anatomy::Taken;
    use crate::memory::testing::Bench;
    use crate::processor::core::Activity;
    use crate::testing::{described, ns};

    /// Work of a fiber: so many nanoseconds, and then transactions of these kinds.
    type Work = (u64, Vec<usize>);

    /// The time, the use of the bus, and the books of both processors, as an event or the end of a work finds them.
    type Found = (Time, Time, [(Time, Time); 2]);

    /// Two processors whose threads work through lists. A device writes lines, and the first processor is interrupted.
    struct Room {
        bench: Bench,
        trains: Trains,
        agenda: Agenda,
        threads: [VecDeque<Work>; 2],
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
                assert!(self.on_bus().take_until(until).is_none(), "a fiber goes on at its train's end");
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
                let pending = Pending { made, alone, step: Some((0, Taken::Miss)) };
                let mut node = self.on_bus();
                if !node.passes_undisturbed(number, ns(ahead), pending)
                    && node.make(number, Train::of_transactions(pending), ns(ahead))
                {
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
                if (!node.trains.stands_still(fiber) || !node.starts(fiber)) && node.waits_for(fiber) {
                    return;
                }
                self.note();
                if self.bench.cores[number].activity() == Activity::Handler {
                    return self.resume_thread(number);
                }
            }
            self.work(number);
        }

        fn interrupt(&mut self) {
            let core = &mut self.bench.cores[0];
            let thread = Fiber::thread_of(core);
            if core.activity() == Activity::Handler || !self.trains.has(thread) || self.handlers.is_empty() {
                return;
            }
            self.left = core.clock.left(self.agenda.now());
            core.clock.put_off();
            core.begin(Activity::Handler);
            self.trains.stop(thread);
            self.work(0);
        }

        fn run(mut self) -> (Vec<Found>, Vec<Stage>, impl PartialEq + std::fmt::Debug) {
            while let Some((at, happening)) = self.agenda.take_next() {
                self.agenda.begin(at, happening);
                self.catch_up();
                match happening {
                    Happening::Continue { core, epoch } => {
                        if self.bench.cores[core as usize].clock.counts(epoch) {
                            self.go_on(core as usize);
                        }
                    }
                    Happening::Post { .. } => {
                        self.note();
                        self.bench.memory.system().expect("it is described").write_line(at);
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

    proptest! {
        /// In global order each step is an event. Where nodes run ahead, steps are taken when something else happens.
        #[test]
        fn steps_are_taken_as_if_each_were_an_event(
            multiplexed in any::<bool>(),
            threads in [any_work(12), any_work(12)],
            handlers in any_work(4),
            others in proptest::collection::vec((0_u64..400, any::<bool>()), 0..12),
        ) {
            let ends = [false, true].map(|runs_ahead| {
                let mut room = Room::new(runs_ahead, multiplexed);
                for &(at, posts) in &others {
                    let happening = if posts { Happening::Post { node: 0 } } else { Happening::Look { node: 0 } };
                    room.agenda.push(0, ns(at), happening);
                }
                for core in 0..2 {
                    room.agenda.push(0, Time::ZERO, Happening::Continue { core, epoch: 0 });
                }
                (room.threads, room.handlers) = (threads.clone(), handlers.clone());
                room.run()
            });
            prop_assert_eq!(&ends[0], &ends[1]);
        }
    }
}
