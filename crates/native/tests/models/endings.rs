//! Models of quiescence detection: the processors of a world find out that none is active and no message is in flight.
//!
//! An undetected end is a world whose processors `loom` finds asleep for ever.

use std::sync::atomic::AtomicBool as Unwatched;

use loom::sync::Arc;
use loom::thread;
use tempest::NodeId;

use crate::control::quiescence::sums;
use crate::explore_ordered;
use crate::fences::Fences;
use crate::lines::push;
use crate::padding::bump;
use crate::parts::gauge::Gauge;
use crate::parts::parker::Parker;
use crate::rings::message::Received;
use crate::rings::ring::Ring;
use crate::sync::{AtomicBool, Ordering};

/// Each fault of the explored sources, and the scenario that detects it.
pub(crate) const FAULTS: &[(&str, &str)] = &[
    ("idle-looked-at-early", "endings::two_processors_find_the_end"),
    ("sent-read-first", "endings::three_processors_find_the_end"),
    ("handled-relaxed", "endings::a_count_tells_that_a_processor_was_not_idle"),
];

/// The processors of a node in a circle, each of which sends to the next.
struct World {
    gauges: Vec<std::sync::Arc<Gauge>>,
    /// The ring into each of them.
    rings: Vec<Ring>,
    parkers: Vec<Parker>,
    is_over: AtomicBool,
    /// Whether the last message has been handled. Hidden from `loom`, so that it orders nothing.
    is_done: Unwatched,
}

impl World {
    fn new(processors: usize) -> Arc<Self> {
        Arc::new(Self {
            gauges: (0..processors).map(|_| std::sync::Arc::default()).collect(),
            rings: (0..processors).map(|_| Ring::new(2)).collect(),
            parkers: (0..processors).map(|_| Parker::default()).collect(),
            is_over: AtomicBool::new(false),
            is_done: Unwatched::new(false),
        })
    }

    fn send(&self, me: usize, number: u64) {
        let to = (me + 1) % self.rings.len();
        bump(&self.gauges[me].sent, 1);
        assert!(push(&self.rings[to], number, 1), "there is room");
        Fences.light();
        self.parkers[to].wake();
    }

    /// Handles the arrived messages: each sends one with the number before, up to the last.
    fn receive(&self, me: usize) -> bool {
        let drained = self.rings[me].consumer.drain(8, NodeId(0), &mut Received::blank(), |message, _| {
            match message.packet.words()[0].checked_sub(1) {
                Some(next) => self.send(me, next),
                None => self.is_done.store(true, Ordering::Relaxed),
            }
            true
        });
        self.gauges[me].count_handled(drained.messages as u64);
        drained.messages > 0
    }

    /// Runs as a processor without threads does, until the world is over.
    fn run(&self, me: usize) {
        while !self.is_over.load(Ordering::Relaxed) {
            while self.receive(me) {}
            self.gauges[me].idle.store(true, Ordering::SeqCst);
            self.detect_ending();
            let there_is_work = || self.is_over.load(Ordering::Relaxed) || self.rings[me].consumer.is_ready();
            self.parkers[me].park_unless(&Fences, there_is_work);
            self.gauges[me].idle.store(false, Ordering::SeqCst);
        }
    }

    fn is_quiescent(&self) -> bool {
        sums(self.gauges.iter().map(|gauge| &**gauge)).is_some_and(|sums| sums.sent == sums.handled)
    }

    fn detect_ending(&self) {
        if !self.is_over.load(Ordering::Relaxed) && self.is_quiescent() {
            assert!(self.is_done.load(Ordering::Relaxed), "it is over when every message has been handled");
            self.is_over.store(true, Ordering::Release);
            Fences.light();
            self.parkers.iter().for_each(Parker::wake_from_anything);
        }
    }
}

/// Passes a message `messages` times from one processor to the next.
fn pass_around(processors: usize, messages: u64) {
    explore_ordered(1, move || {
        let world = World::new(processors);
        let run = |me| {
            let world = Arc::clone(&world);
            thread::spawn(move || world.run(me))
        };
        let others: Vec<_> = (1..processors).map(run).collect();
        world.send(0, messages - 1);
        world.run(0);
        others.into_iter().for_each(|thread| thread.join().expect("it does not panic"));
    });
}

#[test]
fn two_processors_find_the_end() {
    pass_around(2, 2);
}

#[test]
fn three_processors_find_the_end() {
    pass_around(3, 3);
}

/// A thread that reads a processor's count of handled messages sees that the processor was not idle then, whatever it has done since.
#[test]
fn a_count_tells_that_a_processor_was_not_idle() {
    explore_ordered(2, || {
        let gauge = Arc::new(Gauge::default());
        gauge.idle.store(true, Ordering::SeqCst);
        let other = Arc::clone(&gauge);
        let processor = thread::spawn(move || {
            other.idle.store(false, Ordering::SeqCst);
            other.count_handled(1);
        });
        if gauge.handled.load(Ordering::SeqCst) == 1 {
            assert!(!gauge.idle.load(Ordering::SeqCst), "it was not idle");
        }
        processor.join().expect("it does not panic");
    });
}
