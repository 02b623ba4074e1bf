//! The fibers that threads and handlers run on. There are never more than are needed at that moment.
//!
//! A machine of many nodes needs many stacks, and the system limits the stacks of a process. A thread therefore has a
//! fiber only from its first instant to its return. A handler runs on the stack of the thread that ran last on its
//! processor: that thread cannot go on before the handler has ended. A processor may have no thread, or only threads
//! that have returned, or a thread that has left too little of its stack. There a handler has a fiber of its own, from
//! its start to its end. So a handler can count on [`Handler::STACK_BYTES`] wherever it runs.
//!
//! A thread that waits looks first whether its own stack goes on next, with a handler or with the thread itself. Control
//! returns to the engine only if it does not.
//!
//! All fibers of a run share the thread-locals of the OS thread that runs it. The resulting duties of a program are
//! documented at [`Thread`]. This file has the room's only unsafe block, for it.

use std::cell::{Cell, RefCell, RefMut};
use std::fmt;
use std::io;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;

use fiber::{Fiber, Pool, Status};
use tempest::world::{Packet, PollInterval, Resident};
use tempest::{Handler, NodeId, Thread, ThreadId};
use trace::Event as Traced;

use crate::api::{ENGINE, Edge, Kept, Stack};
use crate::cluster::{Cluster, memory, trains};
use crate::processor::core::Activity;
use crate::unwinding;

/// Bytes of a thread's stack that have to be left for a handler on top of it, and for the calls of this room up to it.
const NEEDED_BYTES: usize = Handler::STACK_BYTES + 16 * 1024;

/// The beginnings of stacks are spread over this number of bytes below the end of a page. Few waiting threads need more
/// than the rest of that page.
const SPREAD_BYTES: usize = 1024;

/// The fibers of a run.
pub(crate) struct Fibers {
    pool: Pool,
    desk: Rc<Desk>,
    /// The places of the hired fibers that run no handler now.
    idle: Vec<usize>,
}

/// The fibers that do not run now.
struct Shelf {
    /// The fibers of threads, by node and thread: `None` for a thread that has not begun, runs, or has returned. Behind
    /// them the hired fibers, for handlers without a thread's stack: `None` while one runs.
    fibers: Vec<Option<Fiber>>,
    /// For each core, the place of the fiber that its handler runs on, if it runs one.
    working: Vec<Option<u32>>,
}

/// The words that the engine and its fibers exchange when a fiber is resumed or suspends.
pub(crate) struct Desk {
    state: Rc<RefCell<Cluster>>,
    residents: Rc<[Resident]>,
    /// The core whose handler the resumed fiber shall begin; `None` if the fiber goes on where it was suspended.
    begins: Cell<Option<usize>>,
    /// The core at which the resumed thread goes on.
    core: Cell<usize>,
    /// The core whose handler has begun and not ended on the fiber that runs.
    handles: Cell<Option<usize>>,
    /// The number of threads of a node, and of all nodes.
    per_node: usize,
    threads: usize,
    shelf: RefCell<Shelf>,
}

impl Fibers {
    /// An empty set of fibers.
    pub(crate) fn new(state: Rc<RefCell<Cluster>>, residents: Rc<[Resident]>) -> Self {
        let (cores, per_node) = {
            let state = state.borrow();
            (state.cores.len(), state.nodes.first().map_or(0, |node| node.threads.len()))
        };
        let desk = Desk {
            state,
            begins: Cell::new(None),
            core: Cell::new(0),
            handles: Cell::new(None),
            per_node,
            threads: residents.len() * per_node,
            shelf: RefCell::new(Shelf {
                fibers: (0..residents.len() * per_node).map(|_| None).collect(),
                working: vec![None; cores],
            }),
            residents,
        };
        let pool = Pool::spread_over(Thread::STACK_BYTES, SPREAD_BYTES).owned_by(&ENGINE);
        Self { pool, desk: Rc::new(desk), idle: Vec::new() }
    }

