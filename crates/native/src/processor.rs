//! One OS thread: the scheduling loop.
//!
//! The loop runs ready threads in turn and serves between them, where the policy lets this processor serve (`serve`).
//! With neither a ready thread nor anything to serve it is idle (`idle`).

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use fiber::{Fiber, Pool, Status};
use pdq::Serial;
use tempest::policy::Notice;
use tempest::{Blocked, Failure, MessageId, Thread, ThreadId};
use trace::Event as Traced;

use crate::gauge::Gauge;
use crate::node::{Node, lock};
use crate::threads::{Local, Reason};
use crate::tracer::Tracer;
use crate::world::{Stage, World};

/// A program thread's stack. Untouched pages cost nothing.
const STACK_BYTES: usize = 256 * 1024;

/// What a processor is at: where a panic comes from.
#[derive(Clone, Copy)]
pub(crate) enum Doing {
    /// Running its current thread.
    Thread,
    /// Running a handler.
    Handler(MessageId),
}

/// One processor.
pub(crate) struct Processor {
    pub(crate) world: Arc<World>,
    /// Its number among all processors.
    pub(crate) index: usize,
    /// Its number on the node.
    pub(crate) number: usize,
    node: usize,
    pub(crate) doing: Cell<Doing>,
    /// The thread that runs, by its index on the node.
    pub(crate) current: Cell<u32>,
    pub(crate) ready: RefCell<VecDeque<u32>>,
    /// Its own threads.
    locals: Vec<Local>,
    /// Index on the node of the first of them.
    first_thread: u32,
    /// Sends in a row that found no room, with nothing served in between.
    pub(crate) attempts: Cell<u32>,
    /// Batches served, for sampling.
    pub(crate) batches: Cell<u32>,
    /// The node's serial dispatcher, where this is its only processor.
    pub(crate) serial: RefCell<Option<Serial>>,
    /// Changes of the node's dispatch queue when it was last searched in vain.
    pub(crate) searched: Cell<u64>,
    /// Changes of the node's takeaways when it last looked through them.
    pub(crate) looked: Cell<u64>,
    /// Handled messages of threads that their senders have not been told of.
    pub(crate) owes_digest: Cell<bool>,
    pub(crate) tracer: Tracer,
    /// Sends of threads, for sampling.
    pub(crate) sends: Cell<u32>,
}

impl Processor {
    /// Processor `index` of `world`, with `threads` threads if it computes.
    pub(crate) fn new(world: Arc<World>, index: usize, threads: u32, tracer: Tracer) -> Self {
        let (node, number) = (index / world.processors_per_node(), index % world.processors_per_node());
        let threads = if world.is_dedicated(index) { 0 } else { threads };
        Self {
            index,
            number,
            node,
            doing: Cell::new(Doing::Thread),
            current: Cell::new(0),
            ready: RefCell::new(VecDeque::new()),
            locals: (0..threads).map(|_| Local::default()).collect(),
            first_thread: number as u32 * threads,
            attempts: Cell::new(0),
            batches: Cell::new(0),
            serial: RefCell::new(world.nodes[node].take_serial()),
            searched: Cell::new(0),
            looked: Cell::new(0),
            owes_digest: Cell::new(false),
            tracer,
            sends: Cell::new(0),
            world,
        }
    }

    /// Makes its threads, ready to run.
    ///
    /// # Errors
    /// The system's, when it has no memory for their stacks.
    pub(crate) fn spawn_threads(self: &Rc<Self>) -> std::io::Result<Vec<Fiber>> {
        let pool = Pool::new(STACK_BYTES);
        let spawn = |local| {
            let processor = Rc::clone(self);
            let thread = self.first_thread + local as u32;
            pool.spawn(move || {
                let resident = &processor.node().resident;
                let poll_every = processor.poll_interval();
                processor.trace(|node, _| Traced::ThreadStart { node, thread });
                resident.main(&Thread::new(&resident.node, thread, &*processor, poll_every));
                processor.trace(|node, _| Traced::ThreadEnd { node, thread });
            })
        };
        (0..self.locals.len()).map(spawn).collect()
    }

