//! A bound: each key belongs to one worker for ever, so nothing has to be excluded and nothing is ever rebalanced.
//!
//! One ring per pair of producer and worker; both sides keep copies of each other's index and publish their own once
//! in a chunk. It must never know the meaning of items.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicUsize, Ordering};

use crossbeam::utils::CachePadded;

use crate::harness::{Access, Contender};
use crate::state::{Item, Lock, Server};
use crate::workload::{Seat, Topology, WINDOW};

/// More than ever is in flight, so a producer never has to wait for room in a ring.
const CAPACITY: usize = 2 * WINDOW as usize;
/// Most items of a batch.
const BATCH: usize = 64;

/// Room for one item beside its key.
type Place = UnsafeCell<MaybeUninit<(u64, Item)>>;

/// A ring from one thread to one thread.
struct Ring {
    /// An array, so that no index has to be checked.
    slots: Box<[Place; CAPACITY]>,
    /// Written by the consumer: all before it was read.
    head: CachePadded<AtomicUsize>,
    /// Written by the producer: all before it can be read.
    tail: CachePadded<AtomicUsize>,
}

// SAFETY: a slot from `head` to `tail` is read by the one consumer only, every other slot is written by the one producer
// only; the indices hand slots over with release and acquire.
unsafe impl Sync for Ring {}

impl Ring {
    fn new() -> Self {
        let slots: Box<[_]> = (0..CAPACITY).map(|_| UnsafeCell::new(MaybeUninit::uninit())).collect();
        Self {
            slots: slots.try_into().expect("as many were made"),
            head: CachePadded::default(),
            tail: CachePadded::default(),
        }
    }

    fn slot(&self, index: usize) -> *mut MaybeUninit<(u64, Item)> {
        self.slots[index % CAPACITY].get()
    }
}

/// The producer's end.
struct Sender<'r> {
    ring: &'r Ring,
    tail: usize,
    /// The consumer's index as last seen.
    head: usize,
}

impl<'r> Sender<'r> {
    fn new(ring: &'r Ring) -> Self {
        let [head, tail] = [&ring.head, &ring.tail].map(|index| index.load(Ordering::Acquire));
        Self { ring, tail, head }
    }

    #[inline]
    fn send(&mut self, key: u64, item: Item) {
        if self.tail - self.head == CAPACITY {
            self.head = self.ring.head.load(Ordering::Acquire);
            assert!(self.tail - self.head < CAPACITY, "the window bounds what is in flight");
        }
        // SAFETY: the slot is free (see `Sync` of the ring) and there is one sender per ring.
        unsafe { (*self.ring.slot(self.tail)).write((key, item)) };
        self.tail += 1;
    }

    fn publish(&self) {
        self.ring.tail.store(self.tail, Ordering::Release);
    }
}

/// The consumer's end.
struct Receiver<'r> {
    ring: &'r Ring,
    head: usize,
}

impl Receiver<'_> {
    /// Runs the items in the ring, at most a batch.
    #[inline]
    fn receive<L: Lock>(&mut self, server: &mut Server<'_, L>) -> usize {
        let count = (self.ring.tail.load(Ordering::Acquire) - self.head).min(BATCH);
        for index in self.head..self.head + count {
            // SAFETY: the slot was published (see `Sync` of the ring) and there is one receiver per ring.
            let (key, item) = unsafe { (*self.ring.slot(index)).assume_init_read() };
            server.run(key, item);
        }
        if count > 0 {
            self.head += count;
            self.ring.head.store(self.head, Ordering::Release);
        }
        count
    }
}

pub(crate) struct Partition {
    /// By producer, then by worker.
    rings: Vec<Vec<Ring>>,
}

pub(crate) struct Ends<'r> {
    senders: Vec<Sender<'r>>,
    receivers: Vec<Receiver<'r>>,
}

impl Contender for Partition {
    type Access<'c> = Ends<'c>;

    fn new(topology: Topology, _: usize) -> Self {
        let rings = || (0..topology.workers()).map(|_| Ring::new()).collect();
        Self { rings: (0..topology.producers()).map(|_| rings()).collect() }
    }

    fn access(&self, seat: Seat) -> Ends<'_> {
        let senders = seat.producer.map_or(Vec::new(), |p| self.rings[p].iter().map(Sender::new).collect());
        let receiver = |ring: &'_ Ring| ring.head.load(Ordering::Acquire);
        let receivers = seat.worker.map_or(Vec::new(), |worker| {
            self.rings
                .iter()
                .map(|row| Receiver { head: receiver(&row[worker]), ring: &row[worker] })
                .collect()
        });
        Ends { senders, receivers }
    }
}

impl Access for Ends<'_> {
    #[inline]
    fn enqueue(&mut self, key: u64, item: Item) {
        // Fibonacci hashing: the upper bits decide, without a division.
        let hash = key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        let worker = (hash * self.senders.len() as u64) >> 32;
        self.senders[worker as usize].send(key, item);
    }

    fn flush(&mut self) {
        for sender in &self.senders {
            sender.publish();
        }
    }

    #[inline]
    fn serve<L: Lock>(&mut self, server: &mut Server<'_, L>) -> usize {
        self.receivers.iter_mut().map(|receiver| receiver.receive(server)).sum()
    }
}
