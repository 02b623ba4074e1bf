//! The cold edge as fibers see it: every effect of a thread or handler, in engine order.
//!
//! The pattern is always the same: spend the cost on the processor's own clock, settle that clock (which may suspend
//! the fiber), then let the effect happen in the state. No borrow of the state is held across a suspension.

use std::cell::{Cell, RefCell, RefMut};
use std::rc::Rc;

use hardware::memory::{Answer, NodeMemory};
use machine::Capability;
use tempest::policy::{Notice, Servers};
use tempest::world::{Accounting, DispatchKey, Held, Messages, Packet, Proof, Scheduling, Wait};
use tempest::{Access, Block, Event, MemoryEvents, NodeId, Place, Primitive, Waiter, Work};
use units::Time;

use crate::cluster::Cluster;
use crate::fibers::Desk;
use crate::link::cargo::{Cargo, Route};
use crate::processor::core::{Bucket, Event as Due, Pending};
use crate::processor::threads::Reason;

/// One core, as what runs on it sees it.
pub(crate) struct Edge {
    state: Rc<RefCell<Cluster>>,
    at: Cell<usize>,
    /// A thread's: on its stack handlers may run while it is suspended.
    desk: Option<Rc<Desk>>,
    /// A thread's: it has had an access fault, and that access is not accounted for yet.
    pub(crate) faulted: Cell<bool>,
}

impl Edge {
    /// As a handler sees its core.
    pub(crate) fn of_handler(state: Rc<RefCell<Cluster>>, core: usize) -> Self {
        Self { state, at: Cell::new(core), desk: None, faulted: Cell::new(false) }
    }

    /// As a thread sees its core.
    pub(crate) fn of_thread(state: Rc<RefCell<Cluster>>, core: usize, desk: Rc<Desk>) -> Self {
        Self { state, at: Cell::new(core), desk: Some(desk), faulted: Cell::new(false) }
    }

    /// Suspends the fiber until it is this thread's or handler's turn.
    pub(crate) fn suspend(&self) {
        match &self.desk {
            Some(desk) => {
                desk.suspend_thread();
                self.at.set(desk.core());
            }
            None => fiber::suspend(),
        }
    }

    /// The core. A thread may be on another one after it was suspended.
    pub(crate) fn core(&self) -> usize {
        self.at.get()
    }

    /// Its node.
    pub(crate) fn node(&self) -> usize {
        self.state().cores[self.core()].node
    }

