//! The trains of a node, where they meet the agenda.
//!
//! # In which order requests are made
//!
//! The bus of a node is granted in the order in which requests are made, and a request is made when nothing of the node
//! can make an earlier one. A fiber whose clock is ahead of engine time asks at once where nothing happens on its node
//! until then, and no other fiber's request comes before. Otherwise the request is *to come*. It is no event: the node
//! makes all requests whose places have come at each event of the node and each time that a fiber of it passes time. So
//! an event that then touches the bus, a cache, a ledger or the account of costs finds all earlier requests made, and
//! no later ones. An instant at which the clocks of all nodes are read has the requests of all nodes made first.
//!
//! A request that is made is over at a known time. A fiber waits for the end of its train with no event if nothing else happens on
//! its node before, and with one event if something does. Only a fiber whose request is to come has its event at the train's
//! *earliest end*, before all others of that instant: no other client uses the bus from then on. Once the request is made, the event
//! moves to the train's end.
//!
//! An interrupt puts a thread off before the end of its train. A request already made takes its course. A request to
//! come stands still, and is made as much later as the thread goes on later.
//!
//! # Why the order is that of events
//!
//! The place of a request, or of a train's end, is the place that its event would have among the events of the node:
//! its time, the time of the request before, the node's rank, and a number that grows with each request and push. A
//! node makes the requests that come before an event before that event pushes anything. So the numbers of its requests
//! and its own pushes of one instant grow in the order of that instant. Pushes of other nodes at that instant are
//! ordered by rank. In global order the pushes of all nodes are numbered together, and each request to come is an
//! event.
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
use crate::memory::blocks::BlockWork;
use crate::memory::train::{Made, Train};
use crate::memory::trains::{Fiber, Trains};
use crate::prices::PriceLists;
use crate::processor::clock::{Clock, Pending};
use crate::processor::core::Core;

/// The processors, the memory and the trains of one node.
struct OnBus<'a> {
    node: usize,
    /// Index in the machine of the node's first processor.
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

/// Lets the fiber at work on `core` ask for the lines of a block, one after the other, each after the processor's time `own`. Returns
/// true if something happens on the node before the last is over. The fiber must then suspend; it is resumed at that end.
pub(crate) fn make_lines(cluster: &mut Cluster, core: usize, work: &BlockWork, own: Time) -> bool {
    let (mut node, core) = on_bus(cluster, core);
    let (train, later) = Train::of_lines(work, own, node.trains.take_room());
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
        None => node.again().waits_for(fiber),
    }
}

/// Puts the thread off that an interrupt has found at work on `core`: its train does not go on by itself.
#[inline]
pub(crate) fn put_off(cluster: &mut Cluster, core: usize) {
    let core = &cluster.cores[core];
    cluster.nodes[core.node()].trains.stop(Fiber::thread_of(core));
}

/// The instant before which nothing happens on the node of `core` except the steps of the fiber there, whose clock is
/// settled.
pub(crate) fn quiet_until(cluster: &Cluster, core: usize) -> Time {
    let (quiet, trains) = (cluster.agenda.quiet_until(), &cluster.nodes[cluster.cores[core].node()].trains);
    trains.next().map_or(quiet, |place| quiet.min(place.at))
}

/// Makes all requests of the acting node that come before the present event.
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
    let mut node = of_node(cluster, node);
    while let Some((place, fiber)) = node.trains.next_before(until) {
        node.make_next(place.at, fiber);
    }
}

