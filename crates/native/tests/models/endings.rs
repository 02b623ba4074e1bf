//! How the end of a world is found: no sooner than nothing is in flight, and then for sure.

use std::sync::atomic::{AtomicU64 as Truth, Ordering::SeqCst};

use loom::sync::Arc;
use loom::thread;

use crate::ending::{Account, is_quiescent};
use crate::explore_ordered;
use crate::sync::{AtomicBool, AtomicU64, Ordering};

/// Each fault of what is explored here, and the scenario that notices it.
pub(crate) const FAULTS: &[(&str, &str)] = &[
    ("rest-not-taken-back", "endings::a_message_there_and_back"),
    ("rest-relaxed", "endings::two_that_have_nothing_to_do"),
    ("sent-first", "endings::a_message_there_and_back"),
];

/// Two processors, each with a place for one message from the other.
struct World {
    accounts: [Account; 2],
    /// How often the message to each processor is still to go from one to the other, 0 for no message.
    places: [AtomicU64; 2],
    is_over: AtomicBool,
    /// Messages that are in flight, whoever knows.
    in_flight: Truth,
}

impl World {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            accounts: Default::default(),
            places: Default::default(),
            is_over: AtomicBool::new(false),
            in_flight: Truth::new(0),
        })
    }

    fn send(&self, from: usize, times: u64) {
        self.in_flight.fetch_add(1, SeqCst);
        self.accounts[from].count_sent();
        self.places[1 - from].store(times, Ordering::Release);
    }

    /// Handles a message, and sends it back. One that goes an even number of times wakes a thread: it is handled when that is ready,
    /// and what the thread does comes later.
    fn handle(&self, me: usize, times: u64) {
        self.places[me].store(0, Ordering::Relaxed);
        let wakes = times.is_multiple_of(2);
        if wakes {
            self.accounts[me].count_handled(1);
        }
        if times > 1 {
            self.send(me, times - 1);
        }
        self.in_flight.fetch_sub(1, SeqCst);
        if !wakes {
            self.accounts[me].count_handled(1);
        }
    }

    fn sees(&self, me: usize) -> u64 {
        self.places[me].load(Ordering::Acquire)
    }

    /// Handles what comes until the world is over.
    fn run(&self, me: usize) {
        loop {
            while let times @ 1.. = self.sees(me) {
                self.handle(me, times);
            }
            self.accounts[me].rest();
            if is_quiescent(self.accounts.iter()) {
                assert_eq!(self.in_flight.load(SeqCst), 0, "the world ends while something is in flight");
                self.is_over.store(true, Ordering::Release);
            }
            while self.sees(me) == 0 && !self.is_over.load(Ordering::Acquire) {
                thread::yield_now();
            }
            if self.is_over.load(Ordering::Acquire) {
                return;
            }
            self.accounts[me].go_on();
        }
    }
}

/// The world ends, or the model has no end, which `loom` notices.
fn ends(times: u64) {
    let world = World::new();
    let other = Arc::clone(&world);
    let second = thread::spawn(move || other.run(1));
    if times > 0 {
        world.send(0, times);
    }
    world.run(0);
    second.join().expect("it does not panic");
    assert_eq!(world.in_flight.load(SeqCst), 0, "a message is left when the world is over");
}

#[test]
fn two_that_have_nothing_to_do() {
    explore_ordered(|| ends(0));
}

#[test]
fn a_message_goes_to_who_may_be_idle() {
    explore_ordered(|| ends(1));
}

#[test]
fn a_message_there_and_back() {
    explore_ordered(|| ends(2));
}
