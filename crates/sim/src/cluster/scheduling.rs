//! The processors of all nodes: what each does next, as its node's dispatch decides.
//!
//! A processor that becomes free looks, in this order, for an event that it may handle, a message that it may inject for a thread,
//! the thread that handlers put off, and a ready thread; else it idles. For an event that has come, dispatch names an idle
//! processor or one that is interrupted. This file carries the answers out: it has prices spent, and sets what a processor does.
//!
//! Must never choose between processors or events: that is [`dispatch`](crate::dispatch)'s.

use machine::{Class, Cost, SoftwareDispatch};
use tempest::Primitive;
use trace::Event as Traced;
use units::Time;

use crate::agenda::Happening;
use crate::cluster::Cluster;
use crate::dispatch::events::Arrived;
use crate::dispatch::network::NextStep;
use crate::dispatch::{Dispatch, Dispatcher, Noticed, Poll, Start, View};
use crate::measure::anatomy::Taken;
use crate::processor::core::{Activity, Event, Job, Step};
use crate::processor::ledger::Bucket;
use crate::processor::service::Receipt;

impl Cluster {
    /// The dispatch of a node, and the present instant as dispatch sees it.
    #[inline]
    fn seen(&self, node: usize) -> (&Dispatcher, View<'_>) {
        let (now, room) = (self.agenda.now(), self.shows_room(node));
        let place = &self.nodes[node];
        (&place.dispatch, place.view(&self.cores, now, self.running, room))
    }

    /// Whether the interface of a node has room now, where its dispatch asks for that.
    #[inline]
    fn shows_room(&self, node: usize) -> bool {
        let now = self.agenda.now();
        self.nodes[node].dispatch.asks_for_room(now) && self.interface_has_room(node, now)
    }

    /// The dispatch of a node, to change, and the present instant as dispatch sees it.
    #[inline]
    pub(super) fn parts(&mut self, node: usize) -> (&mut Dispatcher, View<'_>) {
        let (now, room) = (self.agenda.now(), self.shows_room(node));
        let place = &mut self.nodes[node];
        let view = place.view(&self.cores, now, self.running, room);
        (&mut place.dispatch, view)
    }

    /// The dispatch of a processor's node, and the processor's number there.
    fn dispatch_of(&mut self, core: usize) -> (&mut Dispatcher, usize) {
        let (node, number) = (self.cores[core].node(), self.cores[core].number());
        (&mut self.nodes[node].dispatch, number.into())
    }

    /// `core` has nothing to do now: finds it something.
    pub(crate) fn free(&mut self, core: usize) {
        let node = self.cores[core].node();
        let changed = self.change_role(core);
        match self.nodes[node].dispatch.way {
            Dispatch::Routine(_) => self.go_on_with_routine(core),
            _ => self.find_work(core),
        }
        if changed {
            self.look_again(node);
        }
    }

    fn find_work(&mut self, core: usize) {
        if self.back_to_step(core) {
            return;
        }
        let node = self.cores[core].node();
        let has_thread = self.cores[core].has_thread_put_off() || self.has_ready(core);
        let (dispatch, view) = self.seen(node);
        let served = !dispatch.leaves_to_others(has_thread, view) && self.serve(core, Noticed::AT_ONCE);
        if !served && !self.back_to_thread(core) {
            self.idle(core);
            self.look_while_idle(core);
            self.await_interface(node);
        }
    }

    fn idle(&mut self, core: usize) {
        self.end_idling(core);
        self.cores[core].begin_idling(self.agenda.now());
    }

    /// A computing processor that idles looks under the lock of an interface that it shares with a network processor, again and
    /// again. The network processor looks at a register, and takes the lock only for a message.
    fn look_while_idle(&mut self, core: usize) {
        if !self.shares_interface(core) || self.is_network_processor(core) {
            return;
        }
        let (now, look) = (self.agenda.now(), self.setting.machine.processor.poll);
        self.nodes[self.cores[core].node()].port.look(now, core, look);
    }

