//! Random scripts with workers, on one thread: handlers enqueue, keep, continue, panic, and serve other workers inside.
//! A handler starts only when the model allows it at that instant, and at rest the two agree exactly.
//!
//! The number of items of a claim depends on the duration of handlers, so a script does not run the same way each
//! time; the assertions hold in any case. This module must never know claims; of lanes it knows that a worker's
//! buffer goes to them when it has a lane's worth.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use proptest::prelude::*;
use tradewind_pdq::specification::Config;
use tradewind_pdq::{DispatcherId, Handling, Held, Key, Queue, Refused, Worker, queue};

use crate::dispatcher::SERVERS;
use crate::model::{Model, State};

/// Actions of a handler before its end.
#[derive(Clone, Copy, Debug)]
enum Act {
    Enqueue(Key),
    EnqueueAtOnce(Key),
    Serve(usize),
    Dequeue(usize),
    Complete(usize),
    CompleteWith(usize),
    TryHold(Key),
}

#[derive(Clone, Copy, Debug)]
enum End {
    Done,
    Keep,
    Continue,
    Panic,
}

#[derive(Clone, Debug)]
enum Step {
    Act(Act),
    Burst(Key, usize),
    /// Items of one key through a worker's buffer.
    Buffer(usize, Key, usize),
}

/// Actions and ends of the handlers, in turn.
type Plans = Vec<(Vec<Act>, End)>;

/// Number of items of one lane at which they leave a worker's buffer. Miri has a small one, as the models do.
const WORTH: usize = if cfg!(miri) { 2 } else { 64 };

/// Lanes that any server takes from, for each server.
const LANES: usize = if cfg!(miri) { 1 } else { 2 };

/// Most items of a script. The comparison with the model takes time with their square.
const MOST: usize = if cfg!(miri) { 40 } else { 400 };

struct World<'q> {
    queue: &'q Queue<usize>,
    workers: Vec<RefCell<Worker<'q, usize>>>,
    plans: Plans,
    state: RefCell<Notes>,
}

struct Notes {
    model: Model,
    /// Key and ticket of each item, the ticket once it has its place.
    items: Vec<(Key, Option<usize>)>,
    /// Items in the buffer of each worker.
    buffers: Vec<Vec<usize>>,
    /// By item.
    held: BTreeMap<usize, Held>,
    handled: usize,
    panicked: u64,
}

/// Payload of a handler's panic.
struct Wanted;

impl Notes {
    fn new_item(&mut self, key: Key) -> Option<usize> {
        if self.items.len() >= MOST {
            return None;
        }
        self.items.push((key, None));
        Some(self.items.len() - 1)
    }

    fn place(&mut self, item: usize) {
        self.items[item].1 = Some(self.model.items.len());
        self.model.items.push((self.items[item].0, State::Waiting));
    }

    fn flush(&mut self, worker: usize) {
        for item in std::mem::take(&mut self.buffers[worker]) {
            self.place(item);
        }
    }

    /// Empties a worker's buffer of the items of one lane, if it has a lane's worth of them.
    fn flush_worth(&mut self, worker: usize, is_of_lane: impl Fn(Key) -> bool) {
        let (leaves, stays): (Vec<_>, Vec<_>) =
            self.buffers[worker].iter().partition(|item| is_of_lane(self.items[**item].0));
        if leaves.len() == WORTH {
            self.buffers[worker] = stays;
            leaves.into_iter().for_each(|item| self.place(item));
        }
    }

    fn set(&mut self, item: usize, state: State) {
        let ticket = self.items[item].1.expect("it has its place");
        self.model.items[ticket].1 = state;
    }

    fn start(&mut self, item: usize, key: Key) {
        let (expected, ticket) = self.items[item];
        let ticket = ticket.unwrap_or_else(|| panic!("item {item} runs out of a buffer"));
        assert_eq!(key, expected);
        let may_start = match self.model.items[ticket].1 {
            State::Waiting => !self.model.conflicts(key, ticket),
            state => state == State::Continuing,
        };
        assert!(may_start, "{key} of ticket {ticket} starts in {:?}", self.model);
        self.set(item, State::Held);
    }

