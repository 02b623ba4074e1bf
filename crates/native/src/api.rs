//! The waist's services to the running thread or handler: [`Messages`] and [`Scheduling`] for a processor. The modules of each concern
//! do the work. Real work takes real time here, so nothing is charged. This module must never know protocols.

use std::any::Any;

use tempest::policy::Servers;
use tempest::world::{
    DispatchKey, Messages, Packet, PollInterval, Proof, Scheduling, Segments, Transfer, Wait, counted,
};
use tempest::{Block, Event, Memory, NodeId, Place, Tag, Waiter};
use trace::Event as Traced;
use units::Time;

use crate::control::regions;
use crate::dispatch::faults;
use crate::link::{resume, send, wake};
use crate::memory::{blocks, downgrades, segments};
use crate::padding::bump;
use crate::parts::core::Processor;
use crate::parts::dispatcher::Dispatcher;
use crate::parts::set_aside::Downgrades;
use crate::parts::stacks;
use crate::parts::threads::Reason;
use crate::processor::{holding, idle, points, scheduler, unwinding, waits};
use crate::rings::message::Origin;

impl Messages for Processor {
    fn post(&self, to: NodeId, packet: &Packet) {
        send::count_message(&self.endpoint, to, packet);
        send::post_counted(&self.endpoint, to, packet, Origin::Handler);
    }

    fn post_transfer(&self, to: NodeId, transfer: Transfer<'_>, packet: &Packet) {
        // The ring's release and acquire order the words before the handler, and so does the outbox's lock.
        if segments::scatter(&self.endpoint, to, transfer) {
            self.post(to, packet);
            segments::count_transfer(&self.endpoint, to, transfer);
        }
    }

    fn post_block(&self, to: NodeId, block: Block, words: &[u64], packet: &Packet) {
        blocks::send_block(&self.endpoint, to, block, words, packet);
    }

    fn offer(&self, to: NodeId, packet: &Packet) -> bool {
        send::sample_send(&self.endpoint, move || send::offer_now(&self.endpoint, to, packet))
    }

    fn transfer(&self, to: NodeId, transfer: Transfer<'_>, packet: &Packet) -> bool {
        // The ring's release and acquire order the words before the handler.
        let start = self.world().now_ns();
        let sent =
            segments::scatter(&self.endpoint, to, transfer) && send::offer_now(&self.endpoint, to, packet);
        if sent {
            segments::count_transfer(&self.endpoint, to, transfer);
            // A transfer is long enough to be worth two clock readings.
            bump(&self.gauge().overhead_ns, self.world().now_ns() - start);
        }
        sent
    }

    fn deposit(&self, to: NodeId, place: Place, words: &[u64]) -> bool {
        send::sample_send(&self.endpoint, move || {
            segments::deposit_now(&self.endpoint, to, place, words);
            // The words are written to their destination: there is always room.
            true
        })
    }

    fn mapped(&self, node: NodeId) -> Option<&Segments> {
        Some(segments::segments_of(&self.endpoint, node))
    }

    fn make_room(&self, to: NodeId) {
        if self.endpoint.threads.lacks_room(to, self.world().running_ns()) {
            self.endpoint.tracer.trace(|node, _| Traced::Block {
                node,
                thread: self.endpoint.threads.current(),
                what: "room",
            });
        }
        wake::receiver(&self.endpoint, to);
        let moved = send::move_on(&self.endpoint);
        if self.endpoint.serves() && points::serve_or_leave(self) > 0 || moved {
            self.endpoint.sending.note_room();
        } else {
            let attempts = self.endpoint.sending.note_attempt();
            if let Some(attempts) = attempts.checked_sub(self.endpoint.threads.ready()) {
                idle::wait_for_room(self, attempts);
            }
        }
        waits::step_back(&self.endpoint);
    }
}

impl Scheduling for Processor {
    fn waiter(&self) -> Waiter {
        let thread = self.endpoint.threads.current();
        let generation = self.node().threads[thread as usize].generation();
        self.endpoint.threads.local().wait.set(generation);
        Waiter { thread, generation }
    }