    /// The place of the fiber of a thread, which begins or goes on at a core when the fiber is [resumed](Self::resume).
    ///
    /// # Errors
    /// There is no host memory for one more stack.
    #[inline]
    pub(crate) fn place_of_thread(&mut self, core: usize, node: usize, thread: u32) -> io::Result<usize> {
        self.desk.core.set(core);
        let place = node * self.desk.per_node + thread as usize;
        let begins = self.desk.shelf.borrow().fibers[place].is_none();
        if begins {
            self.begin_thread(place, node, thread)?;
        }
        Ok(place)
    }

    #[cold]
    fn begin_thread(&self, place: usize, node: usize, thread: u32) -> io::Result<()> {
        let seat = Rc::new(Seat { desk: Rc::clone(&self.desk), node, thread });
        let occupant = Rc::clone(&seat);
        let fiber = spawn(&self.pool, occupant, move || run_thread(seat))?;
        self.desk.shelf.borrow_mut().fibers[place] = Some(fiber);
        Ok(())
    }

    /// The place of the fiber on which the handler of `core` goes on, or on which the handler that `core` has been given begins, when
    /// the fiber is [resumed](Self::resume).
    ///
    /// # Errors
    /// There is no host memory for one more stack.
    #[inline]
    pub(crate) fn place_of_handler(&mut self, core: usize) -> io::Result<usize> {
        let working = self.desk.shelf.borrow_mut().working[core].take();
        match working {
            Some(place) => {
                self.desk.handles.set(Some(core));
                Ok(place as usize)
            }
            None => {
                self.desk.begins.set(Some(core));
                self.place_for(core)
            }
        }
    }

    /// Runs the fiber of a place until it suspends, and notes whose handler it is in then.
    #[inline]
    pub(crate) fn resume(&mut self, place: usize) {
        let mut fiber = self.desk.take(place);
        let status = fiber.as_mut().expect("a thread does not return under its guest").resume();
        let mut shelf = self.desk.shelf.borrow_mut();
        match self.desk.handles.take() {
            Some(core) => shelf.working[core] = Some(place as u32),
            None if place >= self.desk.threads => self.idle.push(place),
            None if status == Status::Finished => return,
            None => {}
        }
        // The place is empty. The compiler need not provide for a fiber that is dropped there.
        let own = &mut shelf.fibers[place];
        debug_assert!(own.is_none(), "only the fiber that ran has this place");
        if own.is_none() {
            *own = fiber;
        }
    }

    /// The place of the stack for a handler that begins on `core`.
    fn place_for(&mut self, core: usize) -> io::Result<usize> {
        let last = {
            let state = self.desk.state.borrow();
            let node = state.cores[core].node();
            let host = state.host_of_handlers(core);
            host.map(|thread| node * self.desk.per_node + thread as usize)
        };
        let has_room = |thread: &usize| {
            let shelf = self.desk.shelf.borrow();
            shelf.fibers[*thread].as_ref().is_some_and(|fiber| fiber.room() >= NEEDED_BYTES)
        };
        match last.filter(has_room).or_else(|| self.idle.pop()) {
            Some(place) => Ok(place),
            None => self.hire(),
        }
    }

    /// Prefetches the program of a node, the fiber of its first thread, and the place of the fiber for handlers of `core`.
    pub(crate) fn ask_for_places(&self, node: usize, core: usize) {
        let desk = &*self.desk;
        fiber::prefetch_value(&desk.residents[node]);
        let shelf = desk.shelf.borrow();
        shelf.fibers.get(node * desk.per_node).into_iter().for_each(fiber::prefetch_value);
        shelf.working.get(core).into_iter().for_each(fiber::prefetch_value);
    }

    /// Prefetches the stack of a node's first thread: `below` lines below the place where it was left, and `above`
    /// lines above.
    pub(crate) fn ask_for_stack(&self, node: usize, (below, above): (usize, usize)) {
        if let Some(Some(fiber)) = self.desk.shelf.borrow().fibers.get(node * self.desk.per_node) {
            fiber.prefetch_around(below, above);
        }
    }

    /// Unwinds all fibers: the run is over.
    pub(crate) fn unwind(&self) {
        self.desk.unwind();
    }