    fn pick(&mut self, n: usize) -> Option<(usize, Held)> {
        let item = *self.held.keys().nth(n % self.held.len().max(1))?;
        self.held.remove_entry(&item)
    }
}

impl<'q> World<'q> {
    fn new(queue: &'q Queue<usize>, plans: Plans, partitions: usize) -> Self {
        let config = Config { window: None, capacity: None, serial: false, partitions };
        let notes = Notes {
            model: Model { items: Vec::new(), config },
            items: Vec::new(),
            buffers: vec![Vec::new(); SERVERS],
            held: BTreeMap::new(),
            handled: 0,
            panicked: 0,
        };
        let workers = (0..SERVERS).map(|server| RefCell::new(queue.worker(server))).collect();
        Self { queue, workers, plans, state: RefCell::new(notes) }
    }

    fn step(&self, step: &Step) {
        match *step {
            Step::Act(Act::Serve(server)) => self.serve_at_rest(server),
            Step::Act(Act::Dequeue(server)) => {
                let can_go = !self.can_go(server).is_empty();
                assert_eq!(
                    self.dequeue(server),
                    can_go,
                    "server {server} in {:?}",
                    self.state.borrow().model
                );
            }
            Step::Act(Act::TryHold(key)) => {
                let may_hold = self.state.borrow().model.may_hold(key);
                assert_eq!(self.try_hold(key), may_hold, "{key} in {:?}", self.state.borrow().model);
            }
            Step::Act(act) => self.act(act),
            Step::Burst(key, items) => (0..items).for_each(|_| self.act(Act::EnqueueAtOnce(key))),
            Step::Buffer(server, key, items) => (0..items).for_each(|_| {
                let item = self.state.borrow_mut().new_item(key);
                let Some(item) = item else { return };
                self.workers[server].borrow_mut().enqueue(key, item);
                self.buffered(server, key, item);
            }),
        }
        self.compare_at_rest();
    }

    /// Compares with the model while no handler runs: the waiting and the held items are known exactly.
    fn compare_at_rest(&self) {
        let notes = self.state.borrow();
        assert_eq!(self.queue.held(), notes.model.tickets(State::Held).count());
        let waiting = [State::Waiting, State::Continuing].map(|state| notes.model.tickets(state).count());
        assert_eq!(self.queue.len(), waiting.iter().sum::<usize>());
        assert_eq!(self.queue.statistics().panicked, notes.panicked);
    }

    fn can_go(&self, server: usize) -> Vec<usize> {
        self.state.borrow().model.dispatchable(server)
    }

    fn serve_at_rest(&self, server: usize) {
        self.workers[server].borrow_mut().flush();
        self.state.borrow_mut().flush(server);
        let can_go = !self.can_go(server).is_empty();
        assert_eq!(self.serve(server), can_go, "worker {server} found work, or there was some");
    }

    /// Lets a worker serve once, unless it is doing so.
    fn serve(&self, server: usize) -> bool {
        let Ok(mut worker) = self.workers[server].try_borrow_mut() else { return false };
        self.state.borrow_mut().flush(server);
        let before = self.state.borrow().handled;
        let served = catch_unwind(AssertUnwindSafe(|| {
            worker.serve(|item, handling| self.handle(server, item, handling));
        }));
        if let Err(payload) = served
            && !payload.is::<Wanted>()
        {
            resume_unwind(payload);
        }
        let mut notes = self.state.borrow_mut();
        notes.flush(server);
        notes.handled > before
    }