    fn block(&self, wait: Wait) {
        let generation = self.endpoint.threads.local().wait.get();
        let slot = &self.node().threads[self.endpoint.threads.current() as usize];
        waits::wait_until(self, Reason::Event(wait), || slot.generation() != generation);
    }

    fn resume(&self, waiter: Waiter) -> bool {
        resume::end_wait_of_message(&self.endpoint, waiter)
    }

    fn wait(&self, event: &Event, at_least: u64) {
        let (node, thread) = (self.node(), self.endpoint.threads.current());
        let slot = &node.threads[thread as usize];
        let generation = slot.generation();
        let waiter = Waiter { thread, generation };
        let waits = if self.endpoint.is_alone() {
            tempest::world::enlist_alone(event, node.id, at_least, waiter)
        } else {
            tempest::world::enlist(event, node.id, at_least, waiter)
        };
        if waits {
            let reason = Reason::Event(Wait::Event { name: event.name(), at_least, had: counted(event) });
            waits::suspend_until(self, reason, || slot.generation() != generation);
        }
    }

    fn signal(&self, event: &Event, amount: u64) {
        let node = self.node();
        if self.endpoint.is_alone() {
            tempest::world::signal_alone(event, node.id, amount, |waiter| {
                resume::end_wait_alone(node, &self.endpoint.threads, waiter);
            });
        } else {
            tempest::world::signal(event, node.id, amount, |waiter| {
                resume::end_wait_beside_others(&self.endpoint, waiter);
            });
        }
    }

    fn poll(&self) {
        stacks::give_up_if_over(self.world());
        downgrades::heed(&self.endpoint);
        if self.world().policy.servers != Servers::Idle || self.endpoint.owns_poll() {
            let events = if stacks::has_stack_for_handlers() {
                points::serve_at_point(self)
            } else {
                points::have_loop_serve(self)
            };
            self.meter.pace().note(events > 0);
        }
        if self.endpoint.downgrades().is_some_and(Downgrades::awaits_access)
            && self.endpoint.has_threads_to_run()
        {
            scheduler::take_inbox(&self.endpoint);
            waits::step_back(&self.endpoint);
        }
    }

    fn spin(&self) {
        stacks::give_up_if_over(self.world());
        if self.endpoint.poll_interval() == PollInterval::Never && self.endpoint.serves() {
            self.poll();
        }
    }

    fn pass_by(&self) {
        self.spin();
    }

    fn next_poll(&self) -> u32 {
        self.meter.pace().next(Time::from_nanoseconds(self.world().now_ns()))
    }

    fn hold(&self, key: DispatchKey, body: &mut dyn FnMut(Proof<'_>)) {
        stacks::give_up_if_over(self.world());
        match &self.node().dispatcher {
            Dispatcher::Own(_) | Dispatcher::Serial(_) => holding::hold_serial(self, key, body),
            Dispatcher::Keyed(shared) => holding::hold_keyed(self, shared, key, body),
        }
    }

    fn fault(&self, packet: &Packet) {
        faults::handle_fault(self, packet);
    }

    fn lower_at_once(&self, memory: &Memory, block: Block, tag: Tag) -> bool {
        downgrades::take_away_at_once(&self.endpoint, memory, block, tag)
    }

    fn accessed(&self) {
        downgrades::tell_access(&self.endpoint);
    }

    fn enter_phase(&self, name: &'static str) {
        let count = regions::arrive(&self.endpoint, self.endpoint.threads.current(), name);
        waits::wait_until(self, Reason::Phase(name), || self.node().regions.entered() >= count);
    }

    fn end_by_panic(&self, panic: &(dyn Any + Send)) {
        unwinding::fail_by_panic(self, panic);
    }

    fn end_by_unwinding(&self, what: &str) {
        unwinding::abandon(&self.endpoint, what);
    }

    fn now(&self) -> Time {
        self.world().now()
    }
}
