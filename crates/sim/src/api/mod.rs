//! The cold edge as fibers see it: every effect of a thread or handler, in engine order.
//!
//! The pattern is always the same: spend the cost on the processor's own clock, settle that clock (which may suspend
//! the fiber), then let the effect happen in the state. No borrow of the state is held across a suspension.

mod messages;
mod scheduling;

use std::cell::{Cell, RefCell, RefMut};
use std::rc::Rc;

use hardware::memory::{Answer, NodeMemory};
use tempest::world::Accounting;
use tempest::{Access, Block, MemoryEvents, Place, Primitive, Work};
use units::Time;

use crate::cluster::{Cluster, memory};
use crate::dispatch::Noticed;
use crate::memory::at_work::AtWork;
use crate::memory::blocks::BlockWork;
use crate::processor::clock::Pending;

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
    faulted: Cell<bool>,
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
    fn suspend(&self) {
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
            let pending = state.cores[core].clock.take_pending();
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
            let taken = self.go_through_bus(|memory, now| memory.make(transaction, now));
            self.at_work(|work| work.book_transaction(transaction, taken, pending.step));
        }
    }

    /// Makes a request on the bus, whose time is now, and waits for the answer: how long that takes. Both come to the bus at their
    /// own instants, so that it is granted in the order of time.
    fn go_through_bus(&self, request: impl FnOnce(&mut NodeMemory, Time) -> Answer) -> Time {
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

    /// Lets waiting handlers run here. False if there are none.
    fn yield_to_handlers(&self, noticed: Noticed) -> bool {
        let yields = self.state().yield_to_handlers(self.core(), noticed);
        if yields {
            self.suspend();
        }
        yields
    }

    /// A thread has tried something in vain: its fiber never goes on if that is how the run ends.
    fn try_in_vain(&self, attempt: impl FnOnce(&mut Cluster, usize) -> bool) {
        let ends = attempt(&mut self.state(), self.core());
        if ends {
            self.suspend();
        }
    }

    /// What is left of a thread's sends after their effect: occupancy off the path.
    fn spend_tail(&self) {
        self.at_work(|work| work.spend_tail());
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