    fn handle(&self, server: usize, item: usize, mut handling: Handling<'_, 'q, usize>) {
        let mut notes = self.state.borrow_mut();
        notes.start(item, handling.key());
        let (acts, end) = &self.plans[notes.handled % self.plans.len()];
        notes.handled += 1;
        drop(notes);
        for act in acts {
            let Act::Enqueue(key) = *act else {
                self.act(*act);
                continue;
            };
            let new = self.state.borrow_mut().new_item(key);
            if let Some(new) = new {
                handling.enqueue(key, new);
                self.buffered(server, key, new);
            }
        }
        let mut notes = self.state.borrow_mut();
        match end {
            // So that a script has an end.
            End::Continue if notes.handled < MOST * 2 => {
                notes.flush(server);
                notes.set(item, State::Continuing);
                drop(notes);
                handling.continue_with(item);
            }
            End::Keep => {
                notes.flush(server);
                notes.held.insert(item, handling.keep());
            }
            End::Panic => {
                notes.set(item, State::Done);
                notes.panicked += 1;
                drop(notes);
                resume_unwind(Box::new(Wanted));
            }
            _ => notes.set(item, State::Done),
        }
    }

    /// Enqueues through the buffer. An item without a user key goes to its place at once, and the buffer's items go
    /// before it. Items with user keys go when there is a lane's worth.
    fn buffered(&self, server: usize, key: Key, item: usize) {
        let mut notes = self.state.borrow_mut();
        notes.buffers[server].push(item);
        if !matches!(key, Key::User(_)) {
            return notes.flush(server);
        }
        let lanes = match notes.model.config.partitions {
            1 => LANES * SERVERS,
            partitions => partitions,
        };
        notes.flush_worth(server, |other| other.partition(lanes) == key.partition(lanes));
    }

    fn act(&self, act: Act) {
        match act {
            Act::Enqueue(key) | Act::EnqueueAtOnce(key) => {
                let item = self.state.borrow_mut().new_item(key);
                let Some(item) = item else { return };
                self.queue.enqueue(key, item);
                self.state.borrow_mut().place(item);
            }
            Act::Serve(server) => {
                self.serve(server);
            }
            Act::Dequeue(server) => {
                self.dequeue(server);
            }
            Act::TryHold(key) => {
                let may_hold = self.state.borrow().model.may_hold(key);
                assert!(may_hold || !self.try_hold(key), "{key} in {:?}", self.state.borrow().model);
            }
            Act::Complete(n) => {
                let mut notes = self.state.borrow_mut();
                if let Some((item, held)) = notes.pick(n) {
                    self.queue.complete(held);
                    notes.set(item, State::Done);
                }
            }
            Act::CompleteWith(n) => {
                let mut notes = self.state.borrow_mut();
                if let Some((item, held)) = notes.pick(n) {
                    self.queue.complete_with(held, item);
                    notes.set(item, State::Continuing);
                }
            }
        }
    }

    fn dequeue(&self, server: usize) -> bool {
        let Some(dispatch) = self.queue.dequeue(server) else { return false };
        let (item, held) = dispatch.into_parts();
        let mut notes = self.state.borrow_mut();
        notes.start(item, held.key());
        notes.held.insert(item, held);
        true
    }

    fn try_hold(&self, key: Key) -> bool {
        let mut notes = self.state.borrow_mut();
        let Some(held) = self.queue.try_hold(key) else { return false };
        notes.items.push((key, None));
        let item = notes.items.len() - 1;
        notes.place(item);
        notes.set(item, State::Held);
        notes.held.insert(item, held);
        true
    }

    /// Closed, the queue runs everything and knows when it is done.
    fn close(self) {
        self.queue.close();
        assert_eq!(self.queue.try_enqueue(Key::NoSync, 0), Err(Refused::Closed(0)));
        loop {
            (0..SERVERS).for_each(|server| self.serve_at_rest(server));
            self.compare_at_rest();
            let next = self.state.borrow_mut().pick(0);
            if let Some((item, held)) = next {
                self.queue.complete(held);
                self.state.borrow_mut().set(item, State::Done);
            } else if (0..SERVERS).all(|server| self.can_go(server).is_empty()) {
                break;
            }
        }
        assert!(self.workers.iter().all(|worker| !worker.borrow_mut().wait()), "all is done");
        let model = self.state.into_inner().model;
        assert!(model.items.iter().all(|(_, state)| *state == State::Done), "{model:?}");
    }