    /// Starts a handler or an injection on `core`: they take turns when both wait.
    fn serve(&mut self, core: usize, noticed: Noticed) -> bool {
        if self.is_network_processor(core) {
            return self.go_on_with_pass(core);
        }
        let handlers_first = self.cores[core].serves_handlers_first();
        handlers_first && self.start_handler(core, noticed)
            || self.start_injection(core)
            || self.start_handler(core, noticed)
    }

    /// An event may be dispatchable on `node`: finds processors for all that wait.
    pub(crate) fn notify(&mut self, node: usize) {
        loop {
            let (dispatch, view) = self.parts(node);
            let Some(start) = dispatch.next_start(view) else { break };
            let first = self.nodes[node].first_core;
            let started = match start {
                Start::Serve { number, delay } => self.serve(first + number, Noticed::Look { after: delay }),
                Start::Interrupt { number } => self.interrupt(first + number),
            };
            if !started {
                break;
            }
        }
        self.await_interface(node);
    }

    /// Gives `core` the oldest event that it may handle; the handler starts when the processor has noticed and dispatched it.
    fn start_handler(&mut self, core: usize, noticed: Noticed) -> bool {
        let (node, number) = (self.cores[core].node(), self.cores[core].number());
        let (dispatch, view) = self.parts(node);
        let Some(found) = dispatch.next_event(view.now, number.into(), view.cores) else { return false };
        self.cores[core].spend(Bucket::Overhead, found.fetch);
        self.cores[core].service.look(found.fetch);
        let delay = noticed.delay(self.setting.machine.processor.interrupt);
        let (wait, arrival_cost, step) = self.arrival_cost(core, &found.job, noticed);
        self.end_idling(core);
        let now = self.agenda.now();
        let fetch = match found.job.event {
            Event::Message { flight } => self.time_to_fetch(core, flight),
            Event::Grant { .. } => Time::ZERO,
        };
        let spill = if found.spilled { self.setting.machine.queue.spill } else { Time::ZERO };
        let path =
            delay + spill + fetch + arrival_cost.path - self.at_work(core).put_on_bus(arrival_cost.bus, step);
        let state = &mut self.cores[core];
        state.begin(Activity::Handler);
        state.clock.owe(&arrival_cost);
        state.ledger.book(Bucket::Memory, wait);
        state.ledger.book(Bucket::Overhead, path);
        state.give(found.job);
        let waited = state.ledger.waited_for_memory();
        let receipt = Receipt { took: wait + path.saturating_sub(delay), waited };
        state.service.begin_handler(state.clock.at(now) + delay, delay, receipt);
        self.continue_now(core, wait + path);
        // It may have come out of the interface.
        self.admit_next(node);
        true
    }

    /// Whether `core` runs handlers at present.
    pub(crate) fn runs_handlers(&self, core: usize) -> bool {
        let (dispatch, view) = self.seen(self.cores[core].node());
        dispatch.server(self.cores[core].number().into(), view.cores).is_some()
    }

    /// Whether `core` would find an event to handle.
    pub(crate) fn has_event(&self, core: usize) -> bool {
        let (dispatch, view) = self.seen(self.cores[core].node());
        dispatch.has_event(self.cores[core].number().into(), view.cores)
    }

    /// A thread on `core` lets waiting handlers run here, and goes on after them. The caller suspends if true.
    pub(crate) fn yield_to_handlers(&mut self, core: usize, noticed: Noticed) -> bool {
        let Activity::Thread(thread) = self.cores[core].activity() else { return false };
        let started = self.start_handler(core, noticed);
        if started {
            self.cores[core].put_thread_off(thread, Time::ZERO);
        }
        started
    }

    /// The work of a poll of the thread on `core`.
    pub(crate) fn poll(&mut self, core: usize) -> Poll {
        let count = self.nodes[self.cores[core].node()].cores;
        let (dispatch, number) = self.dispatch_of(core);
        dispatch.poll(number, count)
    }

