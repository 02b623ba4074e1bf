//! The modelled machine at one instant. Only engine events and the effects of the fiber that runs now change it.
//!
//! This module must never take a decision that a part can take for itself.

pub(crate) mod arrivals;
pub(crate) mod gauges;
pub(crate) mod making;
pub(crate) mod memory;
pub(crate) mod network;
pub(crate) mod node;
pub(crate) mod overflow;
pub(crate) mod passage;
pub(crate) mod regions;
pub(crate) mod routine;
pub(crate) mod scheduling;
pub(crate) mod sending;
pub(crate) mod trains;

use machine::{Class, Cost};
use tempest::outcome::{Adjustment, Running};
use tempest::world::{Held, Packet};
use tempest::{NodeId, Operations, Primitive, ThreadId, Waiter};
use trace::Event;
use units::Time;

use crate::agenda::Agenda;
use crate::dispatch::{Dispatcher, Poll};
use crate::happening::Happening;
use crate::link::Link;
use crate::measure::Measure;
use crate::memory::at_work::AtWork;
use crate::processor::core::{Activity, Core, Event as Due, Job, Purpose};
use crate::processor::ledger::{Bucket, Ledger};
use crate::processor::threads::{Reason, Switch};
use crate::setting::Setting;
use node::Node;

/// The modelled machine at one instant.
pub(crate) struct Cluster {
    pub(crate) setting: Setting,
    pub(crate) agenda: Agenda,
    pub(crate) measure: Measure,
    pub(crate) nodes: Vec<Node>,
    pub(crate) cores: Vec<Core>,
    pub(crate) link: Link,
    /// The core whose fiber the host runs now. That fiber cannot be interrupted and is not suspended.
    pub(crate) running: Option<usize>,
    /// The number of threads that have not returned.
    pub(crate) live: usize,
}

impl Cluster {
    /// Records that the host runs the fiber at work on `core` from now on.
    #[inline]
    pub(crate) fn enter_fiber(&mut self, core: usize) {
        self.running = Some(core);
        let own = &self.cores[core];
        self.agenda.limits().progress().enter(own.node() as u32, own.thread());
    }

    /// Records that the host runs no fiber from now on.
    #[inline]
    pub(crate) fn leave_fiber(&mut self) {
        self.running = None;
        self.agenda.limits().progress().leave();
    }

    /// The fiber at work on `core`, if there is one.
    pub(crate) fn fiber_on(&self, core: usize) -> Option<Running> {
        let node = self.node_id(core);
        match self.cores[core].activity() {
            Activity::Thread(index) => Some(Running::Thread(ThreadId { node, index })),
            Activity::Handler => Some(Running::Handler(node)),
            _ => None,
        }
    }

