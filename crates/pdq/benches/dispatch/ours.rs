//! This crate's queue as a contender: the one place that knows its interface.
//!
//! A thread that serves is a worker and enqueues through it; a thread that only produces enqueues through a producer,
//! or item by item.

use tradewind_pdq::queue::{Producer, Worker};
use tradewind_pdq::{DispatcherId, Key, Queue, queue};

use crate::harness::{Access, Contender};
use crate::state::{Item, Lock, Server};
use crate::workload::{Seat, Topology};

pub(crate) struct Ours(Queue<Item>);

/// Ours, with a producer that enqueues item by item.
pub(crate) struct OursSingle(Queue<Item>);

#[expect(clippy::large_enum_variant, reason = "there is one for each thread")]
pub(crate) enum OurAccess<'q> {
    Worker(Worker<'q, Item>),
    Producer(Producer<'q, Item>),
    Single(&'q Queue<Item>),
}

fn queue_for(topology: Topology) -> Queue<Item> {
    Queue::new(DispatcherId::fresh(), queue::Config::servers(topology.workers()))
}

impl Contender for Ours {
    type Access<'c> = OurAccess<'c>;

    fn new(topology: Topology, _: usize) -> Self {
        Self(queue_for(topology))
    }

    fn access(&self, seat: Seat) -> OurAccess<'_> {
        let Some(number) = seat.worker else { return OurAccess::Producer(self.0.producer()) };
        OurAccess::Worker(self.0.worker(number))
    }
}

impl Contender for OursSingle {
    type Access<'c> = OurAccess<'c>;

    fn new(topology: Topology, _: usize) -> Self {
        Self(queue_for(topology))
    }

    fn access(&self, seat: Seat) -> OurAccess<'_> {
        let Some(number) = seat.worker else { return OurAccess::Single(&self.0) };
        OurAccess::Worker(self.0.worker(number))
    }
}

impl Access for OurAccess<'_> {
    #[inline]
    fn enqueue(&mut self, key: u64, item: Item) {
        match self {
            Self::Worker(worker) => worker.enqueue(Key::User(key), item),
            Self::Producer(producer) => producer.enqueue(Key::User(key), item),
            Self::Single(queue) => queue.enqueue(Key::User(key), item),
        }
    }

    fn flush(&mut self) {
        match self {
            Self::Worker(worker) => worker.flush(),
            Self::Producer(producer) => producer.flush(),
            Self::Single(_) => {}
        }
    }

    #[inline]
    fn serve<L: Lock>(&mut self, server: &mut Server<'_, L>) -> usize {
        let Self::Worker(worker) = self else { return 0 };
        worker.serve(|item, handling| {
            if let Key::User(key) = handling.key() {
                server.run(key, item);
            }
        })
    }
}

/// Enqueues, dispatches and completes one item as a worker, `trips` times. Returns the sum of the values that
/// handlers saw.
pub(crate) fn uncontended(trips: u64) -> u64 {
    let queue = Queue::new(DispatcherId::fresh(), queue::Config::servers(1));
    let mut worker = queue.worker(0);
    let mut sum = 0_u64;
    for trip in 0..trips {
        // A few keys in turn, as a queue of one key could be special.
        queue.enqueue(Key::User(trip & 15), trip);
        worker.serve(|item, _| sum = sum.wrapping_add(item));
    }
    sum
}

/// Round trips of one item at a time behind a guard.
pub(crate) fn uncontended_guards(trips: u64) -> u64 {
    let queue = Queue::new(DispatcherId::fresh(), queue::Config::servers(1));
    let mut sum = 0_u64;
    for trip in 0..trips {
        queue.enqueue(Key::User(trip & 15), trip);
        if let Some(dispatch) = queue.dequeue(0) {
            sum = sum.wrapping_add(*dispatch);
        }
    }
    sum
}
