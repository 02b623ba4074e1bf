//! Who runs what next.
//!
//! A processor that becomes free looks, in this order, for an event it may handle, a message it may inject for a
//! thread, the thread it put off, a ready thread; else it idles. An event that becomes dispatchable looks for an idle
//! processor that may handle it; if there is none, the policy says whether a computing one is interrupted.

use machine::{Class, Cost};
use tempest::Primitive;
use tempest::policy::{Notice, Servers};
use trace::Event as Traced;
use units::Time;

use crate::cluster::Cluster;
use crate::dispatch::Arrived;
use crate::measure::anatomy::Taken;
use crate::processor::core::{Activity, Bucket, Core, Event, Job};

impl Cluster {
    /// `core` has nothing to do now: finds it something.
    pub(crate) fn free(&mut self, core: usize) {
        let node = self.cores[core].node;
        let changed = self.change_role(core);
        self.find_work(core);
        if changed {
            self.look_again(node);
        }
    }

    fn find_work(&mut self, core: usize) {
        if self.calls_routine() {
            return self.free_from_routine(core);
        }
        let served = self.setting.assisted && self.back_to_step(core)
            || !self.leaves_to_idle(core) && self.serve(core, Time::ZERO);
        if !served && !self.back_to_thread(core) {
            self.end_idling(core);
            self.cores[core].begin_idling(self.agenda.now);
            if self.setting.assisted {
                self.look_while_idle(core);
                self.await_interface(self.cores[core].node);
            }
        }
    }

    /// A computing processor that has nothing to do but look at the interface, which it shares with the network
    /// processor, gets in its way. The network processor looks at a register and takes the lock only for a message.
    fn look_while_idle(&mut self, core: usize) {
        if self.setting.policy.servers != Servers::Either || self.is_network_processor(core) {
            return;
        }
        let (now, look) = (self.agenda.now, self.setting.machine.processor.poll);
        if let Some(lock) = &mut self.nodes[self.cores[core].node].port.lock {
            lock.look(now, core, look);
        }
    }

    /// Whether `core` has a thread to go on with, and what waits can be left to a processor that idles.
    fn leaves_to_idle(&self, core: usize) -> bool {
        let state = &self.cores[core];
        let has_own = state.interrupted.is_some() || self.has_ready(core);
        if has_own && self.is_served(state.node) {
            return true;
        }
        has_own && self.something_waits(state.node) && self.idle_server(state.node).is_some()
    }

    /// Starts a handler, after `delay`, or an injection on `core`: they take turns when both wait.
    pub(crate) fn serve(&mut self, core: usize, delay: Time) -> bool {
        if self.is_network_processor(core) {
            return self.go_on_with_pass(core);
        }
        let handlers_first = self.cores[core].injected_last;
        handlers_first && self.start_handler(core, delay)
            || self.start_injection(core)
            || self.start_handler(core, delay)
    }

    /// Something became dispatchable on `node`: finds processors for all of it.
    pub(crate) fn notify(&mut self, node: usize) {
        if self.calls_routine() {
            return self.notify_routine(node);
        }
        while self.something_waits(node) {
            let started = match self.idle_server(node) {
                Some(core) => self.serve(core, Time::ZERO),
                None => self.interrupt(node),
            };
            if !started {
                if self.setting.assisted {
                    self.await_interface(node);
                }
                return;
            }
        }
    }

    /// Gives `core` the oldest event it may handle; it starts after `delay` and the cost of dispatch.
    pub(crate) fn start_handler(&mut self, core: usize, delay: Time) -> bool {
        let Some(server) = self.serves(core) else { return false };
        let Some(job) = self.next_job(core, server) else { return false };
        let (wait, arrival_cost, step) = self.arrival_cost(core, &job);
        self.end_idling(core);
        let now = self.agenda.now;
        let fetch = match job.event {
            Event::Message { flight } => self.time_to_fetch(core, flight),
            Event::Grant { .. } => Time::ZERO,
        };
        let path = delay + fetch + arrival_cost.path - self.put_on_bus(core, arrival_cost.bus, step);
        let state = &mut self.cores[core];
        state.activity = Activity::Handler;
        state.injected_last = false;
        state.tail += arrival_cost.occupancy;
        state.after = state.after.and(arrival_cost.after);
        state.book(Bucket::Memory, wait);
        state.book(Bucket::Overhead, path);
        state.job = Some(job);
        state.note_handler(now + state.ahead + delay, delay);
        self.continue_now(core, wait + path);
        // It may have come out of the interface.
        self.admit_next(self.cores[core].node);
        true
    }

