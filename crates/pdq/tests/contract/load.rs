//! A load for the concurrent queue: producers and handlers, whose actions are all recorded.
//!
//! Each key owns a plain cell. A missing happens-before between two handlers of one key is therefore a data race,
//! which Miri and ThreadSanitizer report. This module must never know the checks of the record.

use std::cell::Cell;
use std::collections::HashMap;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tradewind_pdq::{Dispatch, DispatcherId, Handling, Held, Key, Keyed, Proof, Queue, Refused, queue};

use crate::history::{Arrival, Clock, Empty, History, Item, Part, Time, UNKNOWN};

pub(crate) const KEYS: u64 = 5;

/// The payload of the queue: an item of the history, and its step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job {
    pub(crate) item: Item,
    key: Key,
    step: u32,
    /// A handler enqueued it. Such jobs enqueue nothing themselves.
    is_child: bool,
}

/// The end of a job's handler, after it has looked at its cell. Derived from the job, so that a failure can be run
/// again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Done,
    Continues,
    Keeps,
    Panics,
}

/// Payload of the panic of a handler that is to panic.
#[derive(Debug)]
pub(crate) struct Wanted;

/// A thread's part in the run.
#[derive(Debug, Default)]
struct Actor {
    /// Number of items that it has enqueued.
    items: usize,
    log: History,
}

/// Everything that threads share.
pub(crate) struct Load {
    pub(crate) queue: Queue<Job>,
    clock: Clock,
    cells: Keyed<Vec<Item>>,
    actors: Vec<Mutex<Actor>>,
    /// Actors that threads of an executor have become.
    hired: AtomicUsize,
    /// Items that have arrived and are not done.
    unfinished: AtomicUsize,
    to_keeper: Mutex<Sender<(Held, Job)>>,
    kept: Mutex<Receiver<(Held, Job)>>,
    started: Instant,
}

/// A queue that loses something fails the test instead of hanging it.
const PATIENCE: Duration = Duration::from_secs(if cfg!(miri) { 600 } else { 20 });

impl Load {
    /// A load of `actors` threads that enqueue any items.
    pub(crate) fn new(config: queue::Config, actors: usize) -> Self {
        let queue = Queue::new(DispatcherId::fresh(), config);
        let (to_keeper, kept) = channel();
        Self {
            cells: Keyed::dense(queue.id(), 0, KEYS as usize, |_| Vec::new()),
            queue,
            clock: Clock::default(),
            actors: std::iter::repeat_with(Mutex::default).take(actors).collect(),
            hired: AtomicUsize::new(0),
            unfinished: AtomicUsize::new(0),
            to_keeper: Mutex::new(to_keeper),
            kept: Mutex::new(kept),
            started: Instant::now(),
        }
    }

    /// The record of the run, when all threads have ended, and the items seen by each cell.
    pub(crate) fn finish(self) -> (History, Vec<(u64, Vec<Item>)>) {
        let logs = self
            .actors
            .into_iter()
            .map(|actor| actor.into_inner().unwrap_or_else(PoisonError::into_inner).log);
        (History::merge(logs), self.cells.into_entries())
    }

    /// A producer of its own number: takes all three ways in, in turn. Returns how many the queue has accepted.
    pub(crate) fn produce(&self, producer: usize, items: usize) -> usize {
        for number in 0..items {
            let item = Item { producer, number };
            let job = Job { item, key: key_of(item), step: 0, is_child: false };
            if !self.enter(producer, job, number % 3) {
                return number;
            }
        }
        items
    }

