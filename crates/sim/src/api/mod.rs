//! The traits of [`tempest::world`] for fibers: every effect of a thread or handler, in engine order.
//!
//! Every effect follows one pattern. The cost is spent on the processor's own clock. Then the clock is settled, which may
//! suspend the fiber. Then the effect happens in the modelled state. No borrow of that state is held across a suspension.

mod messages;
mod scheduling;

use std::cell::{Cell, RefCell, RefMut};
use std::rc::Rc;
use std::thread::panicking;

use tempest::outcome::MemoryEvents;
use tempest::world::Work;
use tempest::world::{Accounting, Held, Packet, Proof, Scheduling, Touch};
use tempest::{Access, Block, Operations, Primitive};
use units::Time;

use fiber::Owner;

use crate::cluster::arrivals::{self, Passing};
use crate::cluster::{Cluster, memory, routine, trains};
use crate::dispatch::Noticed;
use crate::memory::at_work::AtWork;
use crate::memory::reach::{self, Use};
use crate::memory::touches::{self, Instructions};
use crate::processor::ledger::Bucket;
use crate::standstill;

/// The engine, which alone resumes the fibers of its runs, and they alone suspend. A program that did would be suspended for ever.
pub(crate) static ENGINE: Owner = Owner::new(
    "a thread gives its processor away by the methods of `Thread`, such as `wait`, `poll` and `send`",
);

/// The number of back-edges that a working thread passes without a look before it is asked again whether it works.
const PASSES: u32 = 1 << 20;

/// Number of back-edges after which a thread that did nothing else is taken to spin, each time.
const IDLE_PASSES: u32 = 1 << 8;

/// The stack of a thread. While the thread is suspended, handlers may run on its stack.
pub(crate) trait Stack {
    /// Suspends the thread until its turn comes. Returns the core at which the thread then goes on.
    fn suspend(&self) -> usize;

    /// Unwinds all other threads, and the handlers that are under way: the run is over.
    fn unwind_others(&self);
}

/// A core, as the thread or handler that runs on it sees it.
pub(crate) struct Edge {
    state: Rc<RefCell<Cluster>>,
    at: Cell<usize>,
    /// The stack of the thread that runs here; `None` for a handler.
    stack: Option<Rc<dyn Stack>>,
    /// Whether the thread has had an access fault whose access is not charged yet.
    faulted: Cell<bool>,
    /// Time of the thread's last spin.
    spun: Cell<Option<Time>>,
    /// The number of back-edges that the thread still passes without a look before it is asked whether it works.
    passes: Cell<u32>,
}

/// The key of a handler or hold that runs. It is given back also when a panic unwinds the handler or hold.
pub(crate) struct Kept<'e> {
    edge: &'e Edge,
    held: Option<Held>,
}

impl<'e> Kept<'e> {
    pub(crate) fn new(edge: &'e Edge, held: Held) -> Self {
        Self { edge, held: Some(held) }
    }

    pub(crate) fn proof(&mut self) -> Proof<'_> {
        self.held.as_mut().expect("it is there until it is taken out").proof()
    }

    /// Takes the key out, to be given back some other time.
    pub(crate) fn take(mut self) -> Held {
        self.held.take().expect("it is taken out once")
    }
}

impl Drop for Kept<'_> {
    fn drop(&mut self) {
        if let Some(held) = self.held.take() {
            self.edge.give_back(held);
        }
    }
}

impl Edge {
    /// The core of a handler.
    pub(crate) fn of_handler(state: Rc<RefCell<Cluster>>, core: usize) -> Self {
        Self::new(state, core, None)
    }

    /// The core of a thread.
    pub(crate) fn of_thread(state: Rc<RefCell<Cluster>>, core: usize, stack: Rc<dyn Stack>) -> Self {
        Self::new(state, core, Some(stack))
    }

    fn new(state: Rc<RefCell<Cluster>>, core: usize, stack: Option<Rc<dyn Stack>>) -> Self {
        Self {
            state,
            at: Cell::new(core),
            stack,
            faulted: Cell::new(false),
            spun: Cell::new(None),
            passes: Cell::new(PASSES),
        }
    }

    /// Suspends the fiber until the turn of its thread or handler comes. A fiber that a panic unwinds is not suspended.
    fn suspend(&self) {
        debug_assert!(!panicking(), "a fiber that a panic unwinds is not suspended");
        match &self.stack {
            Some(stack) => self.at.set(stack.suspend()),
            None => ENGINE.suspend(),
        }
    }

