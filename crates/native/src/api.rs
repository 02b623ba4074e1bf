//! [`Messages`] and [`Scheduling`]: what the waist asks of a processor for the thread or handler that runs on it now. The modules
//! named by what they do know how. Work takes the time that it takes here, so there is no accounting. This module must never
//! know protocols.

use std::any::Any;

use tempest::policy::Servers;
use tempest::world::{DispatchKey, Messages, Node, Packet, PollInterval, Proof, Scheduling, Transfer, Wait};
use tempest::{Block, Event, Memory, NodeId, Place, Tag, ThreadId, Waiter};
use trace::Event as Traced;
use units::Time;

use crate::apart::bump;
use crate::control::barrier::Entry;
use crate::dispatch::dispatcher::Dispatcher;
use crate::link::ring::Origin;
use crate::memory::set_aside::Lowerings;
use crate::processor::core::Processor;
use crate::processor::threads::Reason;

impl Messages for Processor {
    fn post(&self, to: NodeId, packet: &Packet) {
        self.count_message(to, packet);
        self.post_counted(to, packet, Origin::Handler);
    }

    fn post_transfer(&self, to: NodeId, transfer: Transfer<'_>, packet: &Packet) {
        // The ring's release and acquire order the words before the handler, and so does the outbox's lock.
        if self.scatter(to, transfer) {
            self.post(to, packet);
            self.count_transfer(to, transfer);
        }
    }

    fn post_block(&self, to: NodeId, block: Block, words: &[u64], packet: &Packet) {
        self.send_block(to, block, words, packet);
    }

    fn offer(&self, to: NodeId, packet: &Packet) -> bool {
        self.sample_send(|| self.offer_now(to, packet))
    }

    fn transfer(&self, to: NodeId, transfer: Transfer<'_>, packet: &Packet) -> bool {
        // The ring's release and acquire order the words before the handler.
        let start = self.world.now_ns();
        let sent = self.scatter(to, transfer) && self.offer_now(to, packet);
        if sent {
            self.count_transfer(to, transfer);
            // A block is worth two looks at the clock.
            bump(&self.gauge().overhead_ns, self.world.now_ns() - start);
        }
        sent
    }

    fn deposit(&self, to: NodeId, place: Place, words: &[u64]) -> bool {
        self.sample_send(|| {
            self.deposit_now(to, place, words);
            // It is written where it belongs: there is always room.
            true
        })
    }

    fn mapped(&self, node: NodeId) -> Option<&Node> {
        Some(self.memory_of(node))
    }

    fn make_room(&self, to: NodeId) {
        if self.local().lacks_room(to, self.world.running_ns()) {
            self.lacking.set(self.lacking.get() + 1);
            self.trace(|node, _| Traced::Block { node, thread: self.current.get(), what: "room" });
        }
        self.wake_receiver(to);
        let moved = self.move_on();
        if self.serves() && self.serve_or_leave() > 0 || moved {
            self.attempts.set(0);
        } else {
            let attempts = self.attempts.get().saturating_add(1);
            self.attempts.set(attempts);
            if let Some(attempts) = attempts.checked_sub(self.ready.len()) {
                self.wait_for_room(attempts);
            }
        }
        self.step_back();
    }
}

impl Scheduling for Processor {
    fn waiter(&self) -> Waiter {
        let thread = self.current.get();
        let generation = self.node().threads[thread as usize].generation();
        self.local().wait.set(generation);
        Waiter { thread, generation }
    }

    fn block(&self, wait: Wait) {
        let generation = self.local().wait.get();
        let slot = &self.node().threads[self.current.get() as usize];
        self.wait_until(Reason::Event(wait), || slot.generation() != generation);
    }

    fn resume(&self, waiter: Waiter) -> bool {
        self.end_own_wait(waiter)
    }

    fn wait(&self, event: &Event, at_least: u64) {
        let (node, thread) = (self.node(), self.current.get());
        let slot = &node.threads[thread as usize];
        let generation = slot.generation();
        let waiter = Waiter { thread, generation };
        let waits = if self.is_alone() {
            tempest::world::enlist_alone(event, node.id, at_least, waiter)
        } else {
            tempest::world::enlist(event, node.id, at_least, waiter)
        };
        if waits {
            let reason = Reason::Event(Wait::Event { name: event.name(), at_least, had: event.count() });
            self.suspend_until(reason, || slot.generation() != generation);
        }
    }

    fn signal(&self, event: &Event, amount: u64) {
        let node = self.node();
        if self.is_alone() {
            tempest::world::signal_alone(event, node.id, amount, |waiter| {
                self.end_wait_alone(node, waiter);
            });
        } else {
            tempest::world::signal(event, node.id, amount, |waiter| {
                self.end_wait(node.id, waiter);
            });
        }
    }

    fn poll(&self) {
        self.give_up_if_over();
        self.heed();
        if self.world.policy.servers != Servers::Idle || self.owns_poll() {
            let events =
                if self.has_stack_for_handlers() { self.serve_at_point() } else { self.have_loop_serve() };
            self.pace.note(events > 0);
        }
        if self.lowerings().is_some_and(Lowerings::awaits_access) && self.has_threads_to_run() {
            self.take_inbox();
            self.step_back();
        }
    }

    fn spin(&self) {
        self.give_up_if_over();
        if self.poll_interval() == PollInterval::Never && self.serves() {
            self.poll();
        }
    }

    fn pass_by(&self) {
        self.give_up_if_over();
    }

    fn next_poll(&self) -> u32 {
        self.pace.next(Time::from_nanoseconds(self.world.now_ns()))
    }

    fn hold(&self, key: DispatchKey, body: &mut dyn FnMut(Proof<'_>)) {
        self.give_up_if_over();
        match &self.node().dispatcher {
            Dispatcher::Own(_) | Dispatcher::Serial(_) => self.hold_serial(key, body),
            Dispatcher::Keyed(shared) => self.hold_keyed(shared, key, body),
        }
    }

    fn fault(&self, packet: &Packet) {
        self.handle_fault(packet);
    }

    fn lower_at_once(&self, memory: &Memory, block: Block, tag: Tag) -> bool {
        self.take_away_at_once(memory, block, tag)
    }

    fn accessed(&self) {
        self.tell_access();
    }

    fn enter_phase(&self, name: &'static str) {
        let thread = ThreadId { node: self.node().id, index: self.current.get() };
        match self.world.enter_phase(thread, name) {
            Entry::Last(others) => {
                let index = self.world.phases.entered() - 1;
                self.trace(|_, _| Traced::Phase { index, name });
                others.into_iter().for_each(|thread| self.make_ready(thread));
            }
            Entry::Wait(count) => {
                self.wait_until(Reason::Phase(name), || self.world.phases.entered() >= count);
            }
        }
    }

    fn end_by_panic(&self, panic: &(dyn Any + Send)) {
        self.fail_by_panic(panic);
    }

    fn end_by_unwinding(&self, what: &str) {
        self.abandon(what);
    }

    fn now(&self) -> Time {
        self.world.now()
    }
}
