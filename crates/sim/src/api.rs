//! The cold edge as fibers see it: every effect of a thread or handler, in engine order.
//!
//! The pattern is always the same: spend the cost on the processor's own clock, settle that clock (which may suspend
//! the fiber), then let the effect happen in the state. No borrow of the state is held across a suspension.

use std::cell::{Cell, RefCell, RefMut};
use std::rc::Rc;

use hardware::memory::{Answer, NodeMemory};
use machine::Capability;
use tempest::world::{Accounting, DispatchKey, Held, Messages, Packet, Proof, Scheduling, Wait};
use tempest::{Access, Block, Event, MemoryEvents, NodeId, Place, Primitive, Waiter, Work};
use units::Time;

use crate::cluster::{Cluster, memory, regions};
use crate::dispatch::{Noticed, Poll};
use crate::link::cargo::{Cargo, Route};
use crate::memory::at_work::AtWork;
use crate::memory::blocks::BlockWork;
use crate::processor::clock::Pending;
use crate::processor::ledger::Bucket;
use crate::processor::threads::Reason;
use crate::standstill;

/// The stack of a thread. While the thread is suspended handlers may run on it.
pub(crate) trait Stack {
    /// Suspends the thread until it goes on. Answers the core at which it does.
    fn suspend(&self) -> usize;
}

/// One core, as what runs on it sees it.
pub(crate) struct Edge {
    state: Rc<RefCell<Cluster>>,
    at: Cell<usize>,
    /// The stack, if a thread runs here.
    stack: Option<Rc<dyn Stack>>,
    /// A thread's: it has had an access fault, and that access is not accounted for yet.
    pub(crate) faulted: Cell<bool>,
}

impl Edge {
    /// As a handler sees its core.
    pub(crate) fn of_handler(state: Rc<RefCell<Cluster>>, core: usize) -> Self {
        Self { state, at: Cell::new(core), stack: None, faulted: Cell::new(false) }
    }

    /// As a thread sees its core.
    pub(crate) fn of_thread(state: Rc<RefCell<Cluster>>, core: usize, stack: Rc<dyn Stack>) -> Self {
        Self { state, at: Cell::new(core), stack: Some(stack), faulted: Cell::new(false) }
    }

    /// Suspends the fiber until it is this thread's or handler's turn.
    pub(crate) fn suspend(&self) {
        match &self.stack {
            Some(stack) => self.at.set(stack.suspend()),
            None => fiber::suspend(),
        }
    }

    /// The core. A thread may be on another one after it was suspended.
    pub(crate) fn core(&self) -> usize {
        self.at.get()
    }

