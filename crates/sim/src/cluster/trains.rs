//! The trains of a node, where they meet the agenda.
//!
//! # In which order requests are made
//!
//! The bus of a node is granted in the order in which requests are made, and a request is made when nothing of the node can make an
//! earlier one. A fiber whose clock is ahead of engine time asks at once where nothing happens on its node until then, and no other
//! fiber's request comes before. Otherwise the request is *to come*. It is no event: the node makes all requests whose places have
//! come whenever something else of it happens, at each event of the node and each time that a fiber of it passes time. So whoever
//! then touches the bus, a cache, a ledger or the account of costs finds all that comes before, and nothing that comes after. An
//! instant at which the clocks of all nodes are read has the requests of all nodes made first.
//!
//! A request that is made is over at a known time. A fiber waits for the end of its train with no event if nothing else happens on
//! its node before, and with one event if something does. Only a fiber whose request is to come has its event at the train's
//! *earliest end*, before all others of that instant: no other client uses the bus from then on. Once the request is made, the event
//! moves to the train's end.
//!
//! An interrupt puts a thread off before the end of its train. What the thread has asked for takes its course. Its request to come
//! stands still, and is made as much later as the thread goes on later.
//!
//! # Why the order is that of events
//!
//! The place of a request, or of a train's end, is the place that its event would have among the events of the node: its time, the
//! time of the request before, the node's rank, and a number that grows with each request and push. A node makes
//! the requests that come before an event before that event pushes anything. So the numbers of its requests and its own pushes of one
//! instant grow in the order of that instant. What other nodes push at that instant is ordered by their ranks. In global order the
//! pushes of all nodes are numbered together, and each request to come is an event.
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
use crate::memory::train::{Made, Train};
use crate::memory::trains::{Fiber, Trains};
use crate::prices::PriceLists;
use crate::processor::clock::{Clock, Pending};
use crate::processor::core::Core;

/// The processors, the memory and the trains of one node.
struct OnBus<'a> {
    node: usize,
    /// The first of the node's processors among those of the machine.
    first: usize,
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
pub(crate) fn settle_and_make(cluster: &mut Cluster, core: usize) -> bool {
    let (mut node, core) = on_bus(cluster, core);
    let clock = node.clock(core);
    // The pending transactions belong to this fiber. The next fiber on this core has transactions of its own.
    let (ahead, pending) = (clock.take_ahead(), clock.take_pending());
    node.make_transactions(core, pending, ahead)
}

/// Lets the fiber at work on `core` make the requests of a train, the first of them so much later. Returns true if something happens
/// on the node before the train's end. The fiber must then suspend; it is resumed at that end.
pub(crate) fn make(cluster: &mut Cluster, core: usize, (train, later): (Train, Time)) -> bool {
    let (mut node, core) = on_bus(cluster, core);
    node.make(core, train, later)
}

/// Goes on with the train of the fiber at work on `core`, if it makes one. Returns true if the fiber still waits for it.
#[inline]
pub(crate) fn go_on(cluster: &mut Cluster, core: usize) -> bool {
    if cluster.setting.machine.node_memory.is_none() {
        return false;
    }
    let own = &cluster.cores[core];
    let fiber = Fiber::at_work(own);
    cluster.nodes[own.node()].trains.has(fiber) && go_on_with_train(cluster, core, fiber)
}

#[inline(never)]
fn go_on_with_train(cluster: &mut Cluster, core: usize, fiber: Fiber) -> bool {
    let (mut node, core) = on_bus(cluster, core);
    if node.ends_in_time(fiber) {
        return false;
    }
    match node.trains.take_still(fiber) {
        Some(train) => node.make(core, train, Time::ZERO),
        None => node.waits_for(fiber),
    }
}

/// Puts the thread off that an interrupt has found at work on `core`: its train does not go on by itself.
#[inline]
pub(crate) fn put_off(cluster: &mut Cluster, core: usize) {
    let core = &cluster.cores[core];
    cluster.nodes[core.node()].trains.stop(Fiber::thread_of(core));
}

/// The instant before which nothing happens on the node of `core` but what the fiber there does, whose clock is settled.
pub(crate) fn quiet_until(cluster: &Cluster, core: usize) -> Time {
    let (quiet, trains) = (cluster.agenda.quiet_until(), &cluster.nodes[cluster.cores[core].node()].trains);
    trains.next().map_or(quiet, |place| quiet.min(place.at))
}