    fn enter(&self, producer: usize, job: Job, way: usize) -> bool {
        self.unfinished.fetch_add(1, Ordering::Relaxed);
        loop {
            let called = self.clock.tick();
            let outcome = match way {
                0 => self.queue.try_enqueue(job.key, job),
                1 => self.queue.enqueue_when_room(job.key, job),
                _ if self.queue.is_closed() => Err(Refused::Closed(job)),
                _ => {
                    self.queue.enqueue(job.key, job);
                    Ok(())
                }
            };
            match outcome {
                Ok(()) => {
                    let returned = self.clock.tick();
                    self.actor(producer).arrived(job, called, returned);
                    return true;
                }
                Err(Refused::Full(_)) => self.idle(),
                Err(Refused::Closed(_)) => {
                    self.unfinished.fetch_sub(1, Ordering::Relaxed);
                    return false;
                }
            }
        }
    }

    /// No other thread uses an actor while the run lasts; the lock only says so to the compiler.
    fn actor(&self, me: usize) -> MutexGuard<'_, Actor> {
        self.actors[me].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A handler of a worker.
    pub(crate) fn handle(&self, me: usize, job: Job, mut handling: Handling<'_, '_, Job>) {
        assert_eq!(handling.key(), job.key);
        let start = self.clock.tick();
        self.touch(job, handling.proof());
        for child in self.children(me, job) {
            self.unfinished.fetch_add(1, Ordering::Relaxed);
            let called = self.clock.tick();
            handling.enqueue(child.key, child);
            self.actor(me).arrived(child, called, UNKNOWN);
        }
        let end = end_of(job);
        self.record(me, job, [start, start], end);
        match end {
            End::Done => {}
            End::Continues => handling.continue_with(next_step(job)),
            End::Keeps => self.hand_to_keeper(handling.keep(), next_step(job)),
            End::Panics => resume_unwind(Box::new(Wanted)),
        }
    }

    /// Runs a job on a thread of an executor.
    pub(crate) fn handle_anonymously(&self, job: Job, handling: Handling<'_, '_, Job>) {
        thread_local! {
            static ME: Cell<Option<usize>> = const { Cell::new(None) };
        }
        let me =
            ME.get().unwrap_or_else(|| self.actors.len() - 1 - self.hired.fetch_add(1, Ordering::Relaxed));
        ME.set(Some(me));
        self.handle(me, job, handling);
    }

    /// A server that takes guards, until all is done. Its items do not panic, nor are they kept.
    pub(crate) fn serve_by_guards(&self, me: usize, server: usize) {
        while !(self.queue.is_closed() && self.is_done()) {
            let asked = self.clock.tick();
            match self.queue.dequeue(server) {
                Some(dispatch) => self.handle_guard(me, asked, dispatch),
                None => {
                    let answered = self.clock.tick();
                    let mut actor = self.actor(me);
                    // This number suffices, and each is compared with every item.
                    if actor.log.empties.len() < 500 {
                        actor.log.empties.push(Empty { asked, answered });
                    }
                    drop(actor);
                    self.idle();
                }
            }
        }
    }

    fn handle_guard(&self, me: usize, asked: Time, mut dispatch: Dispatch<'_, Job>) {
        let start = self.clock.tick();
        let job = *dispatch;
        self.touch(job, dispatch.proof());
        for child in self.children(me, job) {
            self.enter(me, child, 2);
        }
        let end = if end_of(job) == End::Continues { End::Continues } else { End::Done };
        self.record(me, job, [asked, start], end);
        match end {
            End::Continues => {
                let (_, held) = dispatch.into_parts();
                self.queue.complete_with(held, next_step(job));
            }
            _ => drop(dispatch),
        }
        let released = self.clock.tick();
        if let Some(part) = self.actor(me).log.parts.last_mut() {
            part.released = released;
        }
    }

    /// Gives back kept keys, half of them with a continuation, until all items are done.
    pub(crate) fn keep(&self, me: usize) {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        while !(self.queue.is_closed() && self.is_done()) {
            let Ok((mut held, job)) = kept.try_recv() else {
                self.idle();
                continue;
            };
            if job.item.number.is_multiple_of(2) {
                self.queue.complete_with(held, job);
                continue;
            }
            let start = self.clock.tick();
            self.touch(job, held.proof());
            self.record(me, job, [start, start], End::Done);
            self.queue.complete(held);
        }
    }

