//! One OS thread: the scheduling loop.
//!
//! The loop runs ready threads in turn and serves between them, where the policy lets this processor serve (`serve`). A thread
//! that waits passes its turn to the next one itself, as far as the loop would do no more than that (`waits`).
//! With neither a ready thread nor anything to serve it is idle (`idle`).
//!
//! # When it serves
//!
//! When no thread is ready any more, and else when [`TURNS`] threads have run, each up to where it gave the processor
//! away, or when one of them stepped back to wait for what others do. So a message waits for no more than that many
//! turns, however long the queue is; a turn is as long as the program makes it, which is why a thread that computes for
//! long polls, and serves there. Looking costs as much as a switch where there are few nodes, and more where there are
//! many: once in so many turns that hardly counts.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use fiber::{Crew, Fiber, Pool, Status};
use tempest::policy::Notice;
use tempest::world::{MessageId, Pace, PollInterval, Serial};
use tempest::{Blocked, Failure, ThreadId};
use trace::Event as Traced;
use units::Time;

use crate::cluster::node::Node;
use crate::cluster::world::{Stage, World};
use crate::dispatch::floor::{Floor, Speaker};
use crate::dispatch::keyed::Duty;
use crate::link::burst::Bursts;
use crate::link::lane::Lane;
use crate::lock::lock;
use crate::measure::gauge::{Awaited, Gauge};
use crate::measure::tracer::Tracer;
use crate::processor::foresight::Foresight;
use crate::processor::ready::Ready;
use crate::processor::threads::{Local, Reason};

/// Threads that run before the processor serves, if it may, and looks who has been woken by others.
const TURNS: u32 = 16;

/// So far apart this world wants a computing processor's looks for events to be (how that comes about: [`Pace`]): a twentieth of
/// the time goes into looking then, and a message waits half of it on the average, which is what it takes to come and go.
pub const LOOKS_APART: Time = Time::from_microseconds(1);

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
    node: Arc<Node>,
    gauge: Arc<Gauge>,
    /// Those out of its node.
    pub(crate) lanes: Arc<[Lane]>,
    pub(crate) doing: Cell<Doing>,
    /// The thread that runs, by its index on the node.
    pub(crate) current: Cell<u32>,
    /// Those that are ready, by their number here.
    pub(crate) ready: Ready,
    foresight: Foresight,
    /// Its own threads.
    pub(crate) locals: Vec<Local>,
    /// Index on the node of the first of them.
    first_thread: u32,
    /// Threads of each processor that has any.
    pub(crate) threads_each: u32,
    /// Whether all that runs on this node runs on this processor.
    alone: bool,
    /// Whether a thread that waits passes its turn to the next one itself: where nothing is to be done between two turns.
    pub(crate) passes_turns: bool,
    /// Threads that may still run before it serves.
    pub(crate) turns: Cell<u32>,
    /// Its threads that have not returned.
    live: Cell<u32>,
    /// Its threads that wait for a block of shared memory.
    pub(crate) awaited_blocks: Cell<u32>,
    /// When it last looked at the clock.
    pub(crate) seen_ns: Cell<u64>,
    /// Its threads that have found no room and wait for some.
    pub(crate) lacking: Cell<u32>,
    /// Sends in a row that found no room, with nothing served or moved on in between.
    pub(crate) attempts: Cell<u32>,
    /// Batches served, for sampling.
    pub(crate) batches: Cell<u32>,
    /// The node's serial dispatcher, where this is its only processor.
    pub(crate) serial: RefCell<Option<Serial>>,
    /// Its part in the node's dispatch queue, where there is one.
    pub(crate) duty: Duty,
    /// Changes of the node's lowerings when it last looked through them.
    pub(crate) looked: Cell<u64>,
    pub(crate) bursts: Bursts,
    /// What it knows of the floor of its node.
    pub(crate) speaker: Speaker,
    /// Handled messages of threads that their senders have not been told of.
    pub(crate) owes_digest: Cell<bool>,
    /// Whether it runs its current thread, and not its loop.
    pub(crate) runs_thread: Cell<bool>,
    /// Whether this processor has ended the run because of what a thread did while a panic unwound it.
    pub(crate) abandoned: Cell<bool>,
    pub(crate) tracer: Tracer,
    /// How often its threads look for events.
    pub(crate) pace: Pace,
    /// Sends of threads, for sampling.
    pub(crate) sends: Cell<u32>,
    /// Words that the handler which runs has left in outboxes.
    pub(crate) outboxed: Cell<u64>,
}

