//! Models of the entry of all threads into a timed region, and of the wake-up of the waiting threads by the last.

use loom::sync::Arc;
use loom::thread;

use crate::explore_up_to;
use crate::fences::Fences;
use crate::parts::barrier::Barrier;
use crate::parts::parker::Parker;
use crate::parts::threads::Inbox;
use crate::sync::{AtomicU64, Ordering};

/// Each fault of the explored sources, and the scenario that detects it.
pub(crate) const FAULTS: &[(&str, &str)] = &[
    ("entry-relaxed", "phases::two_threads_enter_twice"),
    ("entry-not-acquired", "phases::two_threads_enter_twice"),
];

/// Threads of a node, each on a processor of its own.
struct World {
    barrier: Barrier<usize, u64>,
    seats: Box<[Seat]>,
}

#[derive(Default)]
struct Seat {
    inbox: Inbox,
    parker: Parker,
    /// Number of regions before which its thread has announced its arrival.
    said: AtomicU64,
}

impl World {
    fn new(threads: usize) -> Arc<Self> {
        Arc::new(Self {
            barrier: Barrier::new(threads),
            seats: (0..threads).map(|_| Seat::default()).collect(),
        })
    }

    /// Sum of the announcements of all threads.
    fn said(&self) -> u64 {
        self.seats.iter().map(|seat| seat.said.load(Ordering::Relaxed)).sum()
    }

    fn enter(&self, me: usize) {
        let arrival = self.barrier.arrive(me, "region");
        if arrival.is_last {
            self.barrier.enlist(me, arrival.count);
            self.barrier.measure(|_| self.said());
            self.barrier.open().into_iter().for_each(|thread| self.make_ready(thread));
        }
        while self.barrier.entered() < arrival.count {
            self.idle(me);
        }
    }

    fn make_ready(&self, thread: usize) {
        let Seat { inbox, parker, .. } = &self.seats[thread];
        inbox.push(thread as u32);
        Fences.light();
        parker.wake();
    }

    /// Idles as the processor of a thread without other work.
    fn idle(&self, thread: usize) {
        let Seat { inbox, parker, .. } = &self.seats[thread];
        while inbox.drain(|woken| assert_eq!(woken as usize, thread)) == 0 {
            parker.park_unless(&Fences, || !inbox.is_empty());
        }
    }

    /// Announces itself before each of `regions` regions, and enters.
    fn run(&self, me: usize, regions: u64) {
        for region in 1..=regions {
            self.seats[me].said.store(region, Ordering::Relaxed);
            self.enter(me);
            let said = self.seats.iter().map(|seat| seat.said.load(Ordering::Relaxed));
            assert!(said.min() >= Some(region), "all have said that they come before any goes on");
        }
    }
}

fn enter(threads: usize, regions: u64, preemptions: usize) {
    explore_up_to(preemptions, move || {
        let world = World::new(threads);
        let run = |me| {
            let world = Arc::clone(&world);
            thread::spawn(move || world.run(me, regions))
        };
        let others: Vec<_> = (1..threads).map(run).collect();
        world.run(0, regions);
        others.into_iter().for_each(|thread| thread.join().expect("it does not panic"));
        let all: Vec<u64> = (1..=regions).map(|region| region * threads as u64).collect();
        world.barrier.with_measured(|measured| assert_eq!(measured, all, "measured when all had come"));
    });
}

#[test]
fn two_threads_enter_twice() {
    enter(2, 2, 2);
}

#[test]
fn three_threads_enter() {
    enter(3, 1, 1);
}
