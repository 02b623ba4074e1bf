//! The fibers that threads and handlers run on: no more than are needed at any moment.
//!
//! A machine of many nodes is mostly stacks, and the system grants a process only so many. So a thread has a fiber from its
//! first instant to its return, not before and not after. A handler runs on the stack of the thread that ran last on its
//! processor, as in a thread that polls: that one cannot go on before the handler has ended. Only where there is none, on a
//! processor without threads or whose threads have returned, a handler gets a fiber of its own, from its start to its end.

use std::cell::{Cell, RefCell};
use std::io;
use std::rc::Rc;

use fiber::{Fiber, Pool, Status};
use tempest::world::Resident;
use trace::Event as Traced;

use crate::api::{Edge, Stack};
use crate::cluster::{Cluster, memory};
use crate::processor::core::{Event, Job};

/// Room for a thread of a program and a handler on top of it, as much as an OS thread would have in a small system.
/// Untouched pages cost nothing.
const STACK_BYTES: usize = 256 * 1024;

/// Those fibers.
pub(crate) struct Fibers {
    pool: Pool,
    desk: Rc<Desk>,
    /// Threads of a node.
    per_node: usize,
    /// By node and thread: those that have begun and not returned.
    threads: Vec<Option<Fiber>>,
    /// Fibers of handlers.
    hired: Vec<Fiber>,
    /// Of those, the ones that belong to nobody.
    idle: Vec<u32>,
    /// By core, where its handler is at work.
    working: Vec<Option<Work>>,
}

/// Where a handler is at work.
#[derive(Clone, Copy)]
enum Work {
    /// On a fiber of its own.
    Hired(u32),
    /// On a thread's stack.
    Guest(usize),
}

/// What fibers are told when they are resumed, and say when they suspend.
pub(crate) struct Desk {
    state: Rc<RefCell<Cluster>>,
    residents: Box<[Resident]>,
    /// The core whose handler the fiber that is resumed shall begin; a thread goes on where there is none.
    begins: Cell<Option<usize>>,
    /// The core that the thread goes on at which is resumed.
    core: Cell<usize>,
    /// The handler that was at work has ended.
    done: Cell<bool>,
}

impl Fibers {
    /// No fibers yet.
    pub(crate) fn new(state: Rc<RefCell<Cluster>>, residents: &[Resident]) -> Self {
        let (cores, per_node) = {
            let state = state.borrow();
            (state.cores.len(), state.nodes.first().map_or(0, |node| node.threads.len()))
        };
        let desk = Desk {
            state,
            residents: residents.into(),
            begins: Cell::new(None),
            core: Cell::new(0),
            done: Cell::new(false),
        };
        Self {
            pool: Pool::new(STACK_BYTES),
            desk: Rc::new(desk),
            per_node,
            threads: (0..residents.len() * per_node).map(|_| None).collect(),
            hired: Vec::new(),
            idle: Vec::new(),
            working: vec![None; cores],
        }
    }

    /// Lets a thread begin or go on at a core.
    ///
    /// # Errors
    /// If there is no memory for one more stack.
    pub(crate) fn resume_thread(&mut self, core: usize, node: usize, thread: u32) -> io::Result<()> {
        self.desk.core.set(core);
        let place = &mut self.threads[node * self.per_node + thread as usize];
        if place.is_none() {
            let desk = Rc::clone(&self.desk);
            *place = Some(self.pool.spawn(move || run_thread(&desk, node, thread))?);
        }
        if place.as_mut().is_some_and(|fiber| fiber.resume() == Status::Finished) {
            *place = None;
        }
        Ok(())
    }

