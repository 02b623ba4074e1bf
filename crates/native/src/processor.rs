//! One OS thread: the scheduling loop, and [`tempest::Processor`] for what runs on it.
//!
//! The loop runs ready threads in turn and serves between them, where the policy lets this processor serve (`serve`).
//! With neither a ready thread nor anything to serve it is idle (`idle`).

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

use fiber::{Fiber, Pool, Status};
use pdq::{Held, Key, Proof, Serial};
use tempest::policy::{Notice, Servers};
use tempest::{
    Block, Blocked, Failure, MessageId, NodeId, Packet, Place, Thread, ThreadId, Wait, Waiter, Work,
};
use trace::Event as Traced;
use units::Time;

use crate::gauge::{Gauge, bump};
use crate::lowering::Takeaways;
use crate::node::{Dispatcher, Event, Node, Shared, lock};
use crate::phases::Entry;
use crate::ring::Origin;
use crate::threads::{Local, Reason};
use crate::tracer::Tracer;
use crate::world::{Stage, World};

/// A program thread's stack. Untouched pages cost nothing.
const STACK_BYTES: usize = 256 * 1024;

/// One in so many sends of threads is timed: two looks at the clock cost as much as a send.
const SAMPLE: u32 = 64;

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
    current: Cell<u32>,
    ready: RefCell<VecDeque<u32>>,
    /// Its own threads.
    locals: Vec<Local>,
    /// Index on the node of the first of them.
    first_thread: u32,
    /// Sends in a row that found no room, with nothing served in between.
    attempts: Cell<u32>,
    /// Batches served, for sampling.
    pub(crate) batches: Cell<u32>,
    /// The node's serial dispatcher, where this is its only processor.
    serial: RefCell<Option<Serial>>,
    /// Changes of the node's dispatch queue when it was last searched in vain.
    pub(crate) searched: Cell<u64>,
    /// Changes of the node's takeaways when it last looked through them.
    pub(crate) looked: Cell<u64>,
    /// Handled messages of threads that their senders have not been told of.
    pub(crate) owes_digest: Cell<bool>,
    pub(crate) tracer: Tracer,
    /// Sends of threads, for sampling.
    sends: Cell<u32>,
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

    fn take_inbox(&self) {
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

    fn owns_poll(&self) -> bool {
        self.node().owns_poll(self.number, self.world.processors_per_node())
    }

    fn local(&self) -> &Local {
        &self.locals[(self.current.get() - self.first_thread) as usize]
    }

    /// Ends the run: the program broke a promise.
    pub(crate) fn fail(&self, what: String) {
        self.world.fail(Failure::Program(what));
    }

    /// A thread looks at every so many back-edges, or never; where there is shared memory, also to be asked for a right.
    fn poll_interval(&self) -> u32 {
        self.world.policy.poll_interval(1).max(self.takeaways().is_some().into())
    }

    /// Lets the other threads of this processor run before the running one goes on.
    pub(crate) fn step_back(&self) {
        self.ready.borrow_mut().push_back(self.current.get());
        fiber::suspend();
    }

    /// Does something that no other handler or holder of a key on this node does at the same time: dispatch is serial.
    pub(crate) fn serially<R>(&self, f: impl FnOnce(&mut Serial) -> R) -> R {
        match &self.node().dispatcher {
            Dispatcher::Serial(serial) => f(&mut lock(serial)),
            _ => f(self.serial.borrow_mut().as_mut().expect("dispatch is serial here")),
        }
    }

    /// Whether all that runs on this node runs on this processor.
    #[inline]
    pub(crate) fn is_alone(&self) -> bool {
        self.world.processors_per_node() == 1
    }

    /// Counts a message that goes.
    pub(crate) fn count_message(&self, to: NodeId, packet: &Packet) {
        let node = &self.node().resident.node;
        let bytes = (to != node.id()).then(|| node.bytes(packet));
        self.gauge().count_message(node.volume(packet), bytes);
    }

    /// Wakes a sleeping processor of `to` that may receive. One that is awake will see the message before it sleeps,
    /// but only a dedicated one is sure to look soon.
    pub(crate) fn wake_receiver(&self, to: NodeId) {
        fence(Ordering::SeqCst);
        let mut berths = self.world.server_berths(to).iter();
        if self.world.split.dedicated == 0 || berths.clone().all(|berth| berth.is_taken()) {
            berths.any(|berth| berth.wake());
        }
    }

    /// Makes a thread of any processor ready, whose condition has just come true.
    pub(crate) fn make_ready(&self, thread: ThreadId) {
        let number = (thread.index / (self.threads_per_node() / self.world.split.computing)) as usize;
        let index = thread.node.0 as usize * self.world.processors_per_node() + number;
        if index == self.index {
            self.ready.borrow_mut().push_back(thread.index);
            return;
        }
        bump(&self.gauge().sent, 1);
        self.world.nodes[thread.node.0 as usize].inboxes[number].push(thread.index);
        fence(Ordering::SeqCst);
        self.world.berths[index].wake();
    }

    fn threads_per_node(&self) -> u32 {
        self.node().resident.node.shape().threads
    }

    /// Does what a thread sends, and times one in so many that went.
    #[inline]
    fn sample_send(&self, send: impl FnOnce() -> bool) -> bool {
        let sends = self.sends.get().wrapping_add(1);
        self.sends.set(sends);
        if !sends.is_multiple_of(SAMPLE) {
            return send();
        }
        let start = self.world.now_ns();
        let sent = send();
        if sent {
            bump(&self.gauge().overhead_ns, (self.world.now_ns() - start) * u64::from(SAMPLE));
        }
        sent
    }

    /// A thread's message, if there is room for it.
    #[inline]
    fn offer_now(&self, to: NodeId, packet: &Packet) -> bool {
        // Counted first: once it is in the ring it may be handled at any moment.
        let gauge = self.gauge();
        bump(&gauge.sent, 1);
        let (node, at) = (self.node(), self.tracer.time(&self.world));
        let sent = self.world.lane(node.id, to).offer(packet, &node.outboxed);
        if let Some(number) = sent {
            self.trace_send(at, to, packet, number);
            if self.local().has_room() {
                self.trace(|node, _| Traced::Resume { node, thread: self.current.get() });
            }
            self.attempts.set(0);
            self.count_message(to, packet);
            self.wake_receiver(to);
        } else {
            gauge.sent.store(gauge.sent.load(Ordering::Relaxed) - 1, Ordering::Relaxed);
            if !self.local().lacked_room() {
                gauge.count_refused();
            }
            // What was in the outbox may have gone into the ring on the way.
            self.wake_receiver(to);
            self.give_up_if_over();
        }
        sent.is_some()
    }

    /// A thread's deposit: the words are in place when this returns.
    #[inline]
    fn deposit_now(&self, to: NodeId, place: Place, words: &[u64]) {
        let at = self.tracer.time(&self.world);
        if !self.write(to, place, words) {
            return;
        }
        let remote = to != self.node().id;
        self.gauge().count_deposit(remote.then_some(size_of_val(words) as u64));
        self.trace_deposit(at, to, words);
        let memory = &self.world.nodes[to.0 as usize].resident.node;
        memory.count_deposit(place, words.len(), |waiter| {
            self.end_wait(to, waiter);
        });
    }

    /// Writes words into the memory of a node. False, and the run is over, if they do not fit where they should go.
    fn write(&self, to: NodeId, place: Place, words: &[u64]) -> bool {
        let memory = &self.world.nodes[to.0 as usize].resident.node;
        let written = memory.write(self.node().id, place, words);
        written.map_err(|bad| self.fail(bad.to_string())).is_ok()
    }

    /// A thread of any node, if it still waits for this, is made ready.
    fn end_wait(&self, node: NodeId, waiter: Waiter) -> bool {
        let ended = self.world.nodes[node.0 as usize].threads[waiter.thread as usize].end_wait(waiter);
        if ended {
            self.make_ready(ThreadId { node, index: waiter.thread });
        }
        ended
    }

    /// Suspends the running thread until `is_over`.
    fn wait_until(&self, reason: Reason, mut is_over: impl FnMut() -> bool) {
        if is_over() {
            return;
        }
        let thread = self.current.get();
        self.gauge().count_block();
        self.local().waits_for.set(Some((reason, self.world.now())));
        self.trace(|node, _| Traced::Block { node, thread, what: reason.what() });
        while !is_over() {
            fiber::suspend();
        }
        self.trace(|node, _| Traced::Resume { node, thread });
        debug_assert_eq!(thread, self.current.get(), "a thread stays on its processor");
        self.local().waits_for.set(None);
    }

    /// The running thread is at a point where it may be given up. If the run is over it is, never to return.
    fn give_up_if_over(&self) {
        while !self.world.is_running() {
            fiber::suspend();
        }
    }

    /// Sends what never fails and never waits.
    pub(crate) fn post_counted(&self, to: NodeId, packet: &Packet, origin: Origin) {
        bump(&self.gauge().sent, 1);
        let (node, at) = (self.node(), self.tracer.time(&self.world));
        let number = self.world.lane(node.id, to).post(packet, origin, &node.outboxed);
        self.trace_send(at, to, packet, number);
        let outboxed = node.outboxed.load(Ordering::Relaxed);
        if outboxed > 0 {
            // Whoever serves this node has it to move on.
            self.wake_receiver(node.id);
        }
        if outboxed > self.world.outbox_limit {
            self.fail(format!(
                "{} has {outboxed} messages of handlers that its neighbours cannot take: the protocol starts messages \
                 faster than they are handled, without end",
                node.id
            ));
        }
        self.wake_receiver(to);
    }

    fn hold_serial(&self, key: Key, body: &mut dyn FnMut(Proof<'_>)) {
        let mut hold = |serial: &mut Serial| {
            let is_free = !self.node().has_set_aside();
            if is_free {
                body(serial.hold(key));
            }
            is_free
        };
        while !self.serially(&mut hold) {
            self.pause();
            self.step_back();
        }
    }

    fn hold_keyed(&self, shared: &Shared, key: Key, body: &mut dyn FnMut(Proof<'_>)) {
        let mut held = shared.queue.try_hold(key).unwrap_or_else(|| self.ask_for(shared, key));
        body(held.proof());
        shared.queue.complete(held);
        shared.note_change();
        self.wake_idle_servers(shared);
    }

    /// Waits for a key as an event of its own.
    fn ask_for(&self, shared: &Shared, key: Key) -> Held {
        let thread = self.current.get();
        bump(&self.gauge().sent, 1);
        shared.enqueue(key, Event::Grant(thread));
        shared.note_change();
        self.wake_servers(1);
        let slot = &self.node().threads[thread as usize];
        let mut granted = None;
        self.wait_until(Reason::Key(key), || {
            granted = slot.take_grant();
            granted.is_some()
        });
        granted.expect("the wait ended with the key")
    }
}

impl tempest::Processor for Processor {
    fn post(&self, to: NodeId, packet: &Packet) {
        self.count_message(to, packet);
        self.post_counted(to, packet, Origin::Handler);
    }

    fn post_transfer(&self, to: NodeId, place: Place, data: &[u64], packet: &Packet) {
        // The ring's release and acquire order the words before the handler, and so does the outbox's lock.
        if self.write(to, place, data) {
            self.post(to, packet);
            self.gauge().count_transfer((to != self.node().id).then_some(size_of_val(data) as u64));
        }
    }

    fn offer(&self, to: NodeId, packet: &Packet) -> bool {
        self.sample_send(|| self.offer_now(to, packet))
    }

    fn transfer(&self, to: NodeId, place: Place, data: &[u64], packet: &Packet) -> bool {
        // The ring's release and acquire order the words before the handler.
        let start = self.world.now_ns();
        let sent = self.write(to, place, data) && self.offer_now(to, packet);
        if sent {
            self.gauge().count_transfer((to != self.node().id).then_some(size_of_val(data) as u64));
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

    fn make_room(&self, to: NodeId) {
        if self.local().lacks_room(to, self.world.now()) {
            self.trace(|node, _| Traced::Block { node, thread: self.current.get(), what: "room" });
        }
        self.wake_receiver(to);
        self.move_on();
        if self.serves() && self.serve() > 0 {
            self.attempts.set(0);
        } else {
            let attempts = self.attempts.get().saturating_add(1);
            self.attempts.set(attempts);
            if let Some(attempts) = attempts.checked_sub(self.ready.borrow().len() as u32) {
                self.wait_for_room(attempts);
            }
        }
        self.step_back();
    }

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
        self.end_wait(self.node().id, waiter)
    }

    fn poll(&self) {
        self.give_up_if_over();
        self.heed();
        if self.serves() && (self.world.policy.servers != Servers::Idle || self.owns_poll()) {
            self.serve();
        }
        if self.takeaways().is_some_and(Takeaways::awaits_access) && self.has_threads_to_run() {
            self.take_inbox();
            self.step_back();
        }
    }

    fn hold(&self, key: Key, body: &mut dyn FnMut(Proof<'_>)) {
        match &self.node().dispatcher {
            Dispatcher::Own(_) | Dispatcher::Serial(_) => self.hold_serial(key, body),
            Dispatcher::Keyed(shared) => self.hold_keyed(shared, key, body),
        }
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

    fn now(&self) -> Time {
        self.world.now()
    }

    fn post_block(&self, to: NodeId, block: Block, words: &[u64], packet: &Packet) {
        self.send_block(to, block, words, packet);
    }

    fn fault(&self, packet: &Packet) {
        self.handle_fault(packet);
    }

    fn accessed(&self) {
        self.tell_access();
    }

    fn charge(&self, _work: Work) {}

    fn synchronize(&self) {}

    fn accounts(&self) -> bool {
        false
    }
}