    /// The state, for an instant.
    pub(crate) fn state(&self) -> RefMut<'_, Cluster> {
        self.state.borrow_mut()
    }

    /// Brings engine time up to this core's clock, then makes what bus transactions are pending.
    pub(crate) fn settle(&self) {
        self.settle_after(|_, _| ());
    }

    /// Makes the bus transactions by which the processor gets to its handler, if there are any.
    pub(crate) fn reach_handler(&self) {
        let pends = self.state().cores[self.core()].pends();
        if pends {
            self.settle();
        }
    }

    /// Does something to the state, then brings engine time up to this core's clock: one borrow for both.
    #[inline]
    fn settle_after(&self, first: impl FnOnce(&mut Cluster, usize)) {
        let (suspends, pending) = {
            let mut state = self.state();
            let core = self.core();
            first(&mut state, core);
            // Whoever is next at work on this core has others.
            let pending = std::mem::take(&mut state.cores[core].pending);
            (state.settle(core), pending)
        };
        if suspends {
            self.suspend();
        }
        if !pending.made.is_empty() {
            self.make(&pending);
        }
    }

    /// Makes bus transactions, one after the other.
    #[cold]
    fn make(&self, pending: &Pending) {
        for transaction in pending.made.iter() {
            let Some(alone) = self.state().time_alone(self.core(), transaction) else { return };
            let taken = self.go_through_bus(|memory, now| memory.make(transaction, now));
            self.state().book_transaction(self.core(), (taken, alone), pending.step);
        }
    }

    /// Makes a request on the bus, whose time is now, and waits for the answer: how long that takes. Both come to the bus at their
    /// own instants, so that it is granted in the order of time.
    pub(crate) fn go_through_bus(&self, request: impl FnOnce(&mut NodeMemory, Time) -> Answer) -> Time {
        let (answer, first) = {
            let (mut state, core) = (self.state(), self.core());
            let (now, memory) = state.memory_now(core);
            let answer = request(memory, now);
            state.cores[core].ahead += answer.ready - now;
            (answer, answer.ready - now)
        };
        self.settle();
        let rest = {
            let (mut state, core) = (self.state(), self.core());
            let (now, memory) = state.memory_now(core);
            let rest = memory.take(answer, now) - now;
            state.cores[core].ahead += rest;
            rest
        };
        self.settle();
        first + rest
    }

    /// The thread that runs here.
    fn thread(&self) -> u32 {
        self.state().thread_on(self.core())
    }

    fn block_for(&self, reason: Reason) {
        self.state().block(self.core(), reason);
        self.suspend();
    }

    /// Lets waiting handlers run here after `delay`. False if there are none.
    pub(crate) fn yield_to_handlers(&self, delay: Time) -> bool {
        let yields = self.state().yield_to_handlers(self.core(), delay);
        if yields {
            self.suspend();
        }
        yields
    }

    /// Spends the cost of a send and lets the cargo go.
    fn send(&self, to: NodeId, cargo: Cargo) {
        self.state().expect_server(self.core(), &cargo);
        let (route, locks) = {
            let state = self.state();
            (state.route(self.core(), &cargo), state.locks_interface(self.core()))
        };
        // Whoever comes first gets the lock: the time must be right before it is asked for.
        if route == Route::Inject && locks {
            self.settle();
        }
        self.settle_after(|state, core| state.spend_send(core, route, to, &cargo));
        let mut state = self.state();
        state.note_answer(self.core());
        state.send(self.core(), route, to, cargo);
    }

    /// A thread's send, if there is room.
    fn try_send(&self, to: NodeId, cargo: impl FnOnce() -> Cargo) -> bool {
        // Whether a message can be handed over depends on what others have done by then.
        if self.state().hands_over(self.core()) {
            self.settle();
        }
        if !self.state().finds_room(self.core()) {
            return false;
        }
        self.send(to, cargo());
        self.spend_tail();
        true
    }

    /// Waits until a protocol processor has taken a message that was handed over, which takes a poll to notice. Where
    /// this processor runs handlers too, it receives meanwhile: the one it waits for may have to wait for that.
    fn await_injector(&self) {
        if self.state().has_job(self.core()) {
            self.yield_to_handlers(Time::ZERO);
            return;
        }
        let since = self.state().agenda.now;
        self.state().starve(self.core());
        self.suspend();
        let mut state = self.state();
        let (now, poll) = (state.agenda.now, state.setting.machine.processor.poll);
        let core = &mut state.cores[self.core()];
        core.book(Bucket::Memory, now - since);
        core.spend(Bucket::Memory, poll);
    }

    /// What is left of a thread's sends after their effect: occupancy off the path.
    fn spend_tail(&self) {
        self.state().spend_tail(self.core());
    }

    /// Gets hold of a key: at once if nothing conflicts, else as an event of its own.
    fn acquire(&self, key: DispatchKey) -> Held {
        let (node, now) = {
            let state = self.state();
            (state.cores[self.core()].node, state.agenda.now)
        };
        let at_once = self.state().nodes[node].dispatch.queue.try_hold(now, key);
        if let Some(held) = at_once {
            if self.state().looks_itself() {
                let (mut state, core) = (self.state(), self.core());
                let hold = state.setting.machine.processor.hold;
                state.cores[core].spend(Bucket::Overhead, hold);
            } else {
                self.state().spend_primitive(self.core(), Primitive::Dispatch, 1);
                self.settle();
            }
            return held;
        }
        let thread = self.thread();
        {
            let mut state = self.state();
            state.nodes[node].dispatch.queue.arrive(now);
            state.nodes[node].dispatch.queue.enqueue(now, key, Due::Grant { thread });
            state.notify(node);
        }
        self.block_for(Reason::Key(key));
        let granted = self.state().nodes[node].threads.all[thread as usize].granted.take();
        granted.expect("a thread that waited for a key is resumed with it")
    }

    /// Gives a key back and lets what waited for it go on.
    fn release(&self, held: Held) {
        let mut state = self.state();
        let (node, now) = (state.cores[self.core()].node, state.agenda.now);
        state.nodes[node].dispatch.queue.complete(now, held);
        state.notify(node);
    }
}

impl Messages for Edge {
    fn post(&self, to: NodeId, packet: &Packet) {
        self.send(to, Cargo::Message(*packet));
    }

    fn post_transfer(&self, to: NodeId, place: Place, data: &[u64], packet: &Packet) {
        self.state().expect_capability(Capability::Transfer);
        self.send(to, Cargo::Transfer(place, data.into(), *packet, None));
    }

    fn post_block(&self, to: NodeId, block: Block, words: &[u64], packet: &Packet) {
        self.send(to, Cargo::Block(block, words.into(), *packet));
    }

    fn offer(&self, to: NodeId, packet: &Packet) -> bool {
        self.try_send(to, || Cargo::Message(*packet))
    }

    fn transfer(&self, to: NodeId, place: Place, data: &[u64], packet: &Packet) -> bool {
        self.state().expect_capability(Capability::Transfer);
        self.try_send(to, || Cargo::Transfer(place, data.into(), *packet, None))
    }

    fn transfer_from(&self, source: Place, to: NodeId, place: Place, data: &[u64], packet: &Packet) -> bool {
        self.state().expect_capability(Capability::Transfer);
        self.try_send(to, || Cargo::Transfer(place, data.into(), *packet, Some(source)))
    }

    fn deposit(&self, to: NodeId, place: Place, words: &[u64]) -> bool {
        self.state().expect_capability(Capability::Deposit);
        self.try_send(to, || Cargo::Deposit(place, words.into()))
    }