    /// The core that the fiber runs on. A thread may be on another core after it was suspended.
    pub(crate) fn core(&self) -> usize {
        self.at.get()
    }

    /// The core's node.
    pub(crate) fn node(&self) -> usize {
        self.state().cores[self.core()].node()
    }

    /// Borrows the modelled state for an instant.
    pub(crate) fn state(&self) -> RefMut<'_, Cluster> {
        self.state.borrow_mut()
    }

    /// Advances engine time to this core's clock, and then makes the pending bus transactions.
    #[inline(never)]
    pub(crate) fn settle(&self) {
        self.settle_after(|_, _| ());
    }

    /// Makes the bus transactions, if any, that come before the handler. [Begins](Cluster::begin_handler) the handler then. A
    /// dispatch routine that calls the handler uses its data first.
    #[inline]
    pub(crate) fn begin_handler(&self, packet: &mut Packet) -> (Held, Option<u32>) {
        let (mut state, core) = (self.state(), self.core());
        if state.cores[core].clock.pends() {
            state = self.settled(state);
        }
        let begun = state.begin_handler(core, packet);
        let data = routine::data(&state, core).filter(|_| begun.1.is_none());
        drop(state);
        if let Some((first, bytes)) = data {
            let busy = self.reach_lines(first, bytes);
            self.state().cores[self.core()].service.look(busy);
        }
        begun
    }

    /// Applies `first` to the modelled state, and then advances engine time to this core's clock. One borrow serves for both.
    #[inline]
    fn settle_after(&self, first: impl FnOnce(&mut Cluster, usize)) {
        let mut state = self.state();
        first(&mut state, self.core());
        self.settled(state);
    }

    /// Advances engine time to this core's clock, beginning under a borrow of the modelled state. Returns that borrow, or a
    /// later one if the fiber was suspended.
    #[inline(always)]
    pub(crate) fn settled<'s>(&'s self, state: RefMut<'s, Cluster>) -> RefMut<'s, Cluster> {
        if state.cores[self.core()].clock.is_settled() { state } else { self.settled_later(state) }
    }

    /// Advances engine time to this core's clock, as [`settled`](Self::settled) does. The clock is probably ahead, or has transactions
    /// to make. It stays where it is while a panic unwinds the fiber.
    #[inline(always)]
    pub(crate) fn settled_later<'s>(&'s self, mut state: RefMut<'s, Cluster>) -> RefMut<'s, Cluster> {
        match arrivals::pass(&mut state, self.core()) {
            Passing::Done => state,
            passing => self.settled_otherwise(state, passing),
        }
    }

    /// Advances engine time to this core's clock, where a first attempt stopped earlier or left requests to be made.
    #[inline(never)]
    fn settled_otherwise<'s>(
        &'s self,
        mut state: RefMut<'s, Cluster>,
        passing: Passing,
    ) -> RefMut<'s, Cluster> {
        if arrivals::settle(&mut state, self.core(), passing) {
            drop(state);
            self.suspend();
            state = self.state();
        }
        state
    }

    /// Borrows the modelled state; `None` if a panic unwinds this fiber. A fiber that has caught the end of the run goes no further
    /// than this.
    #[inline]
    fn live_state(&self) -> Option<RefMut<'_, Cluster>> {
        if panicking() { None } else { self.live() }
    }

    /// Borrows the modelled state, unless the run is over and a panic unwinds this fiber: its actions have no effect
    /// any more. A fiber that has caught its end goes no further than this.
    #[inline]
    fn live(&self) -> Option<RefMut<'_, Cluster>> {
        let state = self.state();
        if !state.agenda.is_over() {
            return Some(state);
        }
        drop(state);
        self.is_at_its_end();
        None
    }

    /// Whether the run is over, and a panic unwinds this fiber: its actions have no effect any more. A fiber that has
    /// caught its end goes no further than this.
    #[inline]
    fn is_over(&self) -> bool {
        self.state().agenda.is_over() && self.is_at_its_end()
    }

    #[cold]
    fn is_at_its_end(&self) -> bool {
        while !panicking() {
            ENGINE.suspend();
        }
        true
    }

    /// Gives back the key of a handler or hold that is unwound.
    #[cold]
    fn give_back(&self, held: Held) {
        let mut state = self.state();
        let node = state.cores[self.core()].node();
        state.nodes[node].dispatch.events.abandon(held);
    }

    /// Applies `act` to the processor at work, on the processor's own clock.
    fn at_work<R>(&self, act: impl FnOnce(&mut AtWork<'_>) -> R) -> R {
        act(&mut self.state().at_work(self.core()))
    }

    /// Charges a handler's work on a block, beginning under a borrow of the modelled state. Lines go over the bus one after the other,
    /// each at its own instant.
    fn work_on_block<'s>(&'s self, mut state: RefMut<'s, Cluster>, primitive: Primitive, block: Block) {
        state = self.settled(state);
        let core = self.core();
        let work = state.at_work(core).work_on(primitive, block);
        match work.own {
            None => memory::spend_block(&mut state, core, &work),
            Some(own) => {
                if trains::make_lines(&mut state, core, &work, own) {
                    drop(state);
                    self.suspend();
                    state = self.state();
                }
            }
        }
        state.at_work(self.core()).end_block(&work);
    }

    /// Lets waiting handlers run on this core. Returns false if none waits.
    fn yield_to_handlers(&self, noticed: Noticed) -> bool {
        let yields = self.state().yield_to_handlers(self.core(), noticed);
        if yields {
            self.suspend();
        }
        yields
    }

    /// Records a failed attempt of a thread that says that it waits. If it has waited for long, it rests, and the rest is booked under
    /// `bucket`.
    fn wait_in_vain(&self, attempt: impl FnOnce(&mut Cluster, usize) -> bool, bucket: Bucket) {
        self.try_in_vain(attempt);
        let rest = standstill::rest(&mut self.state(), self.core());
        if !rest.is_zero() {
            self.settle_after(|state, core| state.cores[core].spend(bucket, rest));
        }
    }

    /// Records a failed attempt of the thread. If the attempt ends the run, this fiber is suspended for ever.
    fn try_in_vain(&self, attempt: impl FnOnce(&mut Cluster, usize) -> bool) {
        let ends = attempt(&mut self.state(), self.core());
        if ends {
            self.suspend();
        }
    }

    /// Lets time go on for a thread that has passed many back-edges without a look, if it has done nothing else. A
    /// thread that works looks once where no other processor would handle the event that it may be waiting for.
    #[cold]
    fn pass_by_many(&self) {
        let works = standstill::has_worked(&mut self.state(), self.core());
        self.passes.set(if works { PASSES } else { IDLE_PASSES });
        if !works {
            self.spin();
        } else if standstill::looks_to_spin(&self.state(), self.core()) {
            self.poll();
        }
    }

    /// Charges work of a protocol.
    #[inline(never)]
    fn charge_step(&self, work: Work) {
        let Some(mut state) = self.live_state() else { return };
        if let Work::Block(primitive, block) = work {
            return self.work_on_block(state, primitive, block);
        }
        let core = self.core();
        let mut at_work = state.at_work(core);
        at_work.charge(work);
        if at_work.core.clock.pends() {
            self.settled_later(state);
        }
    }

    /// Charges operations that may take very long.
    #[cold]
    fn compute_long(&self, done: Operations) {
        self.at_work(|work| work.charge(Work::Compute(done)));
        if self.state().cores[self.core()].clock.pends() {
            self.settle();
        }
    }

    /// Accounts for a run of accesses, beginning under a borrow of the modelled state.
    #[inline]
    fn touched<'s>(&'s self, mut state: RefMut<'s, Cluster>, touch: &Touch) {
        let mut work = state.at_work(self.core());
        let Some(mut left) = work.memory.instructions(work.core.number(), touch) else {
            return touches::charge(&mut work, touch);
        };
        if left.are_private() {
            left.pass_hits(&mut work, Time::MAX);
        } else {
            left.pass_ahead(&mut work);
        }
        if !left.are_over() {
            self.instruct(state, left);
        }
    }

    /// Accounts for an access where the machine describes caches, beginning under a borrow of the modelled state.
    #[inline(never)]
    fn touch_cached<'s>(&'s self, mut state: RefMut<'s, Cluster>, address: u64, access: Access) {
        if !touches::makes_one(&mut state.at_work(self.core()), address, access) {
            self.touched_one(state, address, access);
        }
    }

    /// Accounts for an access that cannot be [made at once](touches::makes_one), beginning under a borrow of the modelled state.
    #[inline(never)]
    fn touched_one<'s>(&'s self, mut state: RefMut<'s, Cluster>, address: u64, access: Access) {
        // An element lies in one line, so that its first byte stands for all.
        let touch = Touch::dense(address, 1, 1, access);
        let mut work = state.at_work(self.core());
        match work.memory.instructions(work.core.number(), &touch) {
            Some(left) => self.instruct(state, left),
            None => touches::charge(&mut work, &touch),
        }
    }

    /// Makes instructions of which the first may need the bus.
    #[inline(never)]
    fn instruct<'s>(&'s self, mut state: RefMut<'s, Cluster>, mut left: Instructions) {
        while !left.are_over() {
            state = self.settled(state);
            if !left.are_private() {
                let until = trains::quiet_until(&state, self.core());
                left.pass_hits(&mut state.at_work(self.core()), until);
                state = self.settled(state);
            }
            let mut work = state.at_work(self.core());
            left.make_next(&mut work);
            if left.are_private() && !left.are_over() {
                left.pass_hits(&mut work, Time::MAX);
            }
        }
    }

    /// Uses the lines at these addresses in the handlers' tables. Returns the time for which the processor was busy
    /// with misses in its cache.
    #[inline(never)]
    fn reach_lines(&self, first: u64, bytes: u64) -> Time {
        let mut busy = Time::ZERO;
        let Some(mut state) = self.live_state() else { return busy };
        let Some(lines) = reach::lines(&state.at_work(self.core()), first, bytes) else { return busy };
        for line in lines {
            let used = reach::uses(&mut state.at_work(self.core()), line);
            if used == Use::Made {
                continue;
            }
            state = self.settled(state);
            let mut work = state.at_work(self.core());
            debug_assert!(work.core.clock.is_settled(), "the line is asked for at the present time");
            if used == Use::Misses || !reach::uses_at_once(&mut work, line) {
                busy += reach::fetch(&mut work, line);
            }
        }
        busy
    }

    /// Spends the occupancy that follows a thread's sends, after the effect of the sends.
    fn spend_tail(&self) {
        self.at_work(|work| work.spend_tail());
    }
}