    /// Whether nothing is to be expected any more; asked only once producers have ended.
    pub(crate) fn is_done(&self) -> bool {
        self.unfinished.load(Ordering::Relaxed) == 0
    }

    /// Records the items that `abort` returned, which are not to be expected any more.
    pub(crate) fn hand_back(&self, me: usize, jobs: impl IntoIterator<Item = (Key, Job)>) {
        for (key, job) in jobs {
            assert_eq!(key, job.key);
            self.actor(me).log.handed_back.push(job.item);
            self.unfinished.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn hand_to_keeper(&self, held: Held, job: Job) {
        let to_keeper = self.to_keeper.lock().unwrap_or_else(PoisonError::into_inner);
        // The receiver lives as long as the load.
        let _ = to_keeper.send((held, job));
    }

    /// Writes to the plain cells that the key protects.
    fn touch(&self, job: Job, mut proof: Proof<'_>) {
        match job.key {
            Key::User(_) => self.cells.get(&mut proof).push(job.item),
            Key::Sequential => (0..KEYS).for_each(|key| self.cells.get_any(&mut proof, key).push(job.item)),
            Key::NoSync => {}
        }
    }

    fn children(&self, me: usize, job: Job) -> Vec<Job> {
        let mut actor = self.actor(me);
        let count = if job.is_child || job.step > 0 { 0 } else { scramble(job.item) % 8 / 6 };
        let child = |_| {
            let item = Item { producer: me, number: actor.items };
            actor.items += 1;
            Job { item, key: key_of(item), step: 0, is_child: true }
        };
        (0..count).map(child).collect()
    }

    fn record(&self, me: usize, job: Job, [asked, start]: [Time; 2], how: End) {
        let last = matches!(how, End::Done | End::Panics);
        let end = self.clock.tick();
        let part = Part { item: job.item, step: job.step, last, asked, start, end, released: end };
        self.actor(me).log.parts.push(part);
        if last {
            self.unfinished.fetch_sub(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn idle(&self) {
        let queue = &self.queue;
        if self.started.elapsed() > PATIENCE {
            let stuck = format!("{} wait, {} are held, {:?}", queue.len(), queue.held(), queue.statistics());
            // So that the others end too, and the failure is told.
            queue.abort();
            panic!("{stuck}");
        }
        thread::yield_now();
    }
}

impl Actor {
    fn arrived(&mut self, job: Job, called: Time, returned: Time) {
        self.log.arrivals.push(Arrival { item: job.item, key: job.key, called, returned });
    }
}

/// Number of the jobs in a history that panic.
pub(crate) fn panics(history: &History) -> u64 {
    let keys: HashMap<_, _> = history.arrivals.iter().map(|arrival| (arrival.item, arrival.key)).collect();
    let job = |part: &Part| Job { item: part.item, key: keys[&part.item], step: part.step, is_child: false };
    history.parts.iter().filter(|part| part.last && end_of(job(part)) == End::Panics).count() as u64
}

fn next_step(job: Job) -> Job {
    Job { step: job.step + 1, ..job }
}

fn scramble(item: Item) -> u64 {
    (item.producer as u64 * 1_000_003 + item.number as u64).wrapping_mul(0x2545_F491_4F6C_DD1D) >> 40
}

fn key_of(item: Item) -> Key {
    match scramble(item) >> 8 & 127 {
        0 => Key::Sequential,
        1..12 => Key::NoSync,
        n => Key::User(n % KEYS),
    }
}

fn end_of(job: Job) -> End {
    match (job.step, scramble(job.item) >> 4 & 15) {
        (0..2, 0) => End::Continues,
        (0, 1) => End::Keeps,
        (_, 2) => End::Panics,
        _ => End::Done,
    }
}