    /// Whether `core` would find an event to handle.
    pub(crate) fn has_job(&self, core: usize) -> bool {
        let Some(server) = self.serves(core) else { return false };
        if self.calls_routine() {
            return self.finds_event(core, server);
        }
        let node = &self.nodes[self.cores[core].node];
        !node.dispatch.resumed.is_empty()
            || !node.dispatch.unseen.is_empty()
            || self.next_to_receive(core).is_some()
            || node.dispatch.queue.can_dispatch(server)
    }

    /// Which message `core`, if it computes and takes messages out of the interface too, would find there: not one whose
    /// turn comes after one that the network processor has.
    fn next_to_receive(&self, core: usize) -> Option<usize> {
        let Core { node, dedicated, .. } = self.cores[core];
        if self.setting.policy.servers != Servers::Either || dedicated {
            return None;
        }
        let mut incoming = self.nodes[node].dispatch.incoming.iter();
        incoming.position(|message| self.is_next_in_line(node, message.flight))
    }

    /// A thread on `core` lets waiting handlers run here after `delay`, and goes on after them. The caller suspends
    /// if true.
    pub(crate) fn yield_to_handlers(&mut self, core: usize, delay: Time) -> bool {
        let Activity::Thread(thread) = self.cores[core].activity else { return false };
        let started = self.start_handler(core, delay);
        if started {
            self.cores[core].interrupted = Some((thread, Time::ZERO));
        }
        started
    }

    /// Whether this back-edge poll looks: where processors take turns, that of the one that owns them, which passes them on;
    /// while others are dedicated to that, none.
    pub(crate) fn owns_poll(&mut self, core: usize) -> bool {
        if !self.floats(self.cores[core].node) {
            return !self.setting.adapts;
        }
        let number = usize::from(self.cores[core].number);
        let node = &mut self.nodes[self.cores[core].node];
        let owns = node.dispatch.poll_owner == number;
        if owns {
            node.dispatch.poll_owner = (number + 1) % node.cores;
        }
        owns
    }

    fn next_job(&mut self, core: usize, server: usize) -> Option<Job> {
        if self.calls_routine() {
            return self.next_in_call(core, server);
        }
        let now = self.agenda.now;
        let node = self.cores[core].node;
        if let Some(resumed) = self.nodes[node].dispatch.resumed.pop_front() {
            return Some(resumed);
        }
        if !self.nodes[node].dispatch.queue.can_dispatch(server)
            && let Some(Arrived { at, flight }) = self.next_arrived(core)
        {
            let key = self.key_of(node, self.link.flights[flight as usize].packet());
            self.nodes[node].dispatch.queue.enqueue(at, key, Event::Message { flight });
            self.leave_line(node, flight);
        }
        let dispatched = self.nodes[node].dispatch.queue.dispatch(now, server)?;
        Some(Job { held: dispatched.held, event: dispatched.event })
    }

    /// The next message that `core` has not looked at: one that waits for it, or else one in an interface that it shares.
    fn next_arrived(&mut self, core: usize) -> Option<Arrived> {
        let (now, received) = (self.agenda.now, self.next_to_receive(core));
        let node = &mut self.nodes[self.cores[core].node];
        if let Some(arrived) = node.dispatch.unseen.pop_front() {
            node.dispatch.spilled = node.dispatch.spilled.saturating_sub(1);
            return Some(arrived);
        }
        let arrived = node.dispatch.incoming.remove(received?)?;
        node.dispatch.queue.arrive(now);
        Some(arrived)
    }

    /// What it takes `core` to get an event, before its handler: waiting for the interface, then taking it. And what step that
    /// is, to the account of where time goes.
    fn arrival_cost(&mut self, core: usize, job: &Job) -> (Time, Cost, Option<(u16, Taken)>) {
        let Event::Message { flight } = job.event else {
            return (Time::ZERO, self.cost_of_grant(core), None);
        };
        let (cost, step) = self.cost_of_event(core, flight);
        let taken = self.link.flights[flight as usize].forwarded;
        let shared = self.setting.policy.servers == Servers::Either && !taken;
        let wait = if shared { self.wait_for_interface(core, cost.path) } else { Time::ZERO };
        (wait, cost, Some(step))
    }

    /// Giving a key to a thread that asked for it: an event of the dispatch queue like others, unless the processor
    /// looks for its events itself and finds in its own memory that the key is free.
    fn cost_of_grant(&self, core: usize) -> Cost {
        if self.looks_itself() { Cost::default() } else { self.price(core, Primitive::Dispatch, Class::User) }
    }

    fn something_waits(&self, node: usize) -> bool {
        let node = &self.nodes[node];
        !node.dispatch.queue.is_empty()
            || !node.dispatch.resumed.is_empty()
            || !node.dispatch.unseen.is_empty()
            || node.dispatch.routine.has_faults()
            || !node.dispatch.incoming.is_empty()
            || !node.port.handed_over.is_empty()
    }