impl Accounting for Edge {
    fn charge(&self, work: Work) {
        if panicking() {
            return;
        }
        let Work::Compute(done) = work else { return self.charge_step(work) };
        let pends = self.state().compute_shortly(self.core(), done);
        match pends {
            Some(false) => {}
            Some(true) => self.settle(),
            None => self.compute_long(done),
        }
    }

    fn synchronize(&self) {
        if let Some(state) = self.live() {
            drop(self.settled(state));
        }
    }

    fn pass_by(&self) {
        let Some(state) = self.live() else { return };
        drop(self.settled(state));
        let left = self.passes.get() - 1;
        self.passes.set(left);
        if left == 0 {
            self.pass_by_many();
        }
    }

    fn touch(&self, touch: Touch) {
        if let Some(state) = self.live_state() {
            self.touched(state, &touch);
        }
    }

    fn touch_one(&self, address: u64, access: Access) {
        let Some(mut state) = self.live_state() else { return };
        if state.setting.machine.node_memory.is_none() {
            return touches::charge_one(&mut state.at_work(self.core()), address, access);
        }
        self.touch_cached(state, address, access);
    }

    fn drain(&self) {
        if panicking() || self.is_over() {
            return;
        }
        self.settle();
        self.at_work(|work| work.drain());
    }

    fn approach(&self, address: u64, access: Access) {
        if panicking() {
            return;
        }
        let mut state = self.state();
        if state.at_work(self.core()).is_far_ahead(address, access == Access::Store) {
            self.settled(state);
        }
    }

    fn access(&self, address: u64, access: Access) {
        let Some(mut state) = self.live_state() else { return };
        let (store, faulted) = (access == Access::Store, self.faulted.take());
        if store {
            state.agenda.note_progress();
        }
        if !faulted && state.at_work(self.core()).hits(address, store) {
            return;
        }
        // A store that misses has been settled. Its request goes out when the store is issued.
        if faulted || !store {
            state = self.settled(state);
        }
        memory::miss(&mut state, self.core(), address, (store, faulted));
    }

    fn reach(&self, first: u64, bytes: u64) {
        let has_caches = self.live_state().is_some_and(|state| state.setting.machine.node_memory.is_some());
        if has_caches {
            self.reach_lines(first, bytes);
        }
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