impl Processor {
    /// Processor `index` of `world`, with so many threads if it computes, as every processor that does.
    pub(crate) fn new(world: Arc<World>, index: usize, threads_each: u32, tracer: Tracer) -> Self {
        let (node, number) = world.seat(index);
        let node = Arc::clone(&world.nodes[node]);
        let threads = if world.is_dedicated(index) { 0 } else { threads_each };
        Self {
            index,
            number,
            gauge: Arc::clone(&world.gauges[index]),
            lanes: Arc::clone(world.lanes_from(node.id)),
            doing: Cell::new(Doing::Thread),
            current: Cell::new(0),
            ready: Ready::new(threads),
            foresight: Foresight::new(threads),
            locals: (0..threads).map(|_| Local::default()).collect(),
            first_thread: number as u32 * threads,
            threads_each,
            alone: world.is_one_per_node(),
            passes_turns: !tracer.records() && node.lowerings.is_none(),
            turns: Cell::new(0),
            live: Cell::new(threads),
            awaited_blocks: Cell::new(0),
            seen_ns: Cell::new(0),
            lacking: Cell::new(0),
            attempts: Cell::new(0),
            batches: Cell::new(0),
            serial: RefCell::new(node.take_serial()),
            duty: Duty::default(),
            looked: Cell::new(0),
            bursts: Bursts::new(index),
            speaker: Speaker::new(number),
            owes_digest: Cell::new(false),
            runs_thread: Cell::new(false),
            abandoned: Cell::new(false),
            tracer,
            pace: Pace::new(LOOKS_APART),
            sends: Cell::new(0),
            outboxed: Cell::new(0),
            node,
            world,
        }
    }

    /// Makes its threads, ready to run.
    ///
    /// # Errors
    /// The system's, when it has no memory for their stacks.
    pub(crate) fn spawn_threads(self: &Rc<Self>, pool: &Pool) -> std::io::Result<Vec<Fiber>> {
        let spawn = |local| {
            let processor = Rc::clone(self);
            let thread = self.first_thread + local as u32;
            self.spawn(pool, move || {
                let resident = &processor.node().resident;
                let interval = processor.poll_interval();
                processor.trace(|node, _| Traced::ThreadStart { node, thread });
                resident.main(&tempest::world::thread(&resident.node, thread, &*processor, None, interval));
                processor.trace(|node, _| Traced::ThreadEnd { node, thread });
            })
        };
        (0..self.locals.len()).map(spawn).collect()
    }

    /// Runs until the world stops.
    pub(crate) fn run(&self, threads: &mut Crew) {
        (0..threads.len() as u32).for_each(|number| self.ready.push(number));
        while self.world.is_running() {
            self.take_inbox();
            self.run_ready(threads);
            if self.serve_at_point() == 0 && !self.has_threads_to_run() {
                self.idle();
            }
        }
        if self.world.stage() != Stage::Ended {
            self.tell_blocked();
        }
    }

    pub(crate) fn take_inbox(&self) {
        let woken =
            self.node().inboxes[self.number].drain(|thread| self.ready.push(thread - self.first_thread));
        if woken > 0 {
            self.gauge().count_handled(woken);
        }
    }

    /// Runs threads that are ready, [`TURNS`] of them or until one steps back.
    fn run_ready(&self, threads: &mut Crew) {
        self.turns.set(TURNS);
        let has_lowerings = self.lowerings().is_some();
        while let Some(number) = self.next_turn() {
            if !threads.is_finished(number as usize) {
                if has_lowerings {
                    self.heed();
                }
                self.run_thread(threads, number);
            }
        }
    }

    /// Who runs next, if another thread may run before this processor serves.
    #[inline]
    pub(crate) fn next_turn(&self) -> Option<u32> {
        let left = self.turns.get().checked_sub(1)?;
        let number = self.ready.pop()?;
        self.turns.set(left);
        Some(number)
    }

    /// A thread runs from now on. Returns who is likely to run soon.
    #[inline]
    pub(crate) fn begin_turn(&self, number: u32) -> Option<u32> {
        self.current.set(self.first_thread + number);
        self.bursts.begin();
        self.foresight.note(number)
    }