    /// Lets the handler of `core` go on, or the one begin that it has been given.
    ///
    /// # Errors
    /// If there is no memory for one more stack.
    pub(crate) fn resume_handler(&mut self, core: usize) -> io::Result<()> {
        let work = match self.working[core].take() {
            Some(work) => work,
            None => {
                self.desk.begins.set(Some(core));
                self.place_for(core)?
            }
        };
        let fiber = match work {
            Work::Hired(index) => Some(&mut self.hired[index as usize]),
            Work::Guest(thread) => self.threads[thread].as_mut(),
        };
        let fiber = fiber.expect("a thread does not return under its guest");
        // A fiber with a handler on it never returns: it says at the desk that it is done.
        let (Status::Suspended | Status::Finished) = fiber.resume();
        if !self.desk.done.take() {
            self.working[core] = Some(work);
        } else if let Work::Hired(index) = work {
            self.idle.push(index);
        }
        Ok(())
    }

    /// Where a handler of `core` can run that begins.
    fn place_for(&mut self, core: usize) -> io::Result<Work> {
        let last = {
            let state = self.desk.state.borrow();
            let node = state.cores[core].node();
            let host = state.host_of_handlers(core);
            host.map(|thread| node * self.per_node + thread as usize)
        };
        match last.filter(|&thread| self.threads[thread].is_some()) {
            Some(thread) => Ok(Work::Guest(thread)),
            None => Ok(Work::Hired(self.idle.pop().map_or_else(|| self.hire(), Ok)?)),
        }
    }

    fn hire(&mut self) -> io::Result<u32> {
        let desk = Rc::clone(&self.desk);
        let fiber = self.pool.spawn(move || {
            loop {
                desk.serve();
                fiber::suspend();
            }
        })?;
        self.hired.push(fiber);
        Ok((self.hired.len() - 1) as u32)
    }
}

impl Desk {
    /// Runs the handler that a core has been given, if that is what this fiber was resumed for, and those that it is given
    /// while nothing else happens.
    fn serve(&self) -> bool {
        let Some(core) = self.begins.take() else { return false };
        let edge = Edge::of_handler(Rc::clone(&self.state), core);
        let node = edge.node();
        loop {
            edge.reach_handler();
            let job = edge.state().begin_handler(core);
            run_job(&edge, core, &self.residents[node], job);
            if !edge.state().handler_goes_on(core) {
                self.done.set(true);
                return true;
            }
        }
    }
}

impl Stack for Desk {
    fn suspend(&self) -> usize {
        fiber::suspend();
        while self.serve() {
            fiber::suspend();
        }
        self.core.get()
    }
}

/// The life of a thread.
fn run_thread(desk: &Rc<Desk>, node: usize, thread: u32) {
    let poll_every = desk.state.borrow().poll_interval();
    let edge = Edge::of_thread(Rc::clone(&desk.state), desk.core.get(), Rc::<Desk>::clone(desk));
    let resident = &desk.residents[node];
    edge.state().record(Traced::ThreadStart { node: node as u32, thread });
    resident.main(&tempest::world::thread(&resident.node, thread, &edge, Some(&edge), poll_every));
    edge.settle();
    edge.state().finish_thread(edge.core(), thread);
}

/// Runs one event on a core, and gives its key back.
fn run_job(edge: &Edge, core: usize, resident: &Resident, job: Job) {
    let mut held = job.held;
    match job.event {
        Event::Message { flight } => {
            let node = &resident.node;
            let mut packet = edge.state().land(flight);
            loop {
                let mut cx = tempest::world::handler(node, packet.source(), held.proof(), edge, Some(edge));
                let Some(lower) = node.deliver(&packet, &mut cx) else { break };
                // What has been charged comes before the right is taken away.
                edge.settle();
                packet = lower.then;
                let waits = memory::lower(&edge.state(), core, lower);
                if let Some(lower) = waits {
                    end_handler(edge, core);
                    return memory::put_off(&mut edge.state(), core, held, lower);
                }
            }
            end_handler(edge, core);
            edge.state().finish_handler(core, held);
        }
        Event::Grant { thread } => edge.state().grant(core, thread, held),
    }
}

/// What follows a handler, before its processor is free.
fn end_handler(edge: &Edge, core: usize) {
    if edge.state().lets_others_first(core) {
        fiber::suspend();
    }
    edge.state().spend_completion(core);
    edge.settle();
}
