//! Everything modelled, at one instant. Changed only by engine events and by the effects of the fiber that runs now.
//!
//! Must never decide what a part can decide for itself.

pub(crate) mod gauges;
pub(crate) mod making;
pub(crate) mod memory;
pub(crate) mod node;
pub(crate) mod passage;
pub(crate) mod regions;
pub(crate) mod scheduling;

use machine::{Class, Cost};
use tempest::world::Held;
use tempest::{Adjustment, NodeId, Primitive, Waiter};
use trace::Event;
use units::Time;

use crate::agenda::{Agenda, Happening};
use crate::dispatch::Poll;
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
    /// The core whose fiber runs at this instant of the host: it cannot be interrupted, it is not suspended.
    pub(crate) running: Option<usize>,
    /// Threads that have not returned.
    pub(crate) live: usize,
}

impl Cluster {
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

    /// The cost of a use of a primitive to `core`, for a message of some class.
    pub(crate) fn price(&self, core: usize, primitive: Primitive, class: Class) -> Cost {
        self.setting.prices.of(self.cores[core].list(), primitive, class)
    }

    /// Records an event of the run at the present time.
    pub(crate) fn record(&mut self, event: Event) {
        self.measure.record(self.agenda.now(), event);
    }

    /// Has the fiber at work on `core` go on at `at`.
    pub(crate) fn continue_at(&mut self, core: usize, at: Time) {
        let tie = self.nodes[self.cores[core].node()].tie;
        let epoch = self.cores[core].clock.go_on_at(at);
        self.agenda.push(at, tie, Happening::Continue { core: core as u32, epoch });
    }

    /// Has the fiber at work on `core` go on now, `cost` ahead of engine time: nobody sees it before its next effect.
    pub(crate) fn continue_now(&mut self, core: usize, cost: Time) {
        let clock = &mut self.cores[core].clock;
        clock.advance(cost);
        let epoch = clock.go_on_at(self.agenda.now());
        self.agenda.go_on_now(core, epoch);
    }

    /// Brings engine time up to the clock of `core`, whose fiber runs now. True if that fiber must suspend because
    /// something else comes first; it will be taken up at the right time.
    pub(crate) fn settle(&mut self, core: usize) -> bool {
        let ahead = self.cores[core].clock.take_ahead();
        if ahead.is_zero() {
            return false;
        }
        let goes_on = self.agenda.pass(ahead);
        if let Some(at) = goes_on {
            self.continue_at(core, at);
        }
        goes_on.is_some()
    }

    /// Whether messages of `core`'s threads are injected by another processor.
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

    /// Whether the waiter that the thread on `core` took last has not been resumed yet.
    pub(crate) fn still_awaits(&self, core: usize) -> bool {
        self.nodes[self.cores[core].node()].threads.still_awaits(self.thread_on(core))
    }

    /// The thread that runs on `core` blocks from now on.
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

    /// Whether that wait of a thread on a node has not been ended yet.
    pub(crate) fn waits(&self, node: usize, waiter: Waiter) -> bool {
        self.nodes[node].threads.waits(waiter)
    }

    /// A blocked thread of a node may run again. False if that wait has been ended already.
    pub(crate) fn resume(&mut self, node: usize, waiter: Waiter) -> bool {
        let ended = self.nodes[node].threads.end_wait(waiter);
        if ended == Some(true) {
            self.make_ready(node, waiter.thread);
        }
        ended.is_some()
    }

    /// A thread may run again that waits for deposits. No handler resumes it: it polls and reads the count, which is in
    /// no cache now.
    pub(crate) fn resume_by_deposit(&mut self, node: usize, waiter: Waiter) {
        self.nodes[node].threads.note_deposit(waiter);
        self.resume(node, waiter);
    }

    /// A thread may run again: a processor that idles takes it.
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

    /// The processor that takes a thread which has just become ready: one that has nothing to do and has been so for longest.
    fn taker(&self, node: usize, thread: u32) -> Option<usize> {
        let place = &self.nodes[node];
        if let Some(processor) = place.threads.bound_to(thread) {
            return Some(place.first_core + processor).filter(|&core| self.cores[core].is_idle());
        }
        let all = place.first_core..place.first_core + place.cores;
        let computing = all.filter(|&core| !self.cores[core].is_dedicated() && self.takes_threads(core));
        computing.filter_map(|core| Some((self.cores[core].idle_since()?, core))).min().map(|(_, core)| core)
    }