    /// Runs a thread, and whom it passes the turn to.
    #[inline]
    fn run_thread(&self, threads: &mut Crew, number: u32) {
        if let Some(soon) = self.begin_turn(number) {
            threads.prefetch(soon as usize);
        }
        let thread = self.current.get();
        self.trace(|node, processor| Traced::Run { node, processor, thread });
        self.runs_thread.set(true);
        let (_, status) = threads.resume(number as usize);
        self.runs_thread.set(false);
        self.trace(|node, processor| Traced::Leave { node, processor, thread });
        if status == Status::Finished {
            self.live.set(self.live.get() - 1);
            self.world.live.fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// Unwinds the threads that have not returned. The world has stopped.
    pub(crate) fn unwind(&self, threads: Crew) {
        // One that catches the unwinding, and waits once more, passes its turn to nobody.
        self.turns.set(0);
        drop(threads);
    }

    fn tell_blocked(&self) {
        for (local, index) in self.locals.iter().zip(self.first_thread..) {
            let Some(reason) = local.waits_for.get() else { continue };
            let since = Time::from_nanoseconds(local.since_ns.get());
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
        &self.node
    }

    #[inline]
    pub(crate) fn gauge(&self) -> &Gauge {
        &self.gauge
    }

    /// The floor of its node, where there is one, and no roles say instead who serves.
    #[inline]
    pub(crate) fn floor(&self) -> Option<&Floor> {
        let node = self.node();
        let floor = node.floor.as_deref()?;
        let has_roles = node.adaptive.as_ref().is_some_and(|adaptive| adaptive.has_dedicated());
        (!has_roles).then_some(floor)
    }

    /// Takes the floor of its node, where there is one.
    #[inline]
    pub(crate) fn take_floor(&self) {
        if let Some(floor) = self.floor() {
            floor.take(&self.speaker);
        }
    }

    /// Whether the policy lets this processor run handlers.
    #[inline]
    pub(crate) fn serves(&self) -> bool {
        self.world.split.dedicated == 0 || self.world.is_dedicated(self.index)
    }

    /// Its number among the servers of the node.
    pub(crate) fn server(&self) -> usize {
        self.number - self.world.servers(self.node().id).start % self.world.processors_per_node()
    }

    /// Whether it sleeps when it has nothing to do, and is woken for a message.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.world.policy.notice != Notice::Poll && self.world.is_dedicated(self.index)
    }

    /// Whether there is a reason not to sleep.
    #[inline]
    pub(crate) fn sees_work(&self) -> bool {
        self.sees_own_work() || self.serves() && self.sees_events()
    }

    /// Whether there is a reason other than events not to sleep.
    #[inline]
    pub(crate) fn sees_own_work(&self) -> bool {
        !self.world.is_running() || !self.node().inboxes[self.number].is_empty()
    }

    /// Whether a thread is ready, or on its way here.
    pub(crate) fn has_threads_to_run(&self) -> bool {
        self.ready.len() > 0 || !self.node().inboxes[self.number].is_empty()
    }

    /// What its own threads wait for, none of which is ready.
    pub(crate) fn awaited(&self) -> Awaited {
        match self.live.get() {
            0 => Awaited::Nothing,
            _ if self.awaited_blocks.get() > 0 => Awaited::Block,
            _ => Awaited::Event,
        }
    }

    pub(crate) fn owns_poll(&self) -> bool {
        self.node().owns_poll(self.number, self.world.processors_per_node())
    }

    /// Of the thread that runs.
    #[inline]
    pub(crate) fn local(&self) -> &Local {
        &self.locals[(self.current.get() - self.first_thread) as usize]
    }

    /// The number here of a thread, by its index on the node, if it is one of this processor.
    #[inline]
    pub(crate) fn number_of(&self, thread: u32) -> Option<u32> {
        let number = thread.wrapping_sub(self.first_thread);
        ((number as usize) < self.locals.len()).then_some(number)
    }

    /// Ends the run: the program broke a promise.
    pub(crate) fn fail(&self, what: String) {
        self.world.fail(Failure::Program(what));
    }

    /// The interval at which a thread looks for messages; where there is shared memory, also to be asked for a right.
    pub(crate) fn poll_interval(&self) -> PollInterval {
        let policy = &self.world.policy;
        let looks = policy.poll_interval(1).max(self.lowerings().is_some().into());
        match policy.poll_every {
            None if looks > 0 => PollInterval::Paced,
            _ => PollInterval::every(looks),
        }
    }

    /// Whether all that runs on this node runs on this processor.
    #[inline]
    pub(crate) fn is_alone(&self) -> bool {
        self.alone
    }
}

/// What it is at, for people. Also in a signal's handler: neither allocates nor takes a lock.
impl fmt::Display for Processor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let node = self.node();
        match self.doing.get() {
            Doing::Thread => ThreadId { node: node.id, index: self.current.get() }.fmt(f),
            Doing::Handler(id) => {
                write!(f, "the handler of {} on {}", node.resident.node.message_name(id), node.id)
            }
        }
    }
}