    /// The processor `core` at work.
    #[inline]
    pub(crate) fn at_work(&mut self, core: usize) -> AtWork<'_> {
        let core = &mut self.cores[core];
        AtWork {
            now: self.agenda.now(),
            memory: &mut self.nodes[core.node()].memory,
            core,
            prices: &self.setting.prices,
            anatomy: &mut self.measure.anatomy,
        }
    }

    /// Spends the time of a program's operations on the clock of `core`, if they are surely short. Returns whether bus transactions
    /// are pending then.
    #[inline]
    pub(crate) fn compute_shortly(&mut self, core: usize, done: Operations) -> Option<bool> {
        let core = &mut self.cores[core];
        core.compute(self.setting.prices.short_operations(core.list(), done)?);
        Some(core.clock.pends())
    }

    /// The cost to `core` of one use of a primitive, for a message of a class.
    pub(crate) fn price(&self, core: usize, primitive: Primitive, class: Class) -> Cost {
        self.setting.prices.of(self.cores[core].list(), primitive, class)
    }

    /// Records an event of the run at the present time.
    #[inline(always)]
    pub(crate) fn record(&mut self, event: Event) {
        self.measure.record(self.agenda.now(), event);
    }

    /// Lets the fiber at work on `core` go on at `at`.
    pub(crate) fn continue_at(&mut self, core: usize, at: Time) {
        self.continue_since(self.agenda.now(), core, at);
    }

    /// Lets the fiber at work on `core` go on at `at`, as though that were decided at the later instant `since`.
    pub(super) fn continue_since(&mut self, since: Time, core: usize, at: Time) {
        let own = &mut self.cores[core];
        let epoch = own.clock.go_on_at(at);
        self.agenda.push_since(since, own.node(), at, Happening::Continue { core: core as u32, epoch });
    }

    /// Lets the fiber at work on `core` go on now, with its clock `cost` ahead of engine time. No other part notices before the
    /// fiber's next effect.
    pub(crate) fn continue_now(&mut self, core: usize, cost: Time) {
        let clock = &mut self.cores[core].clock;
        clock.advance(cost);
        let epoch = clock.go_on_at(self.agenda.now());
        self.agenda.go_on_now(self.cores[core].node(), core, epoch);
    }

    /// Lets the fiber at work on `core` go on at the present time, once no other node has an earlier event.
    pub(crate) fn step_back(&mut self, core: usize) {
        let epoch = self.cores[core].clock.go_on_at(self.agenda.now());
        self.agenda.step_back(core, epoch);
    }

    /// Whether another processor injects the messages of `core`'s threads.
    pub(crate) fn hands_over(&self, core: usize) -> bool {
        let (node, dedicated) = (self.cores[core].node(), self.cores[core].is_dedicated());
        self.nodes[node].dispatch.hands_over(dedicated)
    }

    /// The thread that runs on `core`.
    pub(crate) fn thread_on(&self, core: usize) -> u32 {
        match self.cores[core].activity() {
            Activity::Thread(thread) => thread,
            other => unreachable!("a thread acts on a core that is {other:?}"),
        }
    }

    /// Whether the waiter that the thread on `core` took last has not been resumed.
    pub(crate) fn still_awaits(&self, core: usize) -> bool {
        self.nodes[self.cores[core].node()].threads.still_awaits(self.thread_on(core))
    }

    /// Blocks the thread that runs on `core` from now on.
    pub(crate) fn block(&mut self, core: usize, reason: Reason) {
        let thread = self.thread_on(core);
        let (node, processor) = (self.cores[core].node(), self.cores[core].number());
        self.cores[core].ledger.count().blocks += 1;
        let what = reason.what();
        self.agenda.note_progress();
        if reason.is_block() {
            self.note_wait_for_block(node, thread, true);
        }
        self.nodes[node].threads.block(thread, reason, self.agenda.now());
        self.record(Event::Block { node: node as u32, thread, what });
        self.record(Event::Leave { node: node as u32, processor, thread });
        self.free(core);
    }

    /// Whether the wait of a waiter on a node has not ended.
    pub(crate) fn waits(&self, node: usize, waiter: Waiter) -> bool {
        self.nodes[node].threads.waits(waiter)
    }

    /// Resumes a blocked thread of a node. Returns false if its wait has ended before.
    pub(crate) fn resume(&mut self, node: usize, waiter: Waiter) -> bool {
        let ended = self.nodes[node].threads.end_wait(waiter);
        if ended == Some(true) {
            self.make_ready(node, waiter.thread);
        }
        ended.is_some()
    }

    /// Resumes a thread that waits for deposits. No handler does this: the thread polls and reads the count, which is in no
    /// cache then.
    pub(crate) fn resume_by_deposit(&mut self, node: usize, waiter: Waiter) {
        self.nodes[node].threads.note_deposit(waiter);
        self.resume(node, waiter);
    }

    /// Makes a thread ready. An idle processor takes it, if there is one.
    pub(crate) fn make_ready(&mut self, node: usize, thread: u32) {
        self.record(Event::Resume { node: node as u32, thread });
        self.agenda.note_progress();
        if self.nodes[node].threads.unblock(thread) {
            self.note_wait_for_block(node, thread, false);
        }
        self.nodes[node].threads.queue(thread);
        if let Some(core) = self.taker(node, thread) {
            self.free(core);
        }
    }

    /// The processor that takes a thread which has just become ready: among the idle ones, the processor that has idled
    /// longest.
    fn taker(&self, node: usize, thread: u32) -> Option<usize> {
        let place = &self.nodes[node];
        if let Some(processor) = place.threads.bound_to(thread) {
            return Some(place.first_core + processor).filter(|&core| self.cores[core].is_idle());
        }
        let mut idle = place.dispatch.idle.iter().map(|(_, number)| place.first_core + number);
        idle.find(|&core| !self.cores[core].is_dedicated() && self.takes_threads(core))
    }

    /// Records that a thread begins, or ceases, to wait for a block of shared memory. Meanwhile the idle time of the processors
    /// that may run the thread counts as waiting for memory.
    pub(crate) fn note_wait_for_block(&mut self, node: usize, thread: u32, begins: bool) {
        let now = self.agenda.now();
        self.each_that_may_run(node, thread, |ledger| ledger.await_block(now, begins));
    }

    /// Records that a thread joins the processors that may run it, or has returned. The idle time of a processor without
    /// threads is no wait.
    pub(crate) fn count_thread(&mut self, node: usize, thread: u32, comes: bool) {
        let now = self.agenda.now();
        self.each_that_may_run(node, thread, |ledger| ledger.count_thread(now, comes));
    }

    /// Applies `with` to the ledger of each processor that may run a thread.
    fn each_that_may_run(&mut self, node: usize, thread: u32, mut with: impl FnMut(&mut Ledger)) {
        let place = &self.nodes[node];
        let cores = match place.threads.bound_to(thread) {
            Some(processor) => place.first_core + processor..place.first_core + processor + 1,
            None => place.first_core..place.first_core + place.cores,
        };
        let computing = self.cores[cores].iter_mut().filter(|core| !core.is_dedicated());
        computing.for_each(|core| with(&mut core.ledger));
    }

    /// Whether `core` has a thread to go on with.
    pub(crate) fn has_thread(&self, core: usize) -> bool {
        self.cores[core].has_thread_put_off() || self.has_ready(core)
    }

    /// Whether a ready thread waits for `core`.
    pub(crate) fn has_ready(&self, core: usize) -> bool {
        let own = &self.cores[core];
        self.nodes[own.node()].threads.has_ready(own.number().into(), own.is_dedicated())
    }

    /// The ready thread that `core` runs next.
    pub(crate) fn next_thread(&mut self, core: usize) -> Option<u32> {
        let own = &self.cores[core];
        let threads = &mut self.nodes[own.node()].threads;
        if own.is_dedicated() { None } else { threads.next(own.number().into()) }
    }

    /// Whether any thread has run on `core`.
    pub(crate) fn has_run_threads(&self, core: usize) -> bool {
        let own = &self.cores[core];
        self.nodes[own.node()].threads.has_run(own.number().into())
    }

    /// The time that `core` takes to let a thread go on after a wait.
    pub(crate) fn switch_to(&mut self, core: usize, thread: u32) -> Time {
        let own = &self.cores[core];
        let switch = self.nodes[own.node()].threads.switch(own.number().into(), thread);
        let machine = &self.setting.machine;
        match switch {
            Switch::First => Time::ZERO,
            Switch::Same => {
                machine.software_dispatch.as_ref().map_or(machine.processor.wake, |routine| routine.wake)
            }
            Switch::Other => machine.processor.thread_switch,
        }
    }

    /// The thread on whose stack a handler of `core` may run. It is the last thread there, unless that may go on elsewhere
    /// meanwhile.
    pub(crate) fn host_of_handlers(&self, core: usize) -> Option<u32> {
        let own = &self.cores[core];
        let last = self.nodes[own.node()].threads.last_bound(own.number().into());
        last.filter(|_| !self.nodes[own.node()].dispatch.moves_threads())
    }

    /// Begins the handler on `core`, and fills `packet` with its message. Returns its key, and the thread that is to get the key
    /// if the event is no message. The words of a block that came with a message are in place from then on.
    #[inline]
    pub(crate) fn begin_handler(&mut self, core: usize, packet: &mut Packet) -> (Held, Option<u32>) {
        let own = &mut self.cores[core];
        let Job { held, event } = own.take_job().expect("a handler begins with an event");
        let place = match event {
            Due::Message { flight } => flight,
            Due::Grant { thread } => return (held, Some(thread)),
        };
        let (flight, brought) = self.link.flights.end(place);
        let (message, source, flow) = (flight.manifest().kind, flight.from() as u32, flight.number());
        let (node, processor) = (own.node() as u32, own.number());
        let start = Event::HandlerStart { node, processor, message, source, flow };
        self.measure.record(own.clock.at(self.agenda.now()), start);
        own.serve(Purpose { class: flight.class(), kind: flight.kind() });
        flight.fill(packet);
        if let Some((block, words)) = brought {
            self.nodes[own.node()].shared_memory().place(block, &words);
        }
        (held, None)
    }

    /// Whether the fiber of the handler that has ended on `core` goes straight on with the next handler. It does if the core
    /// has been given one and no other event comes before.
    pub(crate) fn handler_goes_on(&mut self, core: usize) -> bool {
        let due = self.agenda.first_due();
        let goes_on = due.is_some_and(|(other, epoch)| other == core && self.cores[core].clock.counts(epoch))
            && self.cores[core].activity() == Activity::Handler;
        if goes_on {
            self.agenda.take_due();
        }
        goes_on
    }

    /// Lets other processors use the bus before the occupancy that follows the handler on `core`. Returns true if the handler's
    /// fiber must suspend.
    pub(crate) fn lets_others_first(&mut self, core: usize) -> bool {
        let waits = self.cores[core].clock.has_after() && self.agenda.first_due().is_some();
        if waits {
            self.continue_now(core, Time::ZERO);
        }
        waits
    }

    /// Ends the handler on `core`, and frees its key and the core.
    pub(crate) fn finish_handler(&mut self, core: usize, held: Held) {
        let Self { cores, nodes, measure, agenda, .. } = self;
        let own = &mut cores[core];
        let node = own.node();
        let dispatch = &mut nodes[node].dispatch;
        own.ledger.count().handlers += 1;
        end_charges(own, dispatch, measure, agenda);
        dispatch.end_handler(agenda.now(), held);
        agenda.note_progress();
        if dispatch.moves_threads() {
            self.measure_roles(node);
            self.free(core);
        } else {
            self.go_on(core);
        }
        self.notify(node);
    }

    /// Ends the charges of a handler on `core`: later charges belong to no handler. Returns the core's node.
    pub(crate) fn leave_handler(&mut self, core: usize) -> usize {
        let Self { cores, nodes, measure, agenda, .. } = self;
        let own = &mut cores[core];
        let node = own.node();
        end_charges(own, &mut nodes[node].dispatch, measure, agenda);
        node
    }

    /// Gives a thread the key that it asked for.
    pub(crate) fn grant(&mut self, core: usize, thread: u32, held: Held) {
        let node = self.cores[core].node();
        self.nodes[node].threads.grant(thread, held);
        self.make_ready(node, thread);
        self.free(core);
        self.notify(node);
    }

    /// Records that the thread on `core` has returned.
    pub(crate) fn finish_thread(&mut self, core: usize, thread: u32) {
        let (node, processor) = (self.cores[core].node(), self.cores[core].number());
        self.nodes[node].threads.finish(thread);
        self.count_thread(node, thread, false);
        self.live -= 1;
        self.agenda.note_progress();
        self.record(Event::ThreadEnd { node: node as u32, thread });
        self.record(Event::Leave { node: node as u32, processor, thread });
        self.free(core);
    }

    /// The node of `core`, as messages name it.
    pub(crate) fn node_id(&self, core: usize) -> NodeId {
        NodeId(self.cores[core].node() as u32)
    }
}