    /// Runs until the world stops. Threads that have not returned by then are unwound.
    pub(crate) fn run(&self, mut fibers: Vec<Fiber>) {
        self.ready.borrow_mut().extend((0..fibers.len() as u32).map(|thread| self.first_thread + thread));
        while self.world.is_running() {
            self.take_inbox();
            let next = self.ready.borrow_mut().pop_front();
            match next {
                Some(thread) => self.run_thread(&mut fibers[(thread - self.first_thread) as usize], thread),
                None => self.idle(),
            }
        }
        if self.world.stage() != Stage::Ended {
            self.tell_blocked();
        }
    }

    pub(crate) fn take_inbox(&self) {
        let woken =
            self.node().inboxes[self.number].drain(|thread| self.ready.borrow_mut().push_back(thread));
        if woken > 0 {
            self.gauge().count_handled(woken);
        }
    }

    fn run_thread(&self, fiber: &mut Fiber, thread: u32) {
        if fiber.is_finished() {
            return;
        }
        self.doing.set(Doing::Thread);
        self.current.set(thread);
        self.trace(|node, processor| Traced::Run { node, processor, thread });
        self.heed();
        let status = fiber.resume();
        self.trace(|node, processor| Traced::Leave { node, processor, thread });
        if status == Status::Finished {
            self.world.live.fetch_sub(1, Ordering::AcqRel);
        }
        if self.serves() {
            self.serve();
        }
    }

    fn tell_blocked(&self) {
        for (local, index) in self.locals.iter().zip(self.first_thread..) {
            let Some((reason, since)) = local.waits_for.get() else { continue };
            let thread = ThreadId { node: self.node().id, index };
            let waits_for = match reason {
                Reason::Phase(_) => format!("{reason}: {}", self.world.phases.arrivals()),
                _ => reason.to_string(),
            };
            lock(&self.world.blocked).push(Blocked { thread, waits_for, since });
        }
    }

    #[inline]
    pub(crate) fn node(&self) -> &Node {
        &self.world.nodes[self.node]
    }

    #[inline]
    pub(crate) fn gauge(&self) -> &Gauge {
        &self.world.gauges[self.index]
    }

    /// What it is at, for people.
    pub(crate) fn doing(&self) -> String {
        let node = self.node();
        match self.doing.get() {
            Doing::Thread => ThreadId { node: node.id, index: self.current.get() }.to_string(),
            Doing::Handler(id) => {
                format!("the handler of {} on {}", node.resident.node.message_name(id), node.id)
            }
        }
    }

    /// Whether the policy lets this processor run handlers.
    #[inline]
    pub(crate) fn serves(&self) -> bool {
        self.world.split.dedicated == 0 || self.world.is_dedicated(self.index)
    }

    /// Its number among the servers of the node.
    pub(crate) fn server(&self) -> usize {
        self.index - self.world.servers(self.node().id).start
    }

    /// Whether it sleeps when it has nothing to do, and is woken for a message.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.world.policy.notice != Notice::Poll && self.world.is_dedicated(self.index)
    }

    /// Whether there is a reason not to sleep.
    #[inline]
    pub(crate) fn sees_work(&self) -> bool {
        !self.world.is_running()
            || !self.node().inboxes[self.number].is_empty()
            || self.serves() && self.sees_events()
    }

    /// Whether a thread is ready, or on its way here.
    pub(crate) fn has_threads_to_run(&self) -> bool {
        !self.ready.borrow().is_empty() || !self.node().inboxes[self.number].is_empty()
    }

    /// Whether a thread of its own waits for a block of shared memory.
    pub(crate) fn awaits_block(&self) -> bool {
        self.locals.iter().any(Local::awaits_block)
    }

    pub(crate) fn owns_poll(&self) -> bool {
        self.node().owns_poll(self.number, self.world.processors_per_node())
    }

    pub(crate) fn local(&self) -> &Local {
        &self.locals[(self.current.get() - self.first_thread) as usize]
    }

    /// Ends the run: the program broke a promise.
    pub(crate) fn fail(&self, what: String) {
        self.world.fail(Failure::Program(what));
    }

    /// A thread looks at every so many back-edges, or never; where there is shared memory, also to be asked for a right.
    pub(crate) fn poll_interval(&self) -> u32 {
        self.world.policy.poll_interval(1).max(self.takeaways().is_some().into())
    }

    /// Whether all that runs on this node runs on this processor.
    #[inline]
    pub(crate) fn is_alone(&self) -> bool {
        self.world.processors_per_node() == 1
    }
}