    /// Its node.
    pub(crate) fn node(&self) -> usize {
        self.state().cores[self.core()].node()
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
        let pends = self.state().cores[self.core()].clock.pends();
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
            let clock = &mut state.cores[core].clock;
            let pending = clock.pends().then(|| clock.take_pending());
            (state.settle(core), pending)
        };
        if suspends {
            self.suspend();
        }
        if let Some(pending) = pending {
            self.make(&pending);
        }
    }

    /// Makes bus transactions, one after the other.
    #[cold]
    fn make(&self, pending: &Pending) {
        for transaction in pending.made.iter() {
            let taken = self.go_through_bus(|memory, now| memory.make(transaction, now));
            self.at_work(|work| work.book_transaction(transaction, taken, pending.step));
        }
    }

    /// Makes a request on the bus, whose time is now, and waits for the answer: how long that takes. Both come to the bus at their
    /// own instants, so that it is granted in the order of time.
    pub(crate) fn go_through_bus(&self, request: impl FnOnce(&mut NodeMemory, Time) -> Answer) -> Time {
        let (answer, first) = self.at_work(|work| work.ask_bus(request));
        self.settle();
        let rest = self.at_work(|work| work.take_answer(answer));
        self.settle();
        first + rest
    }

    /// Lets a thread or handler do something on its own clock, for an instant.
    fn at_work<R>(&self, act: impl FnOnce(&mut AtWork<'_>) -> R) -> R {
        act(&mut self.state().at_work(self.core()))
    }

    /// A handler does something to a block. Lines go over the bus one after the other, each at its own instant.
    fn work_on_block(&self, primitive: Primitive, block: Block) {
        self.settle();
        let work = self.at_work(|at_work| at_work.work_on(primitive, block));
        match work.own {
            None => memory::spend_block(&mut self.state(), self.core(), &work),
            Some(own) => self.move_lines(&work, own),
        }
        self.at_work(|at_work| at_work.end_block(&work));
    }

    fn move_lines(&self, work: &BlockWork, own: Time) {
        let mut before = work.cost.path + own;
        for line in work.lines.clone() {
            self.settle_after(|state, core| state.cores[core].clock.advance(before));
            let taken = self.go_through_bus(|memory, now| match work.primitive {
                Primitive::FetchBlock => memory.fetch_line(line, now),
                _ => memory.purge_line(line, now),
            });
            let alone = before - own + work.cost.line;
            self.at_work(|at_work| at_work.book_block(work, before + taken, alone));
            before = own;
        }
    }

    /// The thread that runs here.
    fn thread(&self) -> u32 {
        self.state().thread_on(self.core())
    }

    fn block_for(&self, reason: Reason) {
        self.state().block(self.core(), reason);
        self.suspend();
    }

    /// Lets waiting handlers run here. False if there are none.
    pub(crate) fn yield_to_handlers(&self, noticed: Noticed) -> bool {
        let yields = self.state().yield_to_handlers(self.core(), noticed);
        if yields {
            self.suspend();
        }
        yields
    }

    /// Spends the cost of a send and lets the cargo go.
    fn send(&self, to: NodeId, cargo: Cargo) {
        let (route, locks) = {
            let (state, core) = (self.state(), self.core());
            state.expect_server(core, &cargo);
            (state.route(core, to, &cargo), state.locks_interface(core))
        };
        // Whoever comes first gets the lock: the time must be right before it is asked for.
        if route == Route::Inject && locks {
            self.settle();
        }
        self.settle_after(|state, core| state.spend_send(core, route, to, &cargo));
        let (mut state, core) = (self.state(), self.core());
        state.note_answer(core);
        state.send(core, route, to, cargo);
    }

    /// A thread's send, if there is room.
    fn try_send(&self, to: NodeId, cargo: impl FnOnce() -> Cargo) -> bool {
        // Whether a message can be handed over depends on what others have done by then.
        let room = {
            let (mut state, core) = (self.state(), self.core());
            if state.hands_over(core) { None } else { Some(state.finds_room(core)) }
        };
        let has_room = room.unwrap_or_else(|| {
            self.settle();
            self.state().finds_room(self.core())
        });
        if !has_room {
            return false;
        }
        self.send(to, cargo());
        self.spend_tail();
        true
    }

    /// A thread has tried something, perhaps in vain: its fiber never goes on if that is how the run ends.
    fn try_in_vain(&self, attempt: impl FnOnce(&mut Cluster, usize) -> bool) {
        let ends = attempt(&mut self.state(), self.core());
        if ends {
            self.suspend();
        }
    }

    /// Waits until a protocol processor has taken a message that was handed over, which takes a poll to notice. Where
    /// this processor runs handlers too, it receives meanwhile: the one it waits for may have to wait for that.
    fn await_injector(&self) {
        if self.state().has_event(self.core()) {
            self.yield_to_handlers(Noticed::AT_ONCE);
            return;
        }
        let since = self.state().agenda.now();
        self.state().starve(self.core());
        self.suspend();
        let mut state = self.state();
        let (now, poll) = (state.agenda.now(), state.setting.machine.processor.poll);
        let core = &mut state.cores[self.core()];
        core.ledger.book(Bucket::Memory, now - since);
        core.spend(Bucket::Memory, poll);
    }

    /// What is left of a thread's sends after their effect: occupancy off the path.
    fn spend_tail(&self) {
        self.at_work(|work| work.spend_tail());
    }

    /// At a poll under a policy that adapts: lets the node measure, and goes to another processor if this one is to be dedicated.
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

    /// A poll at a back-edge where the node's software has a dispatch routine.
    fn call_routine(&self) {
        self.settle();
        let Some(find) = self.state().begin_call(self.core()) else { return };
        self.settle();
        let found = self.yield_to_handlers(Noticed::Look { after: find });
        self.state().cores[self.core()].ledger.count_poll(found);
        if !found {
            self.state().pass_turn(self.core());
            self.try_in_vain(standstill::looks_in_vain);
        }
    }

    /// Gets hold of a key: at once if nothing conflicts, else as an event of its own.
    fn acquire(&self, key: DispatchKey) -> Held {
        let (node, now) = {
            let state = self.state();
            (state.cores[self.core()].node(), state.agenda.now())
        };
        let at_once = self.state().nodes[node].dispatch.events.try_hold(now, key);
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
            state.nodes[node].dispatch.events.request(now, key, thread);
            state.notify(node);
        }
        self.block_for(Reason::Key(key));
        let granted = self.state().nodes[node].threads.take_granted(thread);
        granted.expect("a thread that waited for a key is resumed with it")
    }

    /// Gives a key back and lets what waited for it go on.
    fn release(&self, held: Held) {
        let mut state = self.state();
        let (node, now) = (state.cores[self.core()].node(), state.agenda.now());
        state.nodes[node].dispatch.events.complete(now, held);
        state.agenda.note_progress();
        state.notify(node);
    }
}

