//! One OS thread: the scheduling loop, and [`tempest::Processor`] for what runs on it.
//!
//! The loop runs ready threads in turn and serves handlers between them, where the policy lets this processor serve.
//! Serving is: move outboxes on, receive from the lanes if nobody else does, run what may be run.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

use fiber::{Fiber, Pool, Status};
use pdq::{Held, Key, Proof, Queue};
use tempest::policy::{Dispatch, Notice, Servers};
use tempest::{Blocked, Failure, Handler, NodeId, Packet, Thread, ThreadId, Wait, Waiter, Work};
use units::Time;

use crate::gauge::{Gauge, bump};
use crate::idle::Berth;
use crate::lane::{Lane, OUTBOX_LIMIT};
use crate::node::{Dispatcher, Event, Node, lock};
use crate::phases::Entry;
use crate::ring::Origin;
use crate::world::{Stage, World};

/// A program thread's stack. Untouched pages cost nothing.
const STACK_BYTES: usize = 256 * 1024;

/// Messages taken from one lane before the next is looked at.
const BATCH: usize = 32;

/// One in so many batches is timed; two looks at the clock cost as much as a handler.
const SAMPLE: u32 = 16;

/// What a thread of this processor waits for.
enum Reason {
    Event(Wait),
    Key(Key),
    Phase(&'static str),
}

/// What only this processor knows of a thread.
#[derive(Default)]
struct Local {
    waits_for: Option<(Reason, Time)>,
    /// The generation of the wait it is about to enter.
    wait: u32,
}

/// One processor.
pub(crate) struct Processor {
    pub(crate) world: Arc<World>,
    /// Its number among all processors.
    pub(crate) index: usize,
    /// Its number on the node.
    number: usize,
    node: usize,
    /// The thread that runs.
    current: Cell<u32>,
    ready: RefCell<VecDeque<u32>>,
    /// By thread, first those of this processor.
    locals: RefCell<Vec<Local>>,
    first_thread: u32,
    batches: Cell<u32>,
}

impl Processor {
    /// Processor `index` of `world`, with `threads` threads of its own.
    pub(crate) fn new(world: Arc<World>, index: usize, threads: u32) -> Self {
        let (node, number) = (index / world.processors_per_node(), index % world.processors_per_node());
        let threads = if world.is_dedicated(index) { 0 } else { threads };
        Self {
            index,
            number,
            node,
            current: Cell::new(0),
            ready: RefCell::new(VecDeque::new()),
            locals: RefCell::new((0..threads).map(|_| Local::default()).collect()),
            first_thread: number as u32 * threads,
            batches: Cell::new(0),
            world,
        }
    }

    /// Runs until the world stops.
    pub(crate) fn run(self: Rc<Self>) -> std::io::Result<()> {
        let mut fibers = self.spawn_threads()?;
        self.ready.borrow_mut().extend((0..fibers.len() as u32).map(|thread| self.first_thread + thread));
        while self.world.is_running() {
            self.take_inbox();
            let next = self.ready.borrow_mut().pop_front();
            match next {
                Some(thread) => self.run_thread(&mut fibers[(thread - self.first_thread) as usize], thread),
                None if self.serves() && self.serve() > 0 => {}
                None if self.sees_work() => {}
                None => self.idle(),
            }
        }
        if self.world.stage() != Stage::Ended {
            self.tell_blocked();
        }
        Ok(())
    }

    fn spawn_threads(self: &Rc<Self>) -> std::io::Result<Vec<Fiber>> {
        let pool = Pool::new(STACK_BYTES);
        let spawn = |local| {
            let processor = Rc::clone(self);
            let thread = self.first_thread + local as u32;
            pool.spawn(move || {
                let resident = processor.node().resident.clone();
                let poll_every = processor.world.policy.poll_every;
                resident.main(&Thread::new(&resident.node, thread, &*processor, poll_every));
            })
        };
        (0..self.locals.borrow().len()).map(spawn).collect()
    }

    fn run_thread(&self, fiber: &mut Fiber, thread: u32) {
        if fiber.is_finished() {
            return;
        }
        self.current.set(thread);
        if fiber.resume() == Status::Finished {
            self.world.live.fetch_sub(1, Ordering::AcqRel);
        }
        if self.serves() {
            self.serve();
        }
    }

