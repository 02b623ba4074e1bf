//! The waits, polls and key requests of the fiber that runs now.
//!
//! This module must never know which event a processor is given.

use std::any::Any;
use std::cell::RefMut;
use std::thread::panicking;

use tempest::world::{DispatchKey, Held, Packet, Proof, Scheduling, Wait};
use tempest::{Event, NodeId, Primitive, Waiter};
use units::Time;

use super::{Edge, Kept};
use crate::cluster::{Cluster, memory, regions, routine};
use crate::dispatch::{Noticed, Poll};
use crate::processor::ledger::Bucket;
use crate::processor::threads::Reason;
use crate::{standstill, unwinding};

impl Edge {
    /// The thread that runs on this core.
    fn thread(&self) -> u32 {
        self.state().thread_on(self.core())
    }

    fn block_for(&self, reason: Reason) {
        self.state().block(self.core(), reason);
        self.suspend();
    }

    /// Waits, at the present time, until no other node has an earlier event.
    fn wait_for_order(&self) {
        loop {
            let waits = {
                let (mut state, core) = (self.state(), self.core());
                let waits = !state.agenda.is_in_order();
                if waits {
                    state.step_back(core);
                }
                waits
            };
            if !waits {
                return;
            }
            self.suspend();
        }
    }

    /// A poll under a policy that adapts: the node measures itself. If this processor is to be dedicated, its thread moves to
    /// another one.
    fn leave_for_handlers(&self) {
        let leaves = {
            let (mut state, core) = (self.state(), self.core());
            let node = state.cores[core].node();
            state.measure_roles(node);
            state.has_to_leave(core)
        };
        if !leaves {
            return;
        }
        self.settle();
        let leaves = self.state().has_to_leave(self.core());
        if leaves {
            self.state().leave_thread(self.core());
            self.suspend();
        }
    }

    /// A poll that depends on other processors of the node.
    #[inline(never)]
    fn poll_with_others(&self, mut poll: Poll) {
        if poll == Poll::Adapt {
            self.leave_for_handlers();
            poll = self.state().poll(self.core());
        }
        match poll {
            Poll::Look { locks } => self.look_under_lock(locks),
            Poll::Call => self.call_routine(),
            Poll::LeaveToOthers => self.leave_look(self.state()),
            Poll::Pass | Poll::Adapt => {}
        }
    }

