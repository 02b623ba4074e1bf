//! The processors of all nodes: the next activity of each, as its node's dispatch decides.
//!
//! A processor that becomes free looks for work in this order: an event that it may handle, a message that it may
//! inject for a thread, the thread that handlers put off, a ready thread. Without work it idles. For a new event,
//! dispatch names an idle processor or one to interrupt. This file carries the answers out: it has prices spent, and
//! sets the processor's activity.
//!
//! This module must never choose between processors or events: [`dispatch`](crate::dispatch) does.

use trace::Event as Traced;
use units::Time;

use crate::cluster::Cluster;
use crate::cluster::node::Node;
use crate::cluster::{network, routine, trains};
use crate::dispatch::routine::Routine;
use crate::dispatch::{Dispatch, Dispatcher, Found, Noticed, Start, View};
use crate::memory::at_work::AtWork;
use crate::processor::core::{Activity, Core, Event};
use crate::processor::ledger::Bucket;
use crate::processor::service::Receipt;

impl Cluster {
    /// The dispatch of a node, and the present instant as dispatch sees it.
    pub(super) fn seen(&self, node: usize) -> (&Dispatcher, View<'_>) {
        let (now, place, room) = (self.agenda.now(), &self.nodes[node], self.sees_room(node));
        (&place.dispatch, place.view(&self.cores, now, self.running, room))
    }

    /// Whether a network processor of a node idles until there is room in the interface, and there is room.
    #[inline]
    fn sees_room(&self, node: usize) -> bool {
        let now = self.agenda.now();
        let dispatch = &self.nodes[node].dispatch;
        dispatch.a_loop_idles() && dispatch.asks_for_room(now) && self.interface_has_room(node, now)
    }

    /// The dispatch of a node, mutable, and the present instant as dispatch sees it.
    pub(super) fn parts(&mut self, node: usize) -> (&mut Dispatcher, View<'_>) {
        let (now, room) = (self.agenda.now(), self.sees_room(node));
        let place = &mut self.nodes[node];
        let view = place.view(&self.cores, now, self.running, room);
        debug_assert!(place.dispatch.idle.agrees_with(view.cores), "the idle processors of {node}");
        (&mut place.dispatch, view)
    }

    /// The dispatch of a processor's node, and the processor's number there.
    pub(super) fn dispatch_of(&mut self, core: usize) -> (&mut Dispatcher, usize) {
        let (node, number) = (self.cores[core].node(), self.cores[core].number());
        (&mut self.nodes[node].dispatch, number.into())
    }

    /// Finds work for `core`, which has nothing to do now.
    #[inline(never)]
    pub(crate) fn free(&mut self, core: usize) {
        let node = self.cores[core].node();
        let changes = self.nodes[node].dispatch.moves_threads() && self.change_role(core);
        self.go_on(core);
        if changes {
            self.look_again(node);
        }
    }

    /// Lets `core`, which has nothing to do now, work in its present role, or idle. Most handlers end with this, so it is no call
    /// there.
    #[inline(always)]
    pub(super) fn go_on(&mut self, core: usize) {
        let way = &self.nodes[self.cores[core].node()].dispatch.way;
        if let Dispatch::Routine(_) = way {
            routine::go_on(self, core);
        } else if let Dispatch::Network(_) = way {
            network::go_on(self, core);
        } else if !self.finds_work(core) {
            self.idle(core);
        }
    }

    /// Lets `core` start a handler or an injection, or go on with a thread. Returns false if there is none of these.
    #[inline(always)]
    pub(super) fn finds_work(&mut self, core: usize) -> bool {
        let dispatch = &self.nodes[self.cores[core].node()].dispatch;
        let may_find = dispatch.may_find_work();
        let leaves = may_find && dispatch.may_leave_to_others() && self.leaves_to_others(core);
        may_find && !leaves && self.serve_next(core) || self.back_to_thread(core)
    }