    fn hire(&mut self) -> io::Result<usize> {
        let desk = Rc::clone(&self.desk);
        let occupant = Rc::clone(&desk);
        let fiber = spawn(&self.pool, occupant, move || {
            loop {
                if let Some(core) = desk.begins.take() {
                    desk.serve(core);
                }
                ENGINE.suspend();
            }
        })?;
        let fibers = &mut self.desk.shelf.borrow_mut().fibers;
        fibers.push(Some(fiber));
        Ok(fibers.len() - 1)
    }
}

/// Fibers share the desk, and the desk has them.
impl Drop for Fibers {
    fn drop(&mut self) {
        self.desk.unwind();
    }
}

/// Makes the fiber of a thread, or a hired fiber for handlers. Should its stack overflow, `occupant` says whose it was.
///
/// # Errors
/// The system's, when it has no memory for another stack.
#[expect(unsafe_code, reason = "the one place in this room: the contract of stackful threads")]
fn spawn(
    pool: &Pool,
    occupant: Rc<impl fmt::Display + 'static>,
    body: impl FnOnce() + 'static,
) -> io::Result<Fiber> {
    // SAFETY: desks and seats display two numbers, and look into the modelled state only if it is not borrowed: no
    // memory, no lock. The engine's code borrows nothing of a thread-local across a suspension. Its fibers are resumed
    // to their end or dropped with the engine, inside `run`. That a program's code keeps to the same, while it waits
    // and when it is unwound, no world can see to: `tempest::Thread` demands it.
    unsafe { pool.spawn_as(occupant, body) }
}

/// Displays the handler that runs, for people. Also in a signal's handler: neither allocates nor takes a lock.
impl fmt::Display for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state.try_borrow().ok();
        match state.zip(self.handles.get()) {
            Some((state, core)) => write!(f, "a handler on {}", NodeId(state.cores[core].node() as u32)),
            None => f.write_str("a handler"),
        }
    }
}

impl Desk {
    /// Unwinds all fibers but the running one, first the fibers in a handler or a hold: they have keys that the
    /// destructors of others may ask for.
    fn unwind(&self) {
        let hired = self.shelf.borrow_mut().fibers.split_off(self.threads);
        drop(hired);
        let mut first = self.holders();
        let mut shelf = self.shelf.borrow_mut();
        let working = shelf.working.iter_mut().filter_map(Option::take).map(|place| place as usize);
        first.extend(working.filter(|&place| place < self.threads));
        drop(shelf);
        for place in first.into_iter().chain(0..self.threads) {
            drop(self.take(place));
        }
    }

    /// Takes the fiber of a place, if there is one.
    #[inline]
    fn take(&self, place: usize) -> Option<Fiber> {
        self.shelf.borrow_mut().fibers[place].take()
    }

    /// The places of the threads that hold a key.
    fn holders(&self) -> Vec<usize> {
        let state = self.state.borrow();
        let holders = state.cores.iter().filter(|core| core.is_masked());
        holders.filter_map(|core| Some(core.node() * self.per_node + core.thread()? as usize)).collect()
    }

    /// Runs the handler that a core has been given, and further handlers that the core is given while no event comes between. A
    /// handler's panic stops the run, and the fiber is suspended until it is unwound.
    fn serve(&self, core: usize) {
        let Err(panic) = catch_unwind(AssertUnwindSafe(|| self.run_jobs(core))) else { return };
        if self.state.borrow().agenda.is_over() {
            resume_unwind(panic);
        }
        unwinding::stop(&mut self.state.borrow_mut(), &*panic);
        // Its destructor may panic once more.
        mem::forget(panic);
        loop {
            ENGINE.suspend();
        }
    }

    fn run_jobs(&self, core: usize) {
        self.handles.set(Some(core));
        let edge = Edge::of_handler(Rc::clone(&self.state), core);
        let resident = &self.residents[edge.node()];
        let mut packet = Packet::blank();
        while run_job(&edge, core, resident, &mut packet).handler_goes_on(core) {}
        self.handles.set(None);
    }
}

/// The part of a thread's stack that goes on.
enum Here {
    /// The thread, at this core.
    Thread { core: usize },
    /// A handler, which begins on this core.
    Handler { core: usize },
}