    /// Aborts the queue, which returns exactly the waiting items, in an order that the model allows.
    fn abort(self) {
        for (server, worker) in self.workers.iter().enumerate() {
            worker.borrow_mut().flush();
            self.state.borrow_mut().flush(server);
        }
        let back = self.queue.abort();
        let notes = self.state.borrow();
        let tickets: Vec<_> =
            back.iter().map(|(_, item)| notes.items[*item].1.expect("in its place")).collect();
        assert!(back.iter().all(|(key, item)| *key == notes.items[*item].0));
        let older = |(at, ticket): (usize, &usize)| {
            let key = notes.model.items[*ticket].0;
            tickets[at..].iter().all(|later| later >= ticket || !key.conflicts(notes.model.items[*later].0))
        };
        assert!(tickets.iter().enumerate().all(older), "{tickets:?} of {:?}", notes.model);
        let mut returned = tickets;
        returned.sort_unstable();
        let [waiting, continuing] =
            [State::Waiting, State::Continuing].map(|state| notes.model.tickets(state).collect::<Vec<_>>());
        let mut expected = [waiting, continuing].concat();
        expected.sort_unstable();
        assert_eq!(returned, expected);
        assert_eq!((self.queue.len(), self.queue.held()), (0, notes.held.len()));
        assert!((0..SERVERS).all(|server| self.queue.dequeue(server).is_none()));
        assert!(self.workers.iter().all(|worker| !worker.borrow_mut().wait()));
    }
}

fn keys() -> impl Strategy<Value = Key> {
    prop_oneof![8 => (0..5_u64).prop_map(Key::User), 1 => Just(Key::Sequential), 1 => Just(Key::NoSync)]
}

fn acts() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => keys().prop_map(Act::Enqueue),
        3 => keys().prop_map(Act::EnqueueAtOnce),
        4 => (0..SERVERS).prop_map(Act::Serve),
        2 => (0..SERVERS).prop_map(Act::Dequeue),
        2 => any::<usize>().prop_map(Act::Complete),
        1 => any::<usize>().prop_map(Act::CompleteWith),
        1 => keys().prop_map(Act::TryHold),
    ]
}

fn plans() -> impl Strategy<Value = Plans> {
    let end = prop_oneof![6 => Just(End::Done), 1 => Just(End::Keep), 1 => Just(End::Continue), 1 => Just(End::Panic)];
    prop::collection::vec((prop::collection::vec(acts(), 0..4), end), 1..8)
}

fn scripts() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        12 => acts().prop_map(Step::Act),
        2 => (keys(), 2..80_usize).prop_map(|(key, items)| Step::Burst(key, items)),
        2 => (0..SERVERS, keys(), prop_oneof![4 => 1..2_usize, 1 => 2..WORTH + 9])
            .prop_map(|(server, key, items)| Step::Buffer(server, key, items)),
    ];
    prop::collection::vec(step, 0..if cfg!(miri) { 20 } else { 60 })
}

fn with_world(partitions: usize, plans: Plans, script: &[Step], end: impl FnOnce(World<'_>)) {
    let config = queue::Config { servers: SERVERS, partitions, limit: None, shares_claims: false };
    let queue = Queue::new(DispatcherId::fresh(), config);
    let world = World::new(&queue, plans, partitions);
    script.iter().for_each(|step| world.step(step));
    end(world);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 4 } else { 1000 },
        failure_persistence: None, // the shrunk script is printed; make it a test
        ..ProptestConfig::default()
    })]

    #[test]
    fn workers_start_only_what_the_rule_allows_and_finish_what_a_closed_queue_has(
        partitions in 1..=SERVERS,
        plans in plans(),
        script in scripts(),
    ) {
        with_world(partitions, plans, &script, |world| world.close());
    }

    #[test]
    fn an_aborted_queue_returns_exactly_what_waits_in_order(
        partitions in 1..=SERVERS,
        plans in plans(),
        script in scripts(),
    ) {
        with_world(partitions, plans, &script, |world| world.abort());
    }
}