/// Ends the charges of a handler on a processor: later charges belong to no handler.
#[inline(always)]
fn end_charges(own: &mut Core, dispatch: &mut Dispatcher, measure: &mut Measure, agenda: &mut Agenda) {
    let (now, threads) = (agenda.now(), measure.anatomy.threads());
    measure.record(now, Event::HandlerEnd { node: own.node() as u32, processor: own.number() });
    own.service.end_handler(now, own.ledger.waited_for_memory());
    own.serve(Purpose::of_thread(threads));
    if dispatch.network().is_some() {
        note_handler_end(own, dispatch, agenda);
    }
}

/// Records the end of a handler. The next handler of a network processor waits for the charges that this one left
/// pending.
fn note_handler_end(own: &mut Core, dispatch: &mut Dispatcher, agenda: &mut Agenda) {
    let Some((network, place)) = dispatch.network_at(own.number().into()) else { return };
    let (now, node, wait) = (agenda.now(), own.node(), own.clock.take_wait());
    network.serve_from(place, now + wait);
    if !wait.is_zero() {
        agenda.push(node, now + wait, Happening::Look { node: node as u32 });
    }
}

/// Processors that change their roles.
impl Cluster {
    pub(super) fn cores_of(&self, node: usize) -> std::ops::Range<usize> {
        let node = &self.nodes[node];
        node.first_core..node.first_core + node.cores
    }