    /// The idle processor that may do something now and became idle last: its caches are the warmest. What comes to a
    /// network processor and a computing one that both look for it, the latter sees first: it looks at nothing else.
    pub(crate) fn idle_server(&self, node: usize) -> Option<usize> {
        let first = self.nodes[node].first_core;
        if self.setting.policy.servers == Servers::Either
            && self.cores[first].is_idle()
            && self.has_job(first)
        {
            return Some(first);
        }
        let node = &self.nodes[node];
        (node.first_core..node.first_core + node.cores)
            .filter_map(|core| match self.cores[core].activity {
                Activity::Idle { since } if self.has_job(core) || self.may_inject(core) => {
                    Some((since, core))
                }
                _ => None,
            })
            .max_by_key(|&(since, core)| (self.cores[core].dedicated, since, std::cmp::Reverse(core)))
            .map(|(_, core)| core)
    }

    /// Interrupts the next computing processor, if the policy interrupts at all and there is an event for it.
    pub(crate) fn interrupt(&mut self, node: usize) -> bool {
        let Some(core) = self.to_interrupt(node).filter(|_| !self.is_served(node)) else { return false };
        let Activity::Thread(thread) = self.cores[core].activity else { return false };
        let left = self.cores[core].until - self.agenda.now;
        let epoch = self.cores[core].epoch;
        self.cores[core].epoch = epoch.wrapping_add(1);
        if !self.start_handler(core, self.setting.machine.processor.interrupt) {
            // Somebody else has the key of the message that came: it is the key that is waited for now.
            self.cores[core].epoch = epoch;
            return false;
        }
        self.cores[core].interrupted = Some((thread, left));
        self.cores[core].counters.interrupts += 1;
        let number = self.cores[core].number;
        self.nodes[node].dispatch.next_interrupt = (usize::from(number) + 1) % self.nodes[node].cores;
        self.record(Traced::Interrupt { node: node as u32, processor: number });
        true
    }

    fn to_interrupt(&self, node: usize) -> Option<usize> {
        let place = &self.nodes[node];
        let computing = |core: usize| self.running != Some(core) && self.cores[core].is_computing();
        let mut all = place.first_core..place.first_core + place.cores;
        match self.setting.policy.notice {
            Notice::Poll => return None,
            Notice::InterruptWhenBusy if !all.all(computing) => return None,
            _ => {}
        }
        (0..place.cores)
            .map(|offset| place.first_core + (place.dispatch.next_interrupt + offset) % place.cores)
            .find(|&core| computing(core) && self.has_job(core))
    }

    /// Goes back to the thread that handlers put off, or on to a ready one.
    pub(crate) fn back_to_thread(&mut self, core: usize) -> bool {
        if let Some((thread, left)) = self.cores[core].interrupted.take() {
            self.cores[core].activity = Activity::Thread(thread);
            let left = left + self.report_computing(core);
            if left.is_zero() {
                self.continue_now(core, left);
            } else {
                self.continue_at(core, self.agenda.now + left);
            }
            return true;
        }
        let Some(thread) = self.next_thread(core) else { return false };
        self.end_idling(core);
        let ran_before = self.cores[core].last_thread.is_some();
        let switch = self.switch_to(core, thread);
        let Core { node, number: processor, .. } = self.cores[core];
        let (poll, read) = self.cost_of_noticing(node, thread);
        let report = if ran_before { self.report_computing(core) } else { Time::ZERO };
        let cost = switch + poll + read + report;
        self.measure
            .sink
            .record(self.agenda.now + cost, Traced::Run { node: node as u32, processor, thread });
        self.cores[core].activity = Activity::Thread(thread);
        self.cores[core].book(Bucket::Overhead, switch + poll);
        self.cores[core].book(Bucket::Memory, read);
        self.continue_now(core, cost);
        true
    }

    /// What it takes a thread to notice that a deposit has ended its wait: a poll, and a read of the count.
    fn cost_of_noticing(&mut self, node: usize, thread: u32) -> (Time, Time) {
        let noticing = std::mem::take(&mut self.nodes[node].threads.all[thread as usize].noticing);
        let costs = (self.setting.machine.processor.poll, self.setting.machine.memory.read);
        if noticing { costs } else { (Time::ZERO, Time::ZERO) }
    }

    /// Books the idle time that ends now.
    pub(crate) fn end_idling(&mut self, core: usize) {
        if self.cores[core].is_idle() {
            self.cores[core].book_idling(self.agenda.now);
            if let Some(lock) = &mut self.nodes[self.cores[core].node].port.lock {
                lock.stop_looking(core);
            }
        }
    }
}