    /// Polls without a look, which is left to other processors. The thread sees their results up to its clock. The poll
    /// takes no time, unless the thread does nothing else: the event that it waits for needs time to come.
    fn leave_look<'s>(&'s self, mut state: RefMut<'s, Cluster>) {
        let stands_still = state.stand_still(self.core());
        state = self.settled(state);
        if !stands_still {
            return;
        }
        let ends = standstill::looks_in_vain(&mut state, self.core());
        drop(state);
        if ends {
            self.suspend();
        }
    }

    /// Looks for events after a wait for the lock of the interface, if the look `locks` it.
    fn look_under_lock(&self, locks: bool) {
        if locks {
            self.settle();
        }
        let (mut state, core) = (self.state(), self.core());
        let poll = state.setting.machine.processor.poll;
        let wait = if locks { state.wait_for_interface(core, poll) } else { Time::ZERO };
        self.look(state, wait);
    }

    /// Looks for events after a wait. Lets a waiting handler run before the thread goes on, or records that the look was in vain.
    fn look<'s>(&'s self, mut state: RefMut<'s, Cluster>, wait: Time) {
        state.pay_look(self.core(), wait);
        state = self.settled_later(state);
        let core = self.core();
        let found = state.yield_to_handlers(core, Noticed::AT_ONCE);
        if !found {
            state.note_look(core, false);
        }
        let ends = !found && standstill::looks_in_vain(&mut state, core);
        drop(state);
        if found || ends {
            self.suspend();
        }
        if found {
            self.state().note_look(self.core(), true);
        }
    }

    /// Charges a turn of a thread that spins and has done nothing since its turn before: the event that it waits for
    /// needs time to come.
    fn let_time_go_on(&self) {
        self.settle_after(|state, core| {
            let turn = state.vain_look();
            state.cores[core].spend(Bucket::Overhead, turn);
        });
    }

    /// A poll at a back-edge, where the node's software has a dispatch routine.
    fn call_routine(&self) {
        self.settle();
        let find = routine::begin_call(&mut self.state(), self.core());
        let Some(find) = find else { return self.leave_look(self.state()) };
        self.settle();
        let found = self.yield_to_handlers(Noticed::Look { after: find });
        self.state().cores[self.core()].ledger.count_poll(found);
        if !found {
            routine::pass_turn(&mut self.state(), self.core());
            self.try_in_vain(standstill::looks_in_vain);
        }
    }

    /// Acquires a key. The thread holds the key at once if nothing conflicts. Otherwise the grant is an event that the thread
    /// waits for.
    fn acquire(&self, key: DispatchKey) -> Held {
        let (node, now) = {
            let state = self.state();
            (state.cores[self.core()].node(), state.agenda.now())
        };
        let at_once = self.state().nodes[node].dispatch.try_hold(now, key);
        if let Some(held) = at_once {
            if self.state().keeps_keys_at_hand(self.core()) {
                let (mut state, core) = (self.state(), self.core());
                let hold = state.setting.machine.processor.hold;
                state.cores[core].spend(Bucket::Overhead, hold);
            } else {
                self.at_work(|work| work.spend_primitive(Primitive::Dispatch, 1));
                self.settle();
            }
            return held;
        }
        let thread = self.thread();
        {
            let mut state = self.state();
            state.nodes[node].dispatch.request(now, key, thread);
            state.notify(node);
        }
        self.block_for(Reason::Key(key));
        let granted = self.state().nodes[node].threads.take_granted(thread);
        granted.expect("a thread that waited for a key is resumed with it")
    }

    /// Gives back a key that was held while a panic unwinds the thread.
    fn give_back_unwinding(&self, held: Held) {
        if self.is_over() {
            self.give_back(held);
        } else {
            self.release(held);
        }
    }

    /// Holds a key while a panic unwinds the thread. If it is not free the run is over: events that wait are forgotten, and
    /// handlers and holds that are under way are unwound, which release theirs.
    #[cold]
    fn acquire_unwinding(&self, key: DispatchKey) -> Held {
        let (node, now) = (self.node(), self.state().agenda.now());
        let hold = || self.state().nodes[node].dispatch.events.try_hold(now, key);
        if let Some(held) = hold() {
            return held;
        }
        self.end_by_unwinding("a hold of a key that is not free");
        self.state().agenda.close();
        self.stack.as_ref().expect("only threads hold keys").unwind_others();
        {
            let mut state = self.state();
            let place = &mut state.nodes[node];
            place.dispatch.events.forget(now, place.cores);
        }
        hold().expect("nobody else is left")
    }

    /// Gives a key back, and lets the events that waited for it go on.
    fn release(&self, held: Held) {
        let mut state = self.state();
        let (node, now) = (state.cores[self.core()].node(), state.agenda.now());
        state.nodes[node].dispatch.release(now, held);
        state.agenda.note_progress();
        state.notify(node);
    }
}

impl Scheduling for Edge {
    fn waiter(&self) -> Waiter {
        let Some(state) = self.live() else { return Waiter { thread: 0, generation: 0 } };
        let mut state = self.settled(state);
        let thread = state.thread_on(self.core());
        let node = state.cores[self.core()].node();
        state.nodes[node].threads.take_waiter(thread)
    }

    fn block(&self, wait: Wait) {
        let Some(state) = self.live() else { return };
        let mut state = self.settled(state);
        let blocks = state.still_awaits(self.core());
        if blocks {
            state.block(self.core(), Reason::Wait(wait));
        }
        drop(state);
        if blocks {
            self.suspend();
        }
    }

    fn resume(&self, waiter: Waiter) -> bool {
        let Some(state) = self.live() else { return false };
        let mut state = self.settled(state);
        let node = state.cores[self.core()].node();
        if !state.waits(node, waiter) {
            return false;
        }
        // The resumed thread goes on when the resume has been paid for, not when the payment begins.
        state.at_work(self.core()).spend_primitive(Primitive::Resume, 1);
        self.settled(state).resume(node, waiter)
    }