    /// Measures a node if an interval is over. The roles of its processors may change then.
    pub(crate) fn measure_roles(&mut self, node: usize) {
        let (now, place) = (self.agenda.now(), &mut self.nodes[node]);
        let cores = &self.cores[place.all()];
        let waited = place.dispatch.events.waits().total;
        let Some(roles) = place.dispatch.serving.roles_mut() else { return };
        if !roles.measure(now, cores, waited) {
            return;
        }
        for core in self.cores_of(node).rev() {
            if self.cores[core].is_idle() {
                self.free(core);
            }
        }
    }

    /// Changes the role of an idle `core` if its node wants that. Returns whether it did.
    fn change_role(&mut self, core: usize) -> bool {
        let (node, dedicated) = (self.cores[core].node(), self.cores[core].is_dedicated());
        let dispatch = &self.nodes[node].dispatch;
        let Some(roles) = dispatch.serving.roles() else { return false };
        let changes = match dedicated {
            false => roles.wants_more() && self.may_leave_threads(core),
            true => roles.wants_fewer(dispatch.injection.is_done()),
        };
        if changes {
            self.take_role(core, !dedicated);
        }
        changes
    }

    fn may_leave_threads(&self, core: usize) -> bool {
        let own = &self.cores[core];
        own.may_leave_threads() && !self.nodes[own.node()].dispatch.holds(own.number().into())
    }