    /// Whether `core`, which has unmasked interrupts, is interrupted for an event that came before.
    pub(crate) fn notices_late(&self, core: usize) -> bool {
        self.nodes[self.cores[core].node()].dispatch.interrupts() && self.has_event(core)
    }

    /// What `core` pays for an event before its handler: a wait for the interface, and a price. The price belongs to a step, in the
    /// account of where time goes.
    fn arrival_cost(
        &mut self,
        core: usize,
        job: &Job,
        noticed: Noticed,
    ) -> (Time, Cost, Option<(u16, Taken)>) {
        let Event::Message { flight } = job.event else {
            return (Time::ZERO, self.cost_of_grant(core), None);
        };
        let (cost, step) = self.cost_of_event(core, flight, noticed == Noticed::Interrupt);
        let taken = self.link.flights[flight].is_forwarded();
        let shared = self.shares_interface(core) && !taken;
        let wait = if shared { self.wait_for_interface(core, cost.path) } else { Time::ZERO };
        (wait, cost, Some(step))
    }

    /// The price of a key for a thread that asked for it: an event like others, unless the processor has the keys at hand.
    fn cost_of_grant(&self, core: usize) -> Cost {
        let own = self.keeps_keys_at_hand(core);
        if own { Cost::default() } else { self.price(core, Primitive::Dispatch, Class::User) }
    }

    /// Whether the processors of `core`'s node find in their own memory which keys are free.
    pub(crate) fn keeps_keys_at_hand(&self, core: usize) -> bool {
        self.nodes[self.cores[core].node()].dispatch.keeps_keys_at_hand()
    }

    /// Whether a network processor and `core`'s node's computing processor take messages out of the interface side by side.
    pub(crate) fn shares_interface(&self, core: usize) -> bool {
        self.nodes[self.cores[core].node()].dispatch.shares_interface()
    }

    /// Interrupts `core`. Its thread, if it runs one, goes on after the handler.
    fn interrupt(&mut self, core: usize) -> bool {
        let thread = self.cores[core].thread();
        let left = thread.map(|_| self.cores[core].clock.left(self.agenda.now()));
        self.cores[core].clock.put_off();
        if !self.start_handler(core, Noticed::Interrupt) {
            // Another processor has the key of the message that came: the end of that handler is waited for now.
            self.cores[core].clock.count_again();
            return false;
        }
        if let Some((thread, left)) = thread.zip(left) {
            self.cores[core].put_thread_off(thread, left);
        }
        self.cores[core].ledger.count().interrupts += 1;
        let (node, number) = (self.cores[core].node(), self.cores[core].number());
        let count = self.nodes[node].cores;
        self.nodes[node].dispatch.note_interrupt(number.into(), count);
        self.record(Traced::Interrupt { node: node as u32, processor: number });
        true
    }

    /// Goes back to the thread that handlers put off, or on to a ready one.
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
        // A thread notices by a poll that a deposit has ended its wait, and reads the count.
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

    /// Books the idle time that ends now.
    pub(crate) fn end_idling(&mut self, core: usize) {
        if self.cores[core].end_idling(self.agenda.now()) {
            self.nodes[self.cores[core].node()].port.stop_looking(core);
        }
    }
}