/// Makes the requests of all nodes that come before the present instant in global order.
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
    /// These parts for a call that is seldom made. It takes them over, so that its caller can keep them out of memory.
    #[inline(always)]
    fn again(&mut self) -> OnBus<'_> {
        let Self { node, first, .. } = *self;
        let Self { cores, memory, trains, agenda, prices, anatomy, .. } = self;
        OnBus { node, first, cores, memory, trains, agenda, prices, anatomy }
    }

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

    /// Makes the transactions of the fiber at work on processor `number`, with the first one `later` from now. Returns
    /// whether the fiber waits for them.
    #[inline(always)]
    fn make_transactions(&mut self, number: usize, pending: Pending, later: Time) -> bool {
        let (at, quiet) = (self.agenda.now() + later, self.agenda.quiet_until());
        if !later.is_zero() {
            if quiet <= at {
                self.again().put_off_to(number, Train::Plain(pending), at);
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

    /// Begins the train of the fiber at work on processor `number`, with the first request `later` from now. Returns
    /// whether the fiber waits for it.
    fn make(&mut self, number: usize, train: Train, later: Time) -> bool {
        let at = self.agenda.now() + later;
        if !later.is_zero() {
            if self.agenda.quiet_until() <= at {
                self.again().put_off_to(number, train, at);
                return true;
            }
            self.come_to(at);
        }
        let fiber = self.fiber_at_work(number);
        self.begin(fiber, train, at);
        self.again().waits_for(fiber)
    }

    /// Lets the train of the fiber at work on processor `number` begin at `at`. Something may happen on the node before. Queues
    /// the fiber's event.
    #[inline(never)]
    fn put_off_to(mut self, number: usize, train: Train, at: Time) {
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
            self.again().make_until_one_at(at);
        }
    }

    #[inline(never)]
    fn make_until_one_at(mut self, at: Time) {
        let place = self.agenda.keep_place(self.node, at);
        self.make_until(place);
    }

    /// Makes the first request of a fiber's train.
    fn begin(&mut self, fiber: Fiber, mut train: Train, at: Time) {
        let mut work = self.at_work(fiber.processor(), at);
        match train.make_next(&mut work) {
            Made::Last(end) => {
                let place = self.place_after(fiber.processor(), at, end);
                self.trains.await_end(fiber, place);
                self.trains.keep_room(train);
            }
            Made::Next(next) => {
                let place = self.place_after(fiber.processor(), at, next);
                self.trains.begin(fiber, train, place, Order::NEVER);
            }
        }
    }

    /// The place of the step that follows a request of processor `number` at `from`. The processor's fiber waits until
    /// then.
    #[inline]
    fn place_after(&mut self, number: usize, from: Time, at: Time) -> Order {
        self.clock(number).go_on_at(at);
        self.agenda.place_after(self.node, from, at)
    }

    /// Makes the next request of all, which comes at `at`.
    #[inline(always)]
    fn make_next(&mut self, at: Time, fiber: Fiber) {
        let Some((pending, looks)) = self.trains.take_plain(fiber) else {
            return self.again().make_next_line(at, fiber);
        };
        let end = self.at_work(fiber.processor(), at).make(pending);
        let place = self.place_after(fiber.processor(), at, end);
        if !self.moves_event(looks, place) {
            self.trains.await_end(fiber, place);
        }
    }

    /// Makes the earliest of all requests to come, at `at`, which is part of a train of several requests.
    #[inline(never)]
    fn make_next_line(mut self, at: Time, fiber: Fiber) {
        let core = &mut self.cores[self.first + fiber.processor()];
        let (memory, prices, anatomy) = (&mut *self.memory, self.prices, &mut *self.anatomy);
        let mut work = AtWork { now: at, core, memory, prices, anatomy };
        let Some(train) = self.trains.asking(fiber) else { return };
        match train.make_next(&mut work) {
            Made::Last(end) => {
                let place = self.place_after(fiber.processor(), at, end);
                let looks = self.trains.end_first(place);
                if looks.is_some_and(|looks| self.moves_event(looks, place)) {
                    self.trains.end(fiber);
                }
            }
            Made::Next(next) => {
                let place = self.place_after(fiber.processor(), at, next);
                self.trains.move_first(fiber, place);
            }
        }
    }

    /// Makes the next request of all, which comes at `at`, where that is seldom done.
    #[inline(never)]
    fn make_one(mut self, at: Time, fiber: Fiber) {
        self.make_next(at, fiber);
    }

    /// Moves the event of a fiber whose requests are all made from the place where the fiber looks to the end of its train, if the event
    /// has not happened. Returns whether it has moved it: the train needs no more attention then.
    #[inline(always)]
    fn moves_event(&mut self, looks: Order, end: Order) -> bool {
        !self.agenda.is_past(self.node, looks) && self.agenda.postpone(self.node, looks, end)
    }

    /// Makes all requests before a place.
    #[inline(always)]
    fn make_until(&mut self, until: Order) {
        if self.trains.next_before(until).is_some() {
            self.again().make_all_until(until);
        }
    }

    #[inline(never)]
    fn make_all_until(mut self, until: Order) {
        while let Some((place, fiber)) = self.trains.next_before(until) {
            self.again().make_one(place.at, fiber);
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
    #[inline(never)]
    fn waits_for(mut self, fiber: Fiber) -> bool {
        let until = self.agenda.undisturbed_until();
        let mut end = self.trains.end_of(fiber);
        while let Some((place, next)) = self.trains.next_before(end.map_or(until, |end| end.min(until))) {
            self.again().make_one(place.at, next);
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

    /// The place at which a fiber whose request is to come looks whether its train is over. In global order it is the
    /// place of the request, which is an event.
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
mod tests;