    fn take_role(&mut self, core: usize, dedicated: bool) {
        let (now, node) = (self.agenda.now(), self.cores[core].node());
        let own = &mut self.cores[core];
        own.ledger.book_idling(now);
        own.service.take_role(dedicated, now, own.ledger.idle_at(now));
        self.bind_threads(node);
        let (dispatch, view) = self.parts(node);
        let waited = dispatch.events.waits().total;
        let Some(roles) = dispatch.serving.roles_mut() else { return };
        let (dedicated, why) = roles.note_change(now, dedicated, view.cores, waited);
        let made = why.map(|why| Adjustment { node: NodeId(node as u32), at: now, dedicated, why });
        made.into_iter().for_each(|made| self.measure.note_adjustment(made));
    }

    /// Binds each thread of a node to its own processor if that computes, or else to the computing processors in turn.
    fn bind_threads(&mut self, node: usize) {
        let now = self.agenda.now();
        for core in self.cores_of(node) {
            self.cores[core].ledger.forget_threads(now);
        }
        let Node { threads, first_core, .. } = &mut self.nodes[node];
        let waiting = threads.bind(|processor| !self.cores[*first_core + processor].is_dedicated());
        let left = threads.left();
        left.into_iter().for_each(|thread| self.count_thread(node, thread, true));
        waiting.into_iter().for_each(|thread| self.note_wait_for_block(node, thread, true));
    }

    /// Lets the idle processors of a node look for work, after roles have changed.
    fn look_again(&mut self, node: usize) {
        for core in self.cores_of(node) {
            if self.cores[core].is_idle() && self.has_ready(core) {
                self.free(core);
            }
        }
        self.notify(node);
    }