/// The dispatch routine.
impl Cluster {
    /// `core` has nothing to do now: the routine goes on, or returns; then a thread, or the loop.
    fn go_on_with_routine(&mut self, core: usize) {
        let (node, number) = (self.cores[core].node(), self.cores[core].number());
        let dedicated = self.cores[core].is_dedicated();
        let (first, number) = (self.nodes[node].first_core, usize::from(number));
        let Dispatch::Routine(routine) = &mut self.nodes[node].dispatch.way else { return };
        let SoftwareDispatch { enter, notice, .. } = routine.prices;
        let released = routine.release_held(number);
        if let Some(held) = released.map(|held| first + held).filter(|&held| held != core)
            && self.cores[held].is_idle()
        {
            self.back_to_thread(held);
        }
        let from_thread = matches!(self.cores[core].activity(), Activity::Thread(_));
        let way_in = if from_thread { enter } else { Time::ZERO };
        if self.call_goes_on(core) && self.start_handler(core, Noticed::AT_ONCE) {
            return;
        }
        let returned = self.return_from_call(core);
        if dedicated && self.serve(core, Noticed::AT_ONCE) {
            return;
        }
        if !self.takes_threads(core) || !self.back_to_thread(core) {
            self.idle(core);
        }
        self.let_held_go_on(node);
        let (dispatch, view) = self.parts(node);
        let waited = returned || dispatch.serving.had_turn(number);
        let caller = if waited { dispatch.next_caller(view) } else { dispatch.caller(view) };
        if let Some(caller) = caller {
            let notice = if returned { Time::ZERO } else { notice };
            let after = if caller == number { way_in } else { notice };
            self.start_handler(first + caller, Noticed::Look { after });
        } else if returned && let Some(Start::Interrupt { number }) = dispatch.interruption(view) {
            // A message came during the call, which takes only the messages that waited when it began.
            self.interrupt(first + number);
        }
    }

    /// Whether the call of the routine on `core` has more to do.
    fn call_goes_on(&mut self, core: usize) -> bool {
        let (dispatch, number) = self.dispatch_of(core);
        matches!(&dispatch.way, Dispatch::Routine(routine) if routine.goes_on(number))
    }

    /// The thread on `core` polls: if it is its turn to call the routine, it looks whether a call would find something. The time
    /// that a call takes it which does.
    pub(crate) fn begin_call(&mut self, core: usize) -> Option<Time> {
        let (node, number) = (self.cores[core].node(), self.cores[core].number());
        let (dispatch, view) = self.seen(node);
        let Dispatch::Routine(routine) = &dispatch.way else { return None };
        if !dispatch.serving.has_turn(number.into(), view.cores) {
            return None;
        }
        let (find, poll) = (routine.prices.find, self.setting.machine.processor.poll);
        self.cores[core].spend(Bucket::Overhead, poll);
        self.cores[core].service.look(poll);
        Some(find)
    }

    /// The call on `core` is over, if there is one: the turn passes on.
    fn return_from_call(&mut self, core: usize) -> bool {
        let (dispatch, number) = self.dispatch_of(core);
        let Dispatch::Routine(routine) = &mut dispatch.way else { return false };
        let returned = routine.ends(number);
        if returned {
            self.pass_turn(core);
        }
        returned
    }

    /// The turn passes from `core` to the next processor of its node.
    pub(crate) fn pass_turn(&mut self, core: usize) {
        let count = self.nodes[self.cores[core].node()].cores;
        let (dispatch, number) = self.dispatch_of(core);
        dispatch.serving.pass_turn(number, count);
    }

    /// The way back from the call on `core`, if the call has done all it does: what that takes.
    pub(crate) fn way_back(&mut self, core: usize) -> Time {
        let dedicated = self.cores[core].is_dedicated();
        let (dispatch, number) = self.dispatch_of(core);
        let Dispatch::Routine(routine) = &mut dispatch.way else { return Time::ZERO };
        if dedicated || !routine.begins_return(number) {
            return Time::ZERO;
        }
        let leave = routine.prices.leave;
        self.cores[core].service.look(leave);
        leave
    }

    /// Whether `core` goes on with a thread that is ready.
    pub(crate) fn takes_threads(&self, core: usize) -> bool {
        let (node, number) = (self.cores[core].node(), self.cores[core].number());
        self.nodes[node].dispatch.takes_threads(number.into())
    }

    /// Processors that are held and idle take threads, if all handlers of the node wait for a key that such a thread may hold.
    fn let_held_go_on(&mut self, node: usize) {
        for core in self.cores_of(node) {
            let number = self.cores[core].number();
            let dispatch = &self.nodes[node].dispatch;
            if dispatch.lets_go_on(number.into()) && self.cores[core].is_idle() {
                self.back_to_thread(core);
            }
        }
    }
}

/// Network processors.
impl Cluster {
    /// Whether `core` is a network processor.
    pub(crate) fn is_network_processor(&self, core: usize) -> bool {
        let (node, number) = (self.cores[core].node(), self.cores[core].number());
        self.nodes[node].dispatch.is_network_processor(number.into())
    }