    fn tell_blocked(&self) {
        for (local, thread) in self.locals.borrow().iter().zip(self.first_thread..) {
            let Some((reason, since)) = &local.waits_for else { continue };
            let thread = ThreadId { node: self.node().id, index: thread };
            let waits_for = match reason {
                Reason::Event(wait) => wait.to_string(),
                Reason::Key(key) => format!("key {key}"),
                Reason::Phase(name) => {
                    let (come, threads) = self.world.phases.arrivals();
                    format!("phase `{name}`: {come} of {threads} threads have come")
                }
            };
            lock(&self.world.blocked).push(Blocked { thread, waits_for, since: *since });
        }
    }

    pub(crate) fn node(&self) -> &Node {
        &self.world.nodes[self.node]
    }

    pub(crate) fn gauge(&self) -> &Gauge {
        &self.world.gauges[self.index]
    }

    /// Whether the policy lets this processor run handlers.
    fn serves(&self) -> bool {
        match self.world.policy.servers {
            Servers::Compute | Servers::Idle => true,
            _ => self.world.is_dedicated(self.index),
        }
    }

    /// Its number among the servers of the node.
    fn server(&self) -> usize {
        if self.world.is_dedicated(self.index) {
            self.number - self.world.split.computing as usize
        } else {
            self.number
        }
    }

    /// Whether this processor sleeps at once when it has nothing to do.
    pub(crate) fn is_woken(&self) -> bool {
        self.world.policy.notice != Notice::Poll
    }

    /// Whether there is a reason not to sleep.
    pub(crate) fn sees_work(&self) -> bool {
        let node = self.node();
        !self.world.is_running()
            || !node.inboxes[self.number].is_empty()
            || self.serves()
                && (node.has_arrears()
                    || node.dispatcher.has_waiting()
                    || self.world.lanes_into(node.id).any(Lane::has_message))
    }

    fn take_inbox(&self) {
        let mut ready = self.ready.borrow_mut();
        let woken = self.node().inboxes[self.number].drain(|thread| ready.push_back(thread));
        bump(&self.gauge().handled, u64::from(woken));
    }

    /// Moves messages on and runs handlers; returns how many events it dealt with.
    fn serve(&self) -> usize {
        self.flush_outboxes();
        let timed = self.batches.get().is_multiple_of(SAMPLE).then(|| self.world.now_ns());
        let done = match &self.node().dispatcher {
            Dispatcher::Serial(_) => self.receive(|packet, origin| self.handle_in_place(packet, origin)),
            Dispatcher::Keyed(queue) => self.serve_keyed(queue),
        };
        if done > 0 {
            self.batches.set(self.batches.get().wrapping_add(1));
            if let Some(start) = timed {
                bump(&self.gauge().overhead_ns, (self.world.now_ns() - start) * u64::from(SAMPLE));
            }
        }
        done
    }

    fn serve_keyed(&self, queue: &Queue<Event>) -> usize {
        let received = self.receive(|packet, origin| {
            let Some(key) = self.key_of(&packet) else { return };
            queue.enqueue(key, Event::Message(packet, origin));
        });
        // What was received may be for others, and one alone is for another if keys are bound to processors.
        if received > 1 || received > 0 && self.world.policy.dispatch == Dispatch::Partitioned {
            self.wake_servers();
        }
        let mut done = 0;
        while done < BATCH && self.world.is_running() {
            let Some(dispatch) = queue.dequeue(self.server()) else { break };
            let (event, held) = dispatch.into_parts();
            self.handle_keyed(queue, event, held);
            done += 1;
        }
        // The keys that were released may have been waited for.
        if done > 0 && !queue.is_empty() {
            self.wake_servers();
        }
        received + done
    }

    /// Takes messages from the lanes into this node, unless another processor is at it; returns how many.
    fn receive(&self, mut each: impl FnMut(Packet, Origin)) -> usize {
        let Some(_right) = self.node().try_receive() else { return 0 };
        let mut received = 0;
        for lane in self.world.lanes_into(self.node().id) {
            for _ in 0..BATCH {
                match lane.receive() {
                    None => break,
                    Some(Ok((packet, origin))) => each(packet, origin),
                    Some(Err(length)) => self.fail(format!("a message claims {} words", length.0)),
                }
                received += 1;
            }
        }
        received
    }

    fn key_of(&self, packet: &Packet) -> Option<Key> {
        self.node().resident.node.key(packet).map_err(|bad| self.fail(bad.to_string())).ok()
    }