    /// A thread begins to wait for a block of shared memory, or has it: the processors that may run it, if they idle, wait for
    /// memory meanwhile.
    pub(crate) fn note_wait_for_block(&mut self, node: usize, thread: u32, begins: bool) {
        let now = self.agenda.now();
        self.each_that_may_run(node, thread, |ledger| ledger.await_block(now, begins));
    }

    /// A thread comes to the processors that may run it, or has returned: a processor without threads waits for nothing.
    pub(crate) fn count_thread(&mut self, node: usize, thread: u32, comes: bool) {
        let now = self.agenda.now();
        self.each_that_may_run(node, thread, |ledger| ledger.count_thread(now, comes));
    }

    /// Does something with the books of each processor that may run a thread.
    fn each_that_may_run(&mut self, node: usize, thread: u32, mut with: impl FnMut(&mut Ledger)) {
        let place = &self.nodes[node];
        let cores = match place.threads.bound_to(thread) {
            Some(processor) => place.first_core + processor..place.first_core + processor + 1,
            None => place.first_core..place.first_core + place.cores,
        };
        let computing = self.cores[cores].iter_mut().filter(|core| !core.is_dedicated());
        computing.for_each(|core| with(&mut core.ledger));
    }

    /// Whether a thread is ready for `core`.
    pub(crate) fn has_ready(&self, core: usize) -> bool {
        let own = &self.cores[core];
        self.nodes[own.node()].threads.has_ready(own.number().into(), own.is_dedicated())
    }

    /// The thread that `core` goes on with.
    pub(crate) fn next_thread(&mut self, core: usize) -> Option<u32> {
        let own = &self.cores[core];
        let threads = &mut self.nodes[own.node()].threads;
        if own.is_dedicated() { None } else { threads.next(own.number().into()) }
    }

    /// Whether a thread has run on `core`.
    pub(crate) fn has_run_threads(&self, core: usize) -> bool {
        let own = &self.cores[core];
        self.nodes[own.node()].threads.has_run(own.number().into())
    }

    /// What it takes `core` to let a thread go on after it has waited.
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

    /// The thread on whose stack a handler of `core` may run: the last one there, unless that may go on elsewhere meanwhile.
    pub(crate) fn host_of_handlers(&self, core: usize) -> Option<u32> {
        let own = &self.cores[core];
        let last = self.nodes[own.node()].threads.last_bound(own.number().into());
        last.filter(|_| !self.nodes[own.node()].dispatch.moves_threads())
    }

    /// The event of the handler that begins on `core`.
    pub(crate) fn begin_handler(&mut self, core: usize) -> Job {
        let job = self.cores[core].take_job().expect("a handler begins with an event");
        let (node, processor) = (self.cores[core].node() as u32, self.cores[core].number());
        if let Due::Message { flight } = job.event {
            let flight = &self.link.flights[flight];
            let (message, source) = (flight.packet().id().0, flight.packet().source().0);
            let start = Event::HandlerStart { node, processor, message, source, flow: flight.number() };
            let purpose = Purpose { class: flight.class(), kind: flight.kind(), key: Some(job.held.key()) };
            self.measure.record(self.cores[core].clock.at(self.agenda.now()), start);
            self.cores[core].serve(purpose);
        }
        job
    }

    /// After the handler on `core` has ended: whether the same fiber may go straight on with the next one, because
    /// this core has been given one and no other event comes before it.
    pub(crate) fn handler_goes_on(&mut self, core: usize) -> bool {
        let due = self.agenda.first_due();
        let goes_on = due.is_some_and(|(other, epoch)| other == core && self.cores[core].clock.counts(epoch))
            && self.cores[core].activity() == Activity::Handler;
        if goes_on {
            self.agenda.take_due();
        }
        goes_on
    }

    /// Whom the handler on `core` has let go on is at the bus before what follows the handler. True if its fiber must suspend.
    pub(crate) fn lets_others_first(&mut self, core: usize) -> bool {
        let waits = self.cores[core].clock.has_after() && self.agenda.first_due().is_some();
        if waits {
            self.continue_now(core, Time::ZERO);
        }
        waits
    }

    /// Spends the occupancy that follows a handler.
    pub(crate) fn spend_completion(&mut self, core: usize) {
        let back = self.way_back(core);
        self.cores[core].clock.owe_time(back);
        self.at_work(core).spend_tail();
    }