    fn make_room(&self, _to: NodeId) {
        self.state().await_room(self.core());
        if self.state().hands_over(self.core()) {
            self.await_injector();
            return;
        }
        let wait = self.state().wait_for_room(self.core());
        self.state().cores[self.core()].spend(Bucket::Memory, wait);
        self.settle();
        self.yield_to_handlers(Time::ZERO);
    }
}

impl Scheduling for Edge {
    fn waiter(&self) -> Waiter {
        self.settle();
        let mut state = self.state();
        let thread = state.thread_on(self.core());
        let node = state.cores[self.core()].node;
        let place = &mut state.nodes[node].threads.all[thread as usize];
        place.awaited = place.generation;
        Waiter { thread, generation: place.generation }
    }

    fn block(&self, wait: Wait) {
        self.settle();
        let blocks = {
            let mut state = self.state();
            let waits = state.still_awaits(self.core());
            if waits {
                state.block(self.core(), Reason::Wait(wait));
            }
            waits
        };
        if blocks {
            self.suspend();
        }
    }

    fn resume(&self, waiter: Waiter) -> bool {
        self.settle();
        let node = self.state().cores[self.core()].node;
        if !self.state().waits(node, waiter) {
            return false;
        }
        // The thread goes on when that has been done, not when it begins.
        self.settle_after(|state, core| state.spend_primitive(core, Primitive::Resume, 1));
        self.state().resume(node, waiter)
    }

    fn signal(&self, event: &Event, amount: u64) {
        {
            let mut state = self.state();
            let (core, signal) = (self.core(), state.setting.machine.processor.signal);
            state.cores[core].spend(Bucket::Overhead, signal);
        }
        tempest::world::signal(event, amount, |waiter| {
            self.resume(waiter);
        });
    }

    fn poll(&self) {
        if self.state().passes_by(self.core()) {
            return;
        }
        let (adapts, calls_routine) = {
            let state = self.state();
            (state.setting.adapts, state.calls_routine())
        };
        if adapts {
            self.leave_for_handlers();
        }
        if calls_routine {
            return self.call_routine();
        }
        if !self.state().owns_poll(self.core()) {
            return;
        }
        let locks = self.state().setting.policy.servers == Servers::Either
            && self.state().locks_interface(self.core());
        if locks {
            self.settle();
        }
        self.settle_after(|state, core| {
            let poll = state.setting.machine.processor.poll;
            let wait = if locks { state.wait_for_interface(core, poll) } else { Time::ZERO };
            state.cores[core].spend(Bucket::Memory, wait);
            state.cores[core].spend(Bucket::Overhead, poll);
            state.cores[core].service.looking += poll;
        });
        let found = self.yield_to_handlers(Time::ZERO);
        self.state().note_look(self.core(), found);
    }

    fn hold(&self, key: DispatchKey, body: &mut dyn FnMut(Proof<'_>)) {
        self.settle();
        let mut held = self.acquire(key);
        self.state().cores[self.core()].masked = true;
        body(held.proof());
        self.spend_tail();
        self.settle();
        self.state().cores[self.core()].masked = false;
        self.release(held);
        // An event that came while interrupts were masked is noticed now.
        let late = {
            let state = self.state();
            state.setting.policy.notice == Notice::Interrupt && state.has_job(self.core())
        };
        if late {
            let interrupt = self.state().setting.machine.processor.interrupt;
            self.yield_to_handlers(interrupt);
        }
    }

    fn fault(&self, packet: &Packet) {
        self.report_fault(packet);
    }

    fn accessed(&self) {
        self.state().go_on_lowering(self.core());
    }

    fn enter_phase(&self, name: &'static str) {
        self.settle();
        let thread = self.thread();
        let node = self.state().cores[self.core()].node;
        let waits = self.state().enter_phase(node, thread, name);
        if waits {
            self.block_for(Reason::Phase { name });
        }
    }

    fn now(&self) -> Time {
        let state = self.state();
        state.agenda.now + state.cores[self.core()].ahead
    }
}

impl Accounting for Edge {
    fn charge(&self, work: Work) {
        if let Work::Block(primitive, block) = work {
            return self.handle_block(primitive, block);
        }
        let pends = {
            let (mut state, core) = (self.state(), self.core());
            state.charge(core, work);
            state.cores[core].pends()
        };
        if pends {
            self.settle();
        }
    }

    fn synchronize(&self) {
        self.settle();
    }

    fn touch(&self, place: Place, words: usize, access: Access) {
        self.touch_words(place, words, access);
    }

    fn drain(&self) {
        self.drain_caches();
    }

    fn approach(&self, address: u64, access: Access) {
        self.settle_for(address, access == Access::Store);
    }

    fn access(&self, address: u64, access: Access) {
        self.access_word(address, access == Access::Store);
    }

    fn is_coherent(&self) -> bool {
        self.state().is_coherent()
    }

    fn memory_events(&self) -> MemoryEvents {
        self.count_memory()
    }
}