impl Messages for Edge {
    fn post(&self, to: NodeId, packet: &Packet) {
        self.send(to, Cargo::Message(*packet));
    }

    fn post_transfer(&self, to: NodeId, place: Place, data: &[u64], packet: &Packet) {
        self.state().setting.expect_capability(Capability::Transfer);
        self.send(to, Cargo::Transfer(place, data.into(), *packet, None));
    }

    fn post_block(&self, to: NodeId, block: Block, words: &[u64], packet: &Packet) {
        self.send(to, Cargo::Block(block, words.into(), *packet));
    }

    fn offer(&self, to: NodeId, packet: &Packet) -> bool {
        self.try_send(to, || Cargo::Message(*packet))
    }

    fn transfer(&self, to: NodeId, place: Place, data: &[u64], packet: &Packet) -> bool {
        self.state().setting.expect_capability(Capability::Transfer);
        self.try_send(to, || Cargo::Transfer(place, data.into(), *packet, None))
    }

    fn transfer_from(&self, source: Place, to: NodeId, place: Place, data: &[u64], packet: &Packet) -> bool {
        self.state().setting.expect_capability(Capability::Transfer);
        self.try_send(to, || Cargo::Transfer(place, data.into(), *packet, Some(source)))
    }

    fn deposit(&self, to: NodeId, place: Place, words: &[u64]) -> bool {
        self.state().setting.expect_capability(Capability::Deposit);
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
        self.yield_to_handlers(Noticed::AT_ONCE);
        self.try_in_vain(standstill::sends_in_vain);
    }
}

impl Scheduling for Edge {
    fn waiter(&self) -> Waiter {
        self.settle();
        let mut state = self.state();
        let thread = state.thread_on(self.core());
        let node = state.cores[self.core()].node();
        state.nodes[node].threads.take_waiter(thread)
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
        let node = self.state().cores[self.core()].node();
        if !self.state().waits(node, waiter) {
            return false;
        }
        // The thread goes on when that has been done, not when it begins.
        self.settle_after(|state, core| state.at_work(core).spend_primitive(Primitive::Resume, 1));
        self.state().resume(node, waiter)
    }

    fn signal(&self, event: &Event, amount: u64) {
        {
            let mut state = self.state();
            let (core, signal) = (self.core(), state.setting.machine.processor.signal);
            if amount > 0 {
                state.agenda.note_progress();
            }
            state.cores[core].spend(Bucket::Overhead, signal);
        }
        tempest::world::signal(event, amount, |waiter| {
            self.resume(waiter);
        });
    }