    /// The handler on `core` has ended: its key is free, and the core too.
    pub(crate) fn finish_handler(&mut self, core: usize, held: Held) {
        let (node, processor) = (self.cores[core].node(), self.cores[core].number());
        self.record(Event::HandlerEnd { node: node as u32, processor });
        self.cores[core].ledger.count().handlers += 1;
        self.leave_handler(core);
        self.nodes[node].dispatch.events.complete(self.agenda.now(), held);
        self.agenda.note_progress();
        if self.adapts(core) {
            self.measure_roles(node);
        }
        self.free(core);
        self.notify(node);
    }

    /// What is charged on `core` is no handler's any more.
    pub(crate) fn leave_handler(&mut self, core: usize) {
        let (now, threads) = (self.agenda.now(), self.measure.anatomy.threads());
        let state = &mut self.cores[core];
        state.service.end_handler(now, state.ledger.waited_for_memory());
        state.serve(Purpose::of_thread(threads));
        self.note_handler_end(core);
    }

    /// A thread gets the key it asked for.
    pub(crate) fn grant(&mut self, core: usize, thread: u32, held: Held) {
        let node = self.cores[core].node();
        self.nodes[node].threads.grant(thread, held);
        self.make_ready(node, thread);
        self.free(core);
        self.notify(node);
    }

    /// The thread on `core` has returned.
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

    /// The node as messages name it.
    pub(crate) fn node_id(&self, core: usize) -> NodeId {
        NodeId(self.cores[core].node() as u32)
    }
}

/// Roles that change.
impl Cluster {
    fn cores_of(&self, node: usize) -> std::ops::Range<usize> {
        let node = &self.nodes[node];
        node.first_core..node.first_core + node.cores
    }

    /// Whether the roles of the processors of `core`'s node may change.
    #[inline]
    pub(crate) fn adapts(&self, core: usize) -> bool {
        self.nodes[self.cores[core].node()].dispatch.serving.roles().is_some()
    }

    /// The node looks at its clocks: if an interval is over, roles may change.
    pub(crate) fn measure_roles(&mut self, node: usize) {
        let (dispatch, view) = self.parts(node);
        let waited = dispatch.events.waits().total;
        let Some(roles) = dispatch.serving.roles_mut() else { return };
        if !roles.measure(view.now, view.cores, waited) {
            return;
        }
        for core in self.cores_of(node).rev() {
            if self.cores[core].is_idle() {
                self.free(core);
            }
        }
    }

    /// `core` has nothing to go on with: it changes its role if its node wants that. Whether it did.
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

    /// Binds the threads of a node to processors that compute: to their own, or else to others in turn.
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

    /// Roles of a node have changed: idle processors see what there is for them now.
    fn look_again(&mut self, node: usize) {
        for core in self.cores_of(node) {
            if self.cores[core].is_idle() && self.has_ready(core) {
                self.free(core);
            }
        }
        self.notify(node);
    }

    /// Whether the thread on `core` has to go elsewhere because its processor is to be dedicated.
    pub(crate) fn has_to_leave(&self, core: usize) -> bool {
        let roles = self.nodes[self.cores[core].node()].dispatch.serving.roles();
        roles.is_some_and(|roles| roles.wants_more()) && self.may_leave_threads(core)
    }

    /// The thread on `core` goes elsewhere, and its processor is dedicated.
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
    /// Whether the thread on `core` passes by at this poll, and what that takes.
    pub(crate) fn passes_by(&mut self, core: usize) -> bool {
        let passes = self.cores[core].looks.passes();
        if let (false, Some(thread)) = (passes, self.cores[core].thread()) {
            self.nodes[self.cores[core].node()].threads.attempts(thread).note_look();
        }
        if passes {
            let pass = self.setting.machine.processor.pass;
            self.cores[core].spend(Bucket::Overhead, pass);
        }
        passes
    }

    /// The work of a poll of the thread on `core`.
    pub(crate) fn poll(&mut self, core: usize) -> Poll {
        let (own, number) = (&self.cores[core], self.cores[core].number());
        let Node { dispatch, cores, .. } = &mut self.nodes[own.node()];
        dispatch.poll(number.into(), *cores)
    }

    /// Whether `core`, which has unmasked interrupts, is interrupted for an event that came before.
    pub(crate) fn notices_late(&self, core: usize) -> bool {
        self.nodes[self.cores[core].node()].dispatch.interrupts() && self.has_event(core)
    }

    /// The thread on `core` has looked.
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

    /// A node may find something to do at `at`.
    pub(crate) fn look_at(&mut self, node: usize, at: Time) {
        let tie = self.nodes[node].tie;
        self.agenda.push(at, tie, Happening::Look { node: node as u32 });
    }
}