/// Makes all requests of the acting node that come before what happens now.
#[inline(always)]
pub(crate) fn catch_up(cluster: &mut Cluster) {
    if cluster.setting.machine.node_memory.is_some() {
        catch_up_on_bus(cluster);
    }
}

fn catch_up_on_bus(cluster: &mut Cluster) {
    let Some(node) = cluster.agenda.acting() else { return };
    let next = cluster.nodes[node].trains.next();
    if next.is_some_and(|place| place.at <= cluster.agenda.now()) {
        catch_up_on(cluster, node);
    }
}

#[inline(never)]
fn catch_up_on(cluster: &mut Cluster, node: usize) {
    let until = cluster.agenda.reached_by(node);
    of_node(cluster, node).make_until(until);
}

/// Makes the requests of all nodes that come before the present instant, which is that of global order.
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
    let Node { memory, trains, first_core: first, .. } = place;
    OnBus {
        node,
        first: *first,
        cores,
        memory,
        trains,
        agenda,
        prices: &setting.prices,
        anatomy: &mut measure.anatomy,
    }
}

impl OnBus<'_> {
    /// The clock of processor `number` of the node.
    #[inline]
    fn clock(&mut self, number: usize) -> &mut Clock {
        &mut self.cores[self.first + number].clock
    }

    /// The fiber at work on processor `number` of the node.
    fn fiber_at_work(&self, number: usize) -> Fiber {
        Fiber::at_work(&self.cores[self.first + number])
    }

    /// The processor `number` of the node at work at `now`.
    #[inline]
    fn at_work(&mut self, number: usize, now: Time) -> AtWork<'_> {
        let core = &mut self.cores[self.first + number];
        AtWork { now, core, memory: self.memory, prices: self.prices, anatomy: self.anatomy }
    }

    /// Makes the transactions of the fiber at work on processor `number`, so much later. Returns whether the fiber waits for them.
    fn make_transactions(&mut self, number: usize, pending: Pending, later: Time) -> bool {
        let (at, quiet) = (self.agenda.now() + later, self.agenda.quiet_until());
        if !later.is_zero() {
            if quiet <= at {
                self.put_off_to(number, Train::Plain(pending), at);
                return true;
            }
            self.come_to(at);
        }
        let undisturbed = at + pending.alone;
        let is_alone = quiet > undisturbed && self.trains.next().is_none_or(|next| next.at > undisturbed);
        let mut work = self.at_work(number, at);
        if is_alone && work.finds_bus_free() {
            work.make_undisturbed(pending.made, pending.alone);
            self.agenda.advance_to(undisturbed);
            return false;
        }
        let end = work.make(pending);
        let place = self.place_after(number, at, end);
        if quiet > end {
            self.make_until(place);
            self.agenda.pass_to(place);
            return false;
        }
        self.go_on_at(number, place);
        true
    }

    /// Begins the train of the fiber at work on processor `number`, with the first request so much later. Returns whether the fiber
    /// waits for it.
    fn make(&mut self, number: usize, train: Train, later: Time) -> bool {
        let at = self.agenda.now() + later;
        if !later.is_zero() {
            if self.agenda.quiet_until() <= at {
                self.put_off_to(number, train, at);
                return true;
            }
            self.come_to(at);
        }
        let fiber = self.fiber_at_work(number);
        self.begin(fiber, train, at);
        self.waits_for(fiber)
    }

    /// Lets the train of the fiber at work on processor `number` begin at `at`. Something may happen on the node before. Queues
    /// the fiber's event.
    fn put_off_to(&mut self, number: usize, train: Train, at: Time) {
        let fiber = self.fiber_at_work(number);
        let place = self.agenda.keep_place(self.node, at);
        self.clock(number).go_on_at(at);
        // In global order the request is an event.
        let looks = match self.agenda.acting() {
            Some(_) => self.agenda.early_place(train.earliest_end(self.memory, at)),
            None => place,
        };
        self.trains.begin(fiber, train, place, looks);
        self.go_on_at(number, looks);
    }

    /// Makes all requests of the node that come before one at `at`, which is later than the present time and has no place yet.
    #[inline]
    fn come_to(&mut self, at: Time) {
        if self.trains.next().is_some_and(|next| next.at <= at) {
            let place = self.agenda.keep_place(self.node, at);
            self.make_until(place);
        }
    }

    /// Makes the first request of a fiber's train.
    fn begin(&mut self, fiber: Fiber, mut train: Train, at: Time) {
        let mut work = self.at_work(fiber.processor(), at);
        match train.make_next(&mut work) {
            Made::Last(end) => {
                let place = self.place_after(fiber.processor(), at, end);
                self.trains.await_end(fiber, place);
            }
            Made::Next(next) => {
                let place = self.place_after(fiber.processor(), at, next);
                self.trains.begin(fiber, train, place, Order::NEVER);
            }
        }
    }

    /// The place of what follows a request of processor `number` at `from`. The processor's fiber waits until then.
    #[inline]
    fn place_after(&mut self, number: usize, from: Time, at: Time) -> Order {
        self.clock(number).go_on_at(at);
        self.agenda.place_after(self.node, from, at)
    }

    /// Makes the next request of all.
    fn make_next(&mut self, at: Time, fiber: Fiber) {
        let core = &mut self.cores[self.first + fiber.processor()];
        let (memory, prices, anatomy) = (&mut *self.memory, self.prices, &mut *self.anatomy);
        let mut work = AtWork { now: at, core, memory, prices, anatomy };
        let Some(train) = self.trains.asking(fiber) else { return };
        match train.make_next(&mut work) {
            Made::Last(end) => {
                let place = self.place_after(fiber.processor(), at, end);
                self.end_first(fiber, place);
            }
            Made::Next(next) => {
                let place = self.place_after(fiber.processor(), at, next);
                self.trains.move_first(fiber, place);
            }
        }
    }

    /// Lets the train of a fiber whose request came first end at a place: that was its last. The fiber's event moves there, if it has
    /// not happened, and the train is forgotten.
    fn end_first(&mut self, fiber: Fiber, place: Order) {
        let looks = self.trains.end_first(place).filter(|&looks| !self.agenda.is_past(self.node, looks));
        if looks.is_some_and(|looks| self.agenda.postpone(self.node, looks, place)) {
            self.trains.end(fiber);
        }
    }

    /// Makes all requests before a place.
    fn make_until(&mut self, until: Order) {
        while let Some((place, fiber)) = self.trains.next_before(until) {
            self.make_next(place.at, fiber);
        }
    }

    /// Ends the train of a fiber whose requests are all made, if nothing happens on the node up to the instant of that end. Returns
    /// whether that is so.
    #[inline]
    fn ends_in_time(&mut self, fiber: Fiber) -> bool {
        let Some(end) = self.trains.end_of(fiber).filter(|end| end.at < self.agenda.quiet_until()) else {
            return false;
        };
        self.make_until(end);
        self.trains.end(fiber);
        self.agenda.pass_to(end);
        true
    }

    /// Makes the requests of all trains up to the end of a fiber's own, as far as nothing can disturb the node. Returns whether
    /// the fiber waits for its train. Its event is queued then.
    fn waits_for(&mut self, fiber: Fiber) -> bool {
        let until = self.agenda.undisturbed_until();
        let mut end = self.trains.end_of(fiber);
        while let Some((place, next)) = self.trains.next_before(end.map_or(until, |end| end.min(until))) {
            self.make_next(place.at, next);
            if next == fiber {
                end = self.trains.end_of(fiber);
            }
        }
        match end.filter(|&end| end < until) {
            Some(end) => {
                self.trains.end(fiber);
                self.agenda.pass_to(end);
                false
            }
            None => {
                self.queue(fiber, end);
                true
            }
        }
    }

    /// Queues the event of a fiber that waits for its train, which ends at `end` if that is known.
    fn queue(&mut self, fiber: Fiber, end: Option<Order>) {
        if let Some(place) = end.or_else(|| self.earliest_end(fiber)) {
            self.trains.look_at(fiber, place);
            self.go_on_at(fiber.processor(), place);
        }
    }

    /// Lets the fiber at work on processor `number` go on at a place.
    #[inline]
    fn go_on_at(&mut self, number: usize, place: Order) {
        let epoch = self.clock(number).epoch();
        let on = Happening::Continue { core: (self.first + number) as u32, epoch };
        self.agenda.push_to(place, self.node, on);
    }

    /// The place at which a fiber whose request is to come looks whether its train is over. In global order it is that of the
    /// request, which is an event.
    fn earliest_end(&mut self, fiber: Fiber) -> Option<Order> {
        let next = self.trains.next_of(fiber)?;
        if self.agenda.acting().is_none() {
            return Some(next);
        }
        let end = self.trains.asking(fiber)?.earliest_end(self.memory, next.at);
        Some(self.agenda.early_place(end))
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
                let pending = Pending { made, alone, step: Some((0, Taken::Miss)) };
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
                    None => node.waits_for(fiber),
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
}