    fn poll(&self) {
        let adapts = {
            let (mut state, core) = (self.state(), self.core());
            if state.passes_by(core) {
                return;
            }
            state.adapts(core)
        };
        if adapts {
            self.leave_for_handlers();
        }
        let (poll, locks) = {
            let (mut state, core) = (self.state(), self.core());
            (state.poll(core), state.shares_interface(core) && state.locks_interface(core))
        };
        match poll {
            Poll::Call => return self.call_routine(),
            Poll::Pass => return,
            Poll::Look => {}
        }
        if locks {
            self.settle();
        }
        self.settle_after(|state, core| {
            let poll = state.setting.machine.processor.poll;
            let wait = if locks { state.wait_for_interface(core, poll) } else { Time::ZERO };
            state.cores[core].spend(Bucket::Memory, wait);
            state.cores[core].spend(Bucket::Overhead, poll);
            state.cores[core].service.look(poll);
        });
        let found = self.yield_to_handlers(Noticed::AT_ONCE);
        self.try_in_vain(|state, core| {
            state.note_look(core, found);
            !found && standstill::looks_in_vain(state, core)
        });
    }

    fn spin(&self) {
        self.settle();
        if standstill::looks_to_spin(&self.state(), self.core()) {
            self.poll();
        }
        self.try_in_vain(standstill::spins_in_vain);
    }

    fn hold(&self, key: DispatchKey, body: &mut dyn FnMut(Proof<'_>)) {
        self.settle();
        let mut held = self.acquire(key);
        self.state().cores[self.core()].mask(true);
        body(held.proof());
        self.spend_tail();
        self.settle();
        self.state().cores[self.core()].mask(false);
        self.release(held);
        // An event that came while interrupts were masked is noticed now.
        let late = {
            let state = self.state();
            state.notices_late(self.core())
        };
        if late {
            self.yield_to_handlers(Noticed::Interrupt);
        }
    }

    fn fault(&self, packet: &Packet) {
        self.faulted.set(true);
        self.settle();
        self.state().raise_fault(self.core(), packet);
    }

    fn accessed(&self) {
        memory::go_on_lowering(&mut self.state(), self.core());
    }

    fn enter_phase(&self, name: &'static str) {
        self.settle();
        let thread = self.thread();
        let node = self.state().cores[self.core()].node();
        let waits = regions::enter(&mut self.state(), node, thread, name);
        if waits {
            self.block_for(Reason::Phase { name });
        }
    }

    fn now(&self) -> Time {
        let state = self.state();
        state.agenda.now() + state.cores[self.core()].clock.ahead()
    }
}

impl Accounting for Edge {
    fn charge(&self, work: Work) {
        if let Work::Block(primitive, block) = work {
            return self.work_on_block(primitive, block);
        }
        let pends = self.at_work(|at_work| {
            at_work.charge(work);
            at_work.core.clock.pends()
        });
        if pends {
            self.settle();
        }
    }

    fn synchronize(&self) {
        self.settle();
    }

    fn touch(&self, place: Place, words: usize, access: Access) {
        let node = self.node();
        let found = self.state().nodes[node].waist.address(place, words);
        // Caught by the engine, like everything else that a program does wrong.
        let address = found.unwrap_or_else(|bad| panic!("{bad}"));
        let lines = self.state().nodes[node].memory.lines_touched(address, words, access);
        let Some(lines) = lines else { return self.at_work(|work| work.touch(words, access)) };
        for line in lines {
            self.settle();
            self.at_work(|work| work.instruction(line, access));
        }
    }

    fn drain(&self) {
        self.settle();
        self.at_work(|work| work.drain());
    }

    fn approach(&self, address: u64, access: Access) {
        if self.at_work(|work| work.is_far_ahead(address, access == Access::Store)) {
            self.settle();
        }
    }

    fn access(&self, address: u64, access: Access) {
        let (store, faulted) = (access == Access::Store, self.faulted.take());
        if store {
            self.state().agenda.note_progress();
        }
        if !faulted && self.at_work(|work| work.hits(address, store)) {
            return;
        }
        // A store that misses has been settled; its request goes out as it is issued.
        if faulted || !store {
            self.settle();
        }
        let mut state = self.state();
        let keep = memory::keep_at(&state, self.core(), address);
        state.at_work(self.core()).miss(address, store, faulted, keep);
    }

    fn is_coherent(&self) -> bool {
        self.state().setting.is_coherent()
    }

    fn memory_events(&self) -> MemoryEvents {
        self.settle();
        let node = self.node();
        memory::events(&self.state(), node)
    }
}