    /// Has an idle network processor, or one whose step has ended, start its next step. False if there is none.
    fn go_on_with_pass(&mut self, core: usize) -> bool {
        let (node, number) = (self.cores[core].node(), self.cores[core].number());
        let (dispatch, view) = self.parts(node);
        let next = dispatch.next_step(number.into(), view);
        let Some((network, place)) = dispatch.network_at(number.into()) else { return false };
        match next {
            None => {
                network.end_pass(place);
                return false;
            }
            Some(NextStep::Take) => {
                network.note_taken(place);
                self.take_handed_over(core);
            }
            Some(NextStep::Extract(message)) => {
                network.extract(&message);
                self.start_extraction(core, message.flight);
            }
            Some(NextStep::Turn) => {
                let turn = network.turn;
                self.start_step(core, Step::Turn, turn);
            }
        }
        true
    }

    /// Goes back to the step that a message has interrupted. False if none was.
    fn back_to_step(&mut self, core: usize) -> bool {
        let (dispatch, number) = self.dispatch_of(core);
        let step = dispatch.network_at(number).and_then(|(network, place)| network.interrupted_step(place));
        let Some((step, left)) = step else { return false };
        self.cores[core].begin(Activity::Step(step));
        self.continue_at(core, self.agenda.now() + left);
        true
    }

    /// Has the network processor of a node take a message in at once, if that interrupts what it does. False if the message must
    /// wait.
    pub(crate) fn takes_at_once(&mut self, node: usize, message: &Arrived) -> bool {
        let (now, place) = (self.agenda.now(), &mut self.nodes[node]);
        let Dispatcher { way: Dispatch::Network(network), events, .. } = &mut place.dispatch else {
            return false;
        };
        let core = place.first_core + network.number_for(message);
        let Activity::Step(step) = self.cores[core].activity() else { return false };
        let left = self.cores[core].clock.left(now);
        let Some(job) = network.preempt(now, message, (step, left), events) else { return false };
        self.cores[core].clock.put_off();
        let cost = self.price(core, Primitive::Extract, message.class);
        self.at_work(core).spend(cost);
        self.start_job(core, job);
        true
    }

    fn start_job(&mut self, core: usize, job: Job) {
        self.cores[core].begin(Activity::Handler);
        self.cores[core].give(job);
        self.continue_now(core, Time::ZERO);
    }

    /// A network processor that idles because the interface has no room for what was handed over looks again when there
    /// may be some.
    fn await_interface(&mut self, node: usize) {
        let place = &self.nodes[node];
        let (now, first) = (self.agenda.now(), place.first_core);
        let Some(network) = place.dispatch.network().filter(|_| place.dispatch.asks_for_room(now)) else {
            return;
        };
        for number in network.numbers() {
            let idles = self.cores[first + number].is_idle();
            if !idles || !self.nodes[node].dispatch.waits_for_room(number, now) {
                continue;
            }
            let at = self.interface_room_at(node, now);
            if let Some((network, place)) = self.nodes[node].dispatch.network_at(number) {
                network.look_at(place, at);
            }
            self.look_at(node, at);
        }
    }

    fn take_handed_over(&mut self, core: usize) {
        let (node, number) = (self.cores[core].node(), usize::from(self.cores[core].number()));
        let Some(message) = self.nodes[node].dispatch.take_handed_over(number) else { return };
        self.end_idling(core);
        self.wake_starved(node);
        let cost = self.price(core, Primitive::Take, message.cargo.class(&self.nodes[node].waist));
        self.nodes[node].dispatch.keep_in_hand(number, message);
        self.at_work(core).spend(cost);
        self.start_booked_step(core, Step::Take);
    }

    fn start_extraction(&mut self, core: usize, flight: u32) {
        let cost = self.price(core, Primitive::Extract, self.link.flights[flight].class());
        let wait = self.wait_for_interface(core, cost.path);
        self.end_idling(core);
        self.cores[core].spend(Bucket::Memory, wait);
        self.at_work(core).spend(cost);
        self.start_booked_step(core, Step::Extract { flight });
    }