/// The part of the stack of a thread that goes on next, if one does: the thread itself, or a handler that begins on its stack.
/// Its processor runs from now on.
fn goes_on_here(cluster: &mut Cluster, node: usize, thread: u32) -> Option<Here> {
    let (core, epoch) = cluster.agenda.first_due()?;
    let own = &cluster.cores[core];
    if own.node() != node || !own.clock.counts(epoch) {
        return None;
    }
    let here = match own.activity() {
        Activity::Thread(other) if other == thread => Here::Thread { core },
        Activity::Handler if own.has_job() && cluster.host_of_handlers(core) == Some(thread) => {
            if fiber::room().is_some_and(|left| left < NEEDED_BYTES) {
                return None;
            }
            Here::Handler { core }
        }
        _ => return None,
    };
    cluster.agenda.take_due();
    if trains::go_on(cluster, core) {
        return goes_on_here(cluster, node, thread);
    }
    cluster.enter_fiber(core);
    Some(here)
}

/// A thread at its desk: the stack on which it runs, and its guests while it waits.
struct Seat {
    desk: Rc<Desk>,
    node: usize,
    thread: u32,
}

/// Displays the thread or handler that runs on the seat's stack, for people. Also in a signal's handler: neither
/// allocates nor takes a lock.
impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.desk.handles.get() {
            Some(_) => self.desk.fmt(f),
            None => ThreadId { node: NodeId(self.node as u32), index: self.thread }.fmt(f),
        }
    }
}

impl Stack for Seat {
    fn unwind_others(&self) {
        self.desk.unwind();
    }

    fn suspend(&self) -> usize {
        let desk = &*self.desk;
        loop {
            let next = goes_on_here(&mut desk.state.borrow_mut(), self.node, self.thread);
            let begins = match next {
                Some(Here::Thread { core }) => return core,
                Some(Here::Handler { core }) => Some(core),
                None => {
                    ENGINE.suspend();
                    desk.begins.take()
                }
            };
            let Some(core) = begins else { return desk.core.get() };
            desk.serve(core);
        }
    }
}

/// Runs a thread from its beginning to its return.
fn run_thread(seat: Rc<Seat>) {
    let (desk, node, thread) = (&*seat.desk, seat.node, seat.thread);
    let interval = PollInterval::every(desk.state.borrow().poll_interval());
    let edge = Edge::of_thread(Rc::clone(&desk.state), desk.core.get(), Rc::<Seat>::clone(&seat));
    let resident = &desk.residents[node];
    edge.state().record(Traced::ThreadStart { node: node as u32, thread });
    resident.main(&tempest::world::thread(&resident.node, thread, &edge, Some(&edge), interval));
    edge.settle();
    edge.state().finish_thread(edge.core(), thread);
}

/// Runs the handler of the event that a core has been given, and gives the event's key back. `packet` is room for the event's
/// message. Returns the modelled state at the end.
#[inline]
fn run_job<'e>(edge: &'e Edge, core: usize, resident: &Resident, packet: &mut Packet) -> RefMut<'e, Cluster> {
    let (held, granted) = edge.begin_handler(packet);
    if let Some(thread) = granted {
        let mut state = edge.state();
        state.grant(core, thread, held);
        return state;
    }
    let mut held = Kept::new(edge, held);
    let node = &resident.node;
    loop {
        let mut cx = tempest::world::handler(node, packet.source(), held.proof(), edge, Some(edge));
        let Some(lower) = node.deliver(packet, &mut cx) else { break };
        // Everything that the handler has charged is spent before the right is taken away.
        edge.settle();
        *packet = lower.then;
        let waits = memory::lower(&edge.state(), core, lower);
        if let Some(lower) = waits {
            let mut state = end_handler(edge, core);
            memory::put_off(&mut state, core, held.take(), lower);
            return state;
        }
    }
    let mut state = end_handler(edge, core);
    state.finish_handler(core, held.take());
    state
}

/// Spends the occupancy that follows a handler, before its processor is free. Returns the modelled state at the end.
#[inline(always)]
fn end_handler(edge: &Edge, core: usize) -> RefMut<'_, Cluster> {
    let mut state = edge.state();
    if state.lets_others_first(core) {
        drop(state);
        ENGINE.suspend();
        state = edge.state();
    }
    if state.spend_completion(core) { state } else { edge.settled_later(state) }
}