    /// Waits without an atomic update: one OS thread runs everything of a run.
    fn wait(&self, event: &Event, at_least: u64) {
        let waiter = self.waiter();
        let node = self.state().node_id(self.core());
        if tempest::world::enlist_alone(event, node, at_least, waiter) {
            self.block(Wait::Event { name: event.name(), at_least, had: tempest::world::counted(event) });
        }
    }

    /// Signals without an atomic update, like [`wait`](Self::wait).
    fn signal(&self, event: &Event, amount: u64) {
        let node = {
            let Some(mut state) = self.live() else { return };
            let signal = state.setting.machine.processor.signal;
            if amount > 0 {
                state.agenda.note_progress();
            }
            let own = &mut state.cores[self.core()];
            own.spend(Bucket::Overhead, signal);
            NodeId(own.node() as u32)
        };
        tempest::world::signal_alone(event, node, amount, |waiter| {
            self.resume(waiter);
        });
    }

    fn poll(&self) {
        let Some(mut state) = self.live() else { return };
        match state.begin_poll(self.core()) {
            Poll::Pass => {}
            Poll::LeaveToOthers => self.leave_look(state),
            Poll::Look { locks: false } => self.look(state, Time::ZERO),
            poll => {
                drop(state);
                self.poll_with_others(poll);
            }
        }
    }

    fn spin(&self) {
        if self.is_over() {
            return;
        }
        self.settle();
        let (looks, now, overlooked) = {
            let state = self.state();
            let looks = standstill::looks_to_spin(&state, self.core());
            (looks, state.agenda.now(), standstill::is_overlooked(&state, self.core()))
        };
        let still = self.spun.replace(Some(now)) == Some(now);
        if looks {
            self.poll();
        } else if overlooked {
            self.yield_to_handlers(Noticed::Interrupt);
        }
        if still && self.now() == now {
            self.let_time_go_on();
        }
        self.wait_in_vain(standstill::spins_in_vain, Bucket::Overhead);
    }

    fn hold(&self, key: DispatchKey, body: &mut dyn FnMut(Proof<'_>)) {
        if self.is_over() || panicking() {
            let mut held = self.acquire_unwinding(key);
            body(held.proof());
            return self.give_back_unwinding(held);
        }
        self.settle();
        let mut held = Kept::new(self, self.acquire(key));
        self.state().cores[self.core()].mask(true);
        body(held.proof());
        if self.state().agenda.is_over() {
            // The body has been unwound, and the thread is.
            return;
        }
        if self.state().agenda.is_stopped() {
            drop(held);
            return self.suspend();
        }
        self.spend_tail();
        self.settle();
        self.state().cores[self.core()].mask(false);
        self.release(held.take());
        // An event that came while interrupts were masked is noticed now.
        let late = {
            let state = self.state();
            state.notices_late(self.core())
        };
        if late {
            self.yield_to_handlers(Noticed::Interrupt);
        }
    }

    fn end_by_panic(&self, panic: &(dyn Any + Send)) {
        unwinding::stop(&mut self.state(), panic);
    }

    fn end_by_unwinding(&self, what: &str) {
        unwinding::abandon(&mut self.state(), what);
    }

    fn fault(&self, packet: &Packet) {
        if self.is_over() {
            return;
        }
        self.faulted.set(true);
        self.settle();
        self.state().raise_fault(self.core(), packet);
    }

    fn accessed(&self) {
        if self.is_over() {
            return;
        }
        memory::go_on_lowering(&mut self.state(), self.core());
    }

    fn enter_phase(&self, name: &'static str) {
        if self.is_over() {
            return;
        }
        self.settle();
        self.wait_for_order();
        let thread = self.thread();
        let node = self.state().cores[self.core()].node();
        let waits = regions::enter(&mut self.state(), node, thread, name);
        if waits {
            self.block_for(Reason::Phase { name });
        }
    }

    fn now(&self) -> Time {
        if let Some(state) = self.live() {
            drop(self.settled(state));
        }
        let state = self.state();
        state.cores[self.core()].clock.at(state.agenda.now())
    }
}