    fn handle_in_place(&self, packet: Packet, origin: Origin) {
        let Some(key) = self.key_of(&packet) else { return };
        let Dispatcher::Serial(serial) = &self.node().dispatcher else { return };
        self.handle(&packet, lock(serial).hold(key));
        self.finish(&packet, origin);
    }

    fn handle_keyed(&self, queue: &Queue<Event>, event: Event, mut held: Held) {
        match event {
            Event::Message(packet, origin) => {
                self.handle(&packet, held.proof());
                queue.complete(held);
                self.finish(&packet, origin);
            }
            Event::Grant(thread) => {
                self.node().threads[thread as usize].grant(held);
                self.make_ready(ThreadId { node: self.node().id, index: thread });
                bump(&self.gauge().handled, 1);
            }
        }
    }

    fn handle(&self, packet: &Packet, proof: Proof<'_>) {
        let node = &self.node().resident.node;
        node.deliver(packet, &mut Handler::new(node, packet.source(), proof, self));
        self.gauge().count_handler();
    }

    /// Accounts for a message whose handler has run.
    fn finish(&self, packet: &Packet, origin: Origin) {
        let node = self.node();
        if origin == Origin::Thread {
            let lane = self.world.lane(packet.source(), node.id);
            lane.count_handled();
            if node.outboxes_are_empty() {
                lane.publish_digested();
            } else {
                node.owes_digest.store(true, Ordering::Release);
            }
        }
        bump(&self.gauge().handled, 1);
    }

    fn flush_outboxes(&self) {
        let node = self.node();
        if !node.has_arrears() {
            return;
        }
        for (lane, to) in self.world.lanes_from(node.id).iter().zip(0..) {
            lane.flush(&node.outboxed);
            self.wake_receiver(NodeId(to));
        }
        if node.outboxes_are_empty() && node.owes_digest.swap(false, Ordering::AcqRel) {
            self.world.lanes_into(node.id).for_each(Lane::publish_digested);
        }
    }

    /// Counts a message before it goes.
    fn count_message(&self, to: NodeId, packet: &Packet) {
        let node = &self.node().resident.node;
        let bytes = (to != node.id()).then(|| node.bytes(packet));
        self.gauge().count_message(node.volume(packet), bytes);
    }

    /// Wakes a sleeping processor of `to` that may receive. One that is awake will see the message before it sleeps,
    /// but only a dedicated one is sure to look soon.
    fn wake_receiver(&self, to: NodeId) {
        fence(Ordering::SeqCst);
        let berths = self.world.server_berths(to);
        if self.world.split.dedicated == 0 || berths.iter().all(Berth::is_taken) {
            berths.iter().any(|berth| berth.wake());
        }
    }

    /// Wakes every processor of this node that may find something in the queue.
    fn wake_servers(&self) {
        fence(Ordering::SeqCst);
        for berth in self.world.server_berths(self.node().id) {
            berth.wake();
        }
    }

    /// Makes a thread of any processor ready, whose condition has just come true.
    fn make_ready(&self, thread: ThreadId) {
        let number = thread.index as usize / self.threads_per_processor();
        let node = &self.world.nodes[thread.node.0 as usize];
        let index = thread.node.0 as usize * self.world.processors_per_node() + number;
        if index == self.index {
            self.ready.borrow_mut().push_back(thread.index);
            return;
        }
        bump(&self.gauge().sent, 1);
        node.inboxes[number].push(thread.index);
        fence(Ordering::SeqCst);
        self.world.berths[index].wake();
    }

    fn threads_per_processor(&self) -> usize {
        self.node().threads.len() / self.world.split.computing as usize
    }

    /// Suspends the running thread until `is_over`.
    fn wait_until(&self, reason: Reason, mut is_over: impl FnMut() -> bool) {
        let thread = self.current.get();
        let local = (thread - self.first_thread) as usize;
        self.gauge().count_block();
        self.locals.borrow_mut()[local].waits_for = Some((reason, self.world.now()));
        while !is_over() {
            fiber::suspend();
        }
        self.locals.borrow_mut()[local].waits_for = None;
    }