    /// Starts a handler or an injection on `core`, which has just ended another activity.
    #[inline(always)]
    fn serve_next(&mut self, core: usize) -> bool {
        if !self.setting.machine.processor.interrupt_each || !self.interrupts_again(core) {
            return self.serve(core, Noticed::AT_ONCE);
        }
        let begun = self.start_handler(core, Noticed::Interrupt);
        if begun {
            self.note_interrupt(core);
        }
        begun
    }

    /// Whether an event that waits when `core` ends an activity has to interrupt it, on a machine where each event does that.
    #[inline(never)]
    fn interrupts_again(&self, core: usize) -> bool {
        let (dispatch, view) = self.seen(self.cores[core].node());
        dispatch.waits_for_interrupts(self.cores[core].number().into(), view)
    }

    /// Whether `core` has a thread to go on with, and leaves waiting work to other processors.
    fn leaves_to_others(&self, core: usize) -> bool {
        self.has_thread(core) && {
            let (dispatch, view) = self.seen(self.cores[core].node());
            dispatch.leaves_to_others(view)
        }
    }

    pub(super) fn idle(&mut self, core: usize) {
        self.end_idling(core);
        let (now, state) = (self.agenda.now(), &mut self.cores[core]);
        state.begin_idling(now);
        self.nodes[state.node()].dispatch.idle.begin(state.number(), now);
    }

    /// Starts a handler or an injection on `core`. The two take turns when both wait.
    #[inline]
    pub(super) fn serve(&mut self, core: usize, noticed: Noticed) -> bool {
        // Only dedicated processors inject for others, the network processors among them.
        if !self.cores[core].is_dedicated() {
            return self.start_handler(core, noticed);
        }
        self.serve_or_inject(core, noticed)
    }

    /// Starts a handler or an injection on a dedicated `core`.
    fn serve_or_inject(&mut self, core: usize, noticed: Noticed) -> bool {
        if self.is_network_processor(core) {
            return network::go_on_with_pass(self, core);
        }
        let own = &self.cores[core];
        let injects = self.nodes[own.node()].dispatch.injection.may_begin();
        own.serves_handlers_first() && self.start_handler(core, noticed)
            || injects && self.start_injection(core)
            || self.start_handler(core, noticed)
    }

    /// Finds processors for all waiting events of `node`, after a change that may have made some of them dispatchable.
    #[inline]
    pub(crate) fn notify(&mut self, node: usize) {
        if !self.nodes[node].dispatch.only_keeps_messages() {
            self.notify_processors(node);
        }
    }

    #[inline(never)]
    fn notify_processors(&mut self, node: usize) {
        let dispatch = &self.nodes[node].dispatch;
        let has_network = dispatch.network().is_some();
        if !dispatch.rests() {
            self.find_processors(node);
        }
        if has_network {
            network::await_room(self, node);
        }
    }

    /// Finds processors for all events of `node` that wait. The node does not [rest](Dispatcher::rests).
    pub(super) fn find_processors(&mut self, node: usize) {
        loop {
            let (dispatch, view) = self.parts(node);
            let Some(start) = dispatch.next_start(view) else { break };
            let first = self.nodes[node].first_core;
            let started = match start {
                Start::Serve { number, delay } => self.serve(first + number, Noticed::Look { after: delay }),
                Start::Interrupt { number } => self.interrupt(first + number),
            };
            if !started || self.nodes[node].dispatch.rests() {
                break;
            }
        }
    }