    /// Occupies a network processor for `time`, then lets the step have its effect.
    fn start_step(&mut self, core: usize, step: Step, time: Time) {
        self.cores[core].spend(Bucket::Overhead, time);
        self.start_booked_step(core, step);
    }

    /// Occupies a network processor for what it has spent, then lets the step have its effect.
    fn start_booked_step(&mut self, core: usize, step: Step) {
        self.at_work(core).make_at_once();
        let time = self.cores[core].clock.take_ahead();
        self.cores[core].begin(Activity::Step(step));
        self.continue_at(core, self.agenda.now() + time);
    }

    /// A step of a network processor is over: its effect, and the next one.
    pub(crate) fn finish_step(&mut self, core: usize, step: Step) {
        match step {
            Step::Take => self.start_network_injection(core),
            Step::Inject => {
                let message = self.release_in_hand(core);
                self.inject(core, message.to, message.cargo);
                self.settle_step(core);
            }
            Step::Extract { flight } => self.finish_extraction(core, flight),
            Step::HandOver { flight } => {
                let (at, tie) = (
                    self.agenda.now() + self.setting.prices.hand_over_delay(),
                    self.nodes[self.cores[core].node()].tie,
                );
                self.agenda.push(at, tie, Happening::Forward { flight });
                self.settle_step(core);
            }
            Step::Settle => self.free(core),
            Step::Turn => {
                let (dispatch, number) = self.dispatch_of(core);
                if let Some((network, place)) = dispatch.network_at(number) {
                    network.end_pass(place);
                }
                self.free(core);
            }
        }
    }

    fn start_network_injection(&mut self, core: usize) {
        let message = self.release_in_hand(core);
        self.spend_injection(core, message.to, &message.cargo);
        let (dispatch, number) = self.dispatch_of(core);
        dispatch.keep_in_hand(number, message);
        self.start_booked_step(core, Step::Inject);
    }

    /// Spends what follows the effect of a step.
    fn settle_step(&mut self, core: usize) {
        let tail = self.cores[core].clock.take_tail();
        if tail.is_zero() {
            self.free(core);
        } else {
            self.start_step(core, Step::Settle, tail);
        }
    }

    /// A message has been read: its handler runs here, or it goes to the computing processor.
    fn finish_extraction(&mut self, core: usize, flight: u32) {
        let (now, node) = (self.agenda.now(), self.cores[core].node());
        let message = self.arrived(flight);
        let Dispatcher { way, events, .. } = &mut self.nodes[node].dispatch;
        let Dispatch::Network(network) = way else { return };
        match network.hold_for(now, &message, events) {
            Some(job) => self.start_job(core, job),
            None => {
                let cost = self.price(core, Primitive::HandOver, message.class);
                self.cores[core].clock.owe_time(cost.occupancy);
                self.start_step(core, Step::HandOver { flight }, cost.path);
            }
        }
        // Last: what is let in may put off the step that has just begun, but not this one, which is over.
        self.admit_next(node);
    }

    /// A handler on `core` has ended: a network processor takes note of what has to be waited for.
    pub(crate) fn note_handler_end(&mut self, core: usize) {
        let now = self.agenda.now();
        let (node, number) = (self.cores[core].node(), self.cores[core].number());
        let Some((network, place)) = self.nodes[node].dispatch.network_at(number.into()) else { return };
        let wait = self.cores[core].clock.take_wait();
        network.serve_from(place, now + wait);
        if !wait.is_zero() {
            self.look_at(node, now + wait);
        }
    }

    /// A handler or a thread on `core` has sent a message: if that is a network processor, its pass ends early.
    pub(crate) fn note_answer(&mut self, core: usize) {
        let (dispatch, number) = self.dispatch_of(core);
        if let Some((network, place)) = dispatch.network_at(number) {
            network.note_answer(place);
        }
    }
}