    fn hold_keyed(&self, queue: &Queue<Event>, key: Key, body: &mut dyn FnMut(Proof<'_>)) {
        let mut held = queue.try_hold(key).unwrap_or_else(|| self.ask_for(queue, key));
        body(held.proof());
        queue.complete(held);
        if !queue.is_empty() {
            self.wake_servers();
        }
    }

    /// Waits for a key as an event of its own.
    fn ask_for(&self, queue: &Queue<Event>, key: Key) -> Held {
        let thread = self.current.get();
        bump(&self.gauge().sent, 1);
        queue.enqueue(key, Event::Grant(thread));
        self.wake_servers();
        let slot = &self.node().threads[thread as usize];
        let mut granted = None;
        self.wait_until(Reason::Key(key), || {
            granted = slot.take_grant();
            granted.is_some()
        });
        granted.expect("the wait ended with the key")
    }

    fn fail(&self, what: String) {
        self.world.fail(Failure::Program(what));
    }

    /// Where a panic came from, for people.
    pub(crate) fn describe(&self) -> String {
        format!(" (on {}, processor {})", self.node().id, self.number)
    }
}

impl tempest::Processor for Processor {
    fn post(&self, to: NodeId, packet: &Packet) {
        self.count_message(to, packet);
        bump(&self.gauge().sent, 1);
        let node = self.node();
        self.world.lane(node.id, to).post(packet, &node.outboxed);
        let outboxed = node.outboxed.load(Ordering::Relaxed);
        if outboxed > 0 {
            // Whoever serves this node has it to move on.
            self.wake_receiver(node.id);
        }
        if outboxed > OUTBOX_LIMIT {
            self.fail(format!(
                "{} has {OUTBOX_LIMIT} messages of handlers that its neighbours cannot take: the protocol starts \
                 messages faster than they are handled, without end",
                node.id
            ));
        }
        self.wake_receiver(to);
    }

    fn offer(&self, to: NodeId, packet: &Packet) -> bool {
        // Counted first: once it is in the ring it may be handled at any moment.
        let gauge = self.gauge();
        bump(&gauge.sent, 1);
        let node = self.node();
        let sent = self.world.lane(node.id, to).offer(packet, &node.outboxed);
        if sent {
            self.count_message(to, packet);
            self.wake_receiver(to);
        } else {
            gauge.sent.store(gauge.sent.load(Ordering::Relaxed) - 1, Ordering::Relaxed);
            gauge.count_refused();
        }
        sent
    }

    fn make_room(&self, to: NodeId) {
        let start = self.world.now_ns();
        self.wake_receiver(to);
        self.flush_outboxes();
        if !self.serves() || self.serve() == 0 {
            std::thread::yield_now();
        }
        self.ready.borrow_mut().push_back(self.current.get());
        bump(&self.gauge().memory_ns, self.world.now_ns() - start);
        fiber::suspend();
    }

    fn waiter(&self) -> Waiter {
        let thread = self.current.get();
        let generation = self.node().threads[thread as usize].generation();
        self.locals.borrow_mut()[(thread - self.first_thread) as usize].wait = generation;
        Waiter { thread, generation }
    }

    fn block(&self, wait: Wait) {
        let thread = self.current.get();
        let generation = self.locals.borrow()[(thread - self.first_thread) as usize].wait;
        let slot = &self.node().threads[thread as usize];
        self.wait_until(Reason::Event(wait), || slot.generation() != generation);
    }

    fn resume(&self, waiter: Waiter) -> bool {
        let node = self.node();
        let ended = node.threads[waiter.thread as usize].end_wait(waiter);
        if ended {
            self.make_ready(ThreadId { node: node.id, index: waiter.thread });
        }
        ended
    }

    fn poll(&self) {
        if self.serves() && (self.world.policy.servers != Servers::Idle || self.owns_poll()) {
            self.serve();
        }
    }

    fn hold(&self, key: Key, body: &mut dyn FnMut(Proof<'_>)) {
        match &self.node().dispatcher {
            Dispatcher::Serial(serial) => body(lock(serial).hold(key)),
            Dispatcher::Keyed(queue) => self.hold_keyed(queue, key, body),
        }
    }

    fn enter_phase(&self, name: &'static str) {
        let thread = ThreadId { node: self.node().id, index: self.current.get() };
        match self.world.enter_phase(thread, name) {
            Entry::Last(others) => others.into_iter().for_each(|thread| self.make_ready(thread)),
            Entry::Wait(count) => {
                self.wait_until(Reason::Phase(name), || self.world.phases.entered() >= count);
            }
        }
    }

    fn charge(&self, _work: Work) {}

    fn synchronize(&self) {}

    fn accounts(&self) -> bool {
        false
    }
}

impl Processor {
    fn owns_poll(&self) -> bool {
        self.node().owns_poll(self.number, self.world.processors_per_node())
    }
}