    /// Gives `core` the oldest event that it may handle; the handler starts when the processor has noticed and dispatched it.
    pub(super) fn start_handler(&mut self, core: usize, noticed: Noticed) -> bool {
        let now = self.agenda.now();
        let own = &mut self.cores[core];
        let node = own.node();
        let Node { dispatch, port, memory, .. } = &mut self.nodes[node];
        let number = own.number().into();
        let (event, refill) = if let Some(job) = dispatch.next_at_once(now, number) {
            (own.give(job), None)
        } else if let Some(Found { job, refill }) = dispatch.next_event(now, number, own.is_dedicated()) {
            (own.give(job), refill)
        } else {
            return false;
        };
        let machine = &self.setting.machine;
        let delay = noticed.delay(machine.processor.interrupt);
        // The rest of the fetch, if the device has not had room for the event for long.
        let fetched = refill.map(|since| since + machine.queue.spill.unwrap_or(machine.memory.read));
        let spill = fetched.map_or(Time::ZERO, |fetched| fetched.saturating_sub(now + delay));
        let (prices, anatomy) = (&self.setting.prices, &mut self.measure.anatomy);
        let mut work = AtWork { now, core: own, memory, prices, anatomy };
        let (path, wait) = match event {
            Event::Message { flight } => {
                let message = &self.link.flights[flight];
                let (path, hold) = work.receive(message.reaching(now, noticed == Noticed::Interrupt));
                let shared = dispatch.shares_interface() && !message.is_forwarded();
                (path, if shared { port.wait_for_lock(now, core, hold) } else { Time::ZERO })
            }
            Event::Grant { .. } if dispatch.keeps_keys_at_hand() => (Time::ZERO, Time::ZERO),
            Event::Grant { .. } => (work.receive_grant().0, Time::ZERO),
        };
        if own.end_idling(now) {
            dispatch.idle.end(own.number());
            port.stop_looking(now, core);
        }
        own.begin(Activity::Handler);
        own.ledger.book(Bucket::Memory, wait);
        own.ledger.book(Bucket::Overhead, delay + spill + path);
        let receipt = Receipt { took: wait + spill + path, waited: own.ledger.waited_for_memory() };
        own.service.begin_handler(own.clock.at(now) + delay, delay, receipt);
        own.clock.advance(delay + receipt.took);
        self.agenda.go_on_now(node, core, own.clock.go_on_at(now));
        network::pass_look_on(self, node);
        // The message may have left room in the interface.
        self.admit_next(node);
        true
    }

    /// Whether `core` runs handlers at present.
    pub(crate) fn runs_handlers(&self, core: usize) -> bool {
        let place = &self.nodes[self.cores[core].node()];
        place.dispatch.server(self.cores[core].number().into(), &self.cores[place.all()]).is_some()
    }

    /// Whether `core` would find an event to handle.
    pub(crate) fn has_event(&self, core: usize) -> bool {
        let place = &self.nodes[self.cores[core].node()];
        place.dispatch.has_event(self.cores[core].number().into(), &self.cores[place.all()])
    }

    /// Lets a waiting handler run on `core` before its thread goes on. Returns true if one does: the thread's fiber suspends.
    pub(crate) fn yield_to_handlers(&mut self, core: usize, noticed: Noticed) -> bool {
        let own = &self.cores[core];
        let Activity::Thread(thread) = own.activity() else { return false };
        let started = self.nodes[own.node()].dispatch.may_find_work() && self.start_handler(core, noticed);
        if started {
            self.cores[core].put_thread_off(thread, Time::ZERO);
        }
        started
    }

    /// Whether the processors of `core`'s node find in their own memory which keys are free.
    pub(crate) fn keeps_keys_at_hand(&self, core: usize) -> bool {
        self.nodes[self.cores[core].node()].dispatch.keeps_keys_at_hand()
    }

    /// Interrupts `core`. A thread that runs there goes on after the handler. Returns whether a handler has begun.
    pub(super) fn interrupt(&mut self, core: usize) -> bool {
        let thread = self.cores[core].thread();
        let left = thread.map(|_| self.cores[core].clock.left(self.agenda.now()));
        self.cores[core].clock.put_off();
        if !self.start_handler(core, Noticed::Interrupt) {
            // Another processor holds the key of the message: the thread goes on, and the event waits for that handler's end.
            self.cores[core].clock.count_again();
            return false;
        }
        if let Some((thread, left)) = thread.zip(left) {
            self.cores[core].put_thread_off(thread, left);
            trains::put_off(self, core);
        }
        self.note_interrupt(core);
        true
    }