    /// Whether the thread on `core` has to move to another processor because `core` is to be dedicated.
    pub(crate) fn has_to_leave(&self, core: usize) -> bool {
        let roles = self.nodes[self.cores[core].node()].dispatch.serving.roles();
        roles.is_some_and(|roles| roles.wants_more()) && self.may_leave_threads(core)
    }

    /// Moves the thread on `core` to another processor, and dedicates `core`.
    pub(crate) fn leave_thread(&mut self, core: usize) {
        let Activity::Thread(thread) = self.cores[core].activity() else { return };
        let (node, processor) = (self.cores[core].node(), self.cores[core].number());
        self.record(Event::Leave { node: node as u32, processor, thread });
        self.take_role(core, true);
        self.nodes[node].threads.queue(thread);
        self.free(core);
        self.look_again(node);
    }
}

impl Cluster {
    /// Begins a poll of the thread on `core`, and returns its work. If no look is due, charges the thread for passing by.
    pub(crate) fn begin_poll(&mut self, core: usize) -> Poll {
        let own = &mut self.cores[core];
        if own.looks.passes() {
            let pass = self.setting.machine.processor.pass;
            own.spend(Bucket::Overhead, pass);
            own.looks.spend(pass);
            return Poll::Pass;
        }
        let Node { threads, dispatch, port, .. } = &mut self.nodes[own.node()];
        if let Some(thread) = own.thread() {
            threads.attempts(thread).note_look();
        }
        match dispatch.moves_threads() {
            true => Poll::Adapt,
            false => dispatch.poll(own.number().into(), port.is_locked()),
        }
    }

    /// The work of a poll of the thread on `core`, when a look is due.
    pub(crate) fn poll(&mut self, core: usize) -> Poll {
        let (own, number) = (&self.cores[core], self.cores[core].number());
        let Node { dispatch, port, .. } = &mut self.nodes[own.node()];
        dispatch.poll(number.into(), port.is_locked())
    }

    /// Charges the thread on `core` for a look for events, after a wait.
    pub(crate) fn pay_look(&mut self, core: usize, wait: Time) {
        let (own, poll) = (&mut self.cores[core], self.setting.machine.processor.poll);
        own.spend(Bucket::Memory, wait);
        own.look(poll);
        if poll.is_zero() {
            self.stand_still(core);
        }
    }

    /// Records a poll of the thread on `core` that takes no time. If the thread has done nothing else for a while,
    /// charges it for a vain look: the event that it waits for needs time to come. Returns whether it is charged.
    #[inline(never)]
    pub(crate) fn stand_still(&mut self, core: usize) -> bool {
        let (turn, own) = (self.vain_look(), &mut self.cores[core]);
        let waits = own.looks.stand_still(own.ledger.spent());
        if waits {
            own.look(turn);
        }
        waits
    }

    /// The time of a look of a thread that only waits: the time of a poll, or of a cycle where polls are free.
    pub(crate) fn vain_look(&self) -> Time {
        let processor = &self.setting.machine.processor;
        if processor.poll.is_zero() { processor.clock.cycles_to_time(1) } else { processor.poll }
    }

    /// Whether `core`, which has unmasked interrupts, is interrupted for an event that came before.
    pub(crate) fn notices_late(&self, core: usize) -> bool {
        self.nodes[self.cores[core].node()].dispatch.interrupts() && self.has_event(core)
    }

    /// Records that the thread on `core` has looked for events.
    pub(crate) fn note_look(&mut self, core: usize, found: bool) {
        let now = self.cores[core].clock.at(self.agenda.now());
        self.cores[core].ledger.count_poll(found);
        self.cores[core].looks.note(found, now);
    }

    /// The number of back-edges from one poll of a thread to the next.
    pub(crate) fn poll_interval(&self) -> u32 {
        let usual = self.nodes.first().map_or(0, |node| node.dispatch.usual_polls());
        self.setting.policy.poll_interval(usual)
    }

    /// Plans a look of a node at `at`: its processors may find something to do then.
    pub(crate) fn look_at(&mut self, node: usize, at: Time) {
        self.agenda.push(node, at, Happening::Look { node: node as u32 });
    }
}