    /// Counts an interrupt of `core`.
    fn note_interrupt(&mut self, core: usize) {
        self.cores[core].ledger.count().interrupts += 1;
        let (node, number) = (self.cores[core].node(), self.cores[core].number());
        let count = self.nodes[node].cores;
        self.nodes[node].dispatch.note_interrupt(number.into(), count);
        self.record(Traced::Interrupt { node: node as u32, processor: number });
    }

    /// Lets `core` go on with the thread that handlers put off, or with a ready thread. Returns false if there is neither.
    pub(crate) fn back_to_thread(&mut self, core: usize) -> bool {
        if let Some((thread, left)) = self.cores[core].take_thread_put_off() {
            self.cores[core].begin(Activity::Thread(thread));
            let left = left + self.report_computing(core);
            if left.is_zero() {
                self.continue_now(core, left);
            } else {
                self.continue_at(core, self.agenda.now() + left);
            }
            return true;
        }
        let Some(thread) = self.next_thread(core) else { return false };
        self.end_idling(core);
        let ran_before = self.has_run_threads(core);
        let switch = self.switch_to(core, thread);
        let (node, processor) = (self.cores[core].node(), self.cores[core].number());
        // A thread notices by a poll that a deposit has ended its wait, and then reads the count.
        let (poll, read) = match self.nodes[node].threads.take_notice(thread) {
            true => (self.setting.machine.processor.poll, self.setting.machine.memory.read),
            false => (Time::ZERO, Time::ZERO),
        };
        let report = if ran_before { self.report_computing(core) } else { Time::ZERO };
        let cost = switch + poll + read + report;
        self.measure.record(self.agenda.now() + cost, Traced::Run { node: node as u32, processor, thread });
        self.cores[core].begin(Activity::Thread(thread));
        self.cores[core].ledger.book(Bucket::Overhead, switch + poll);
        self.cores[core].ledger.book(Bucket::Memory, read);
        self.continue_now(core, cost);
        true
    }

    /// Begins the way back from the call of the dispatch routine on `core`, if the call has nothing left to do. Returns the time
    /// that it takes.
    fn way_back(routine: &mut Routine, core: &mut Core) -> Time {
        if core.is_dedicated() || !routine.begins_return(core.number().into()) {
            return Time::ZERO;
        }
        core.service.look(routine.prices.leave);
        routine.prices.leave
    }

    /// Spends the occupancy that follows a handler. Returns whether engine time has come to the clock of `core`.
    #[inline(always)]
    pub(crate) fn spend_completion(&mut self, core: usize) -> bool {
        let own = &mut self.cores[core];
        let Node { dispatch, memory, .. } = &mut self.nodes[own.node()];
        if let Dispatch::Routine(routine) = &mut dispatch.way {
            let back = Self::way_back(routine, own);
            own.clock.owe_time(back);
        }
        if own.clock.owes() {
            let (prices, anatomy) = (&self.setting.prices, &mut self.measure.anatomy);
            AtWork { now: self.agenda.now(), core: own, memory, prices, anatomy }.spend_tail();
        }
        own.clock.is_settled()
    }

    /// Whether `core` may go on with a ready thread.
    pub(crate) fn takes_threads(&self, core: usize) -> bool {
        let (node, number) = (self.cores[core].node(), self.cores[core].number());
        self.nodes[node].dispatch.takes_threads(number.into())
    }

    /// Whether `core` is a network processor.
    pub(crate) fn is_network_processor(&self, core: usize) -> bool {
        let (node, number) = (self.cores[core].node(), self.cores[core].number());
        self.nodes[node].dispatch.is_network_processor(number.into())
    }

    /// Books the idle time that ends now.
    #[inline]
    pub(crate) fn end_idling(&mut self, core: usize) {
        let (now, state) = (self.agenda.now(), &mut self.cores[core]);
        if state.end_idling(now) {
            let Node { dispatch, port, memory, .. } = &mut self.nodes[state.node()];
            dispatch.idle.end(state.number());
            port.stop_looking(now, core);
            if memory.has_poller() && dispatch.is_network_processor(state.number().into()) {
                memory.stop_polls(now);
            }
            network::pass_look_on(self, self.cores[core].node());
        }
    }
}
