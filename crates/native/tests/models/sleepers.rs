//! Who sleeps, who wakes, and what a helper is left: a wake-up that is lost is a thread that `loom` finds blocked for ever.

use std::time::Duration;

use loom::sync::{Arc, Mutex};
use loom::thread;
use tempest::NodeId;

use crate::berth::Berth;
use crate::fences::Fences;
use crate::lines::push;
use crate::ring::{Received, Ring};
use crate::sync::{AtomicBool, AtomicU64, Ordering, mutated};
use crate::{explore, explore_up_to};

/// Each fault of what is explored here, and the scenario that notices it.
pub(crate) const FAULTS: &[(&str, &str)] = &[
    ("light-left-out", "sleepers::who_sleeps_is_woken"),
    ("heavy-left-out", "sleepers::who_sleeps_is_woken"),
    ("light-left-out", "sleepers::a_second_half_wakes_who_sleeps"),
    ("heavy-left-out", "sleepers::a_second_half_wakes_who_sleeps"),
    ("light-left-out", "sleepers::a_line_behind_a_half_wakes_who_sleeps"),
    ("heavy-left-out", "sleepers::a_line_behind_a_half_wakes_who_sleeps"),
    ("light-left-out", "sleepers::one_of_two_takes_it"),
    ("heavy-left-out", "sleepers::one_of_two_takes_it"),
    ("light-left-out", "sleepers::what_comes_late_is_left_to_the_helper"),
    ("heavy-left-out", "sleepers::what_comes_late_is_left_to_the_helper"),
    ("nothing-is-left", "sleepers::what_comes_late_is_left_to_the_helper"),
];

#[derive(Default)]
struct World {
    berth: Berth,
    /// Messages sent, by one sender.
    sent: AtomicU64,
    /// Somebody looks for messages.
    idles: AtomicBool,
    stopped: AtomicBool,
}

impl World {
    fn send(&self) {
        self.sent.store(self.sent.load(Ordering::Relaxed) + 1, Ordering::Release);
        Fences.light();
    }

    fn has(&self, messages: u64) -> bool {
        self.sent.load(Ordering::Relaxed) == messages
    }

    /// As `World::rouse_helper`.
    fn rouse(&self) {
        if self.berth.is_taken() && !self.idles.load(Ordering::Relaxed) {
            self.berth.wake();
        }
    }
}

/// One thread sleeps for two messages, and may nap before; another sends them, one after the other.
#[test]
fn who_sleeps_is_woken() {
    explore(|| {
        let world = Arc::new(World::default());
        let other = Arc::clone(&world);
        let sleeper = thread::spawn(move || {
            other.berth.belongs_to_current_thread();
            other.berth.nap_unless(Duration::ZERO, || other.has(2));
            while !other.has(2) {
                other.berth.sleep_unless(&Fences, || other.has(2));
            }
        });
        for _ in 0..2 {
            world.send();
            world.berth.wake();
        }
        sleeper.join().expect("it does not panic");
    });
}

/// A receiver sleeps whenever its ring is empty; messages of such lengths come meanwhile, and all are taken out.
fn receive(lengths: &'static [usize]) {
    explore(move || {
        let lane = Arc::new((Ring::new(2), Berth::default()));
        let other = Arc::clone(&lane);
        let receiver = thread::spawn(move || {
            let (ring, berth) = &*other;
            berth.belongs_to_current_thread();
            let mut taken = 0;
            while taken < lengths.len() {
                let drained = ring.drain(8, NodeId(0), &mut Received::blank(), |_, _| true).messages;
                taken += drained;
                if drained == 0 {
                    berth.sleep_unless(&Fences, || ring.is_ready());
                }
            }
        });
        let (ring, berth) = &*lane;
        for (number, words) in (0..).zip(lengths) {
            assert!(push(ring, number, *words), "there is room for all");
            Fences.light();
            berth.wake();
        }
        receiver.join().expect("it does not panic");
    });
}

#[test]
fn a_second_half_wakes_who_sleeps() {
    receive(&[1, 2]);
}

#[test]
fn a_line_behind_a_half_wakes_who_sleeps() {
    receive(&[1, 7]);
}

/// Two processors of a node, of which one at a time receives.
struct Servers {
    ring: Ring,
    right_to_receive: Mutex<()>,
    taken: AtomicU64,
    berths: [Berth; 2],
}

impl Servers {
    /// As `Processor::idle`, until `messages` have been taken out.
    fn serve(&self, number: usize, messages: u64) {
        self.berths[number].belongs_to_current_thread();
        while self.taken.load(Ordering::Acquire) < messages {
            self.receive(messages);
            let there_is_work = || self.taken.load(Ordering::Acquire) == messages || self.ring.is_ready();
            self.berths[number].sleep_unless(&Fences, there_is_work);
        }
    }

    fn receive(&self, messages: u64) {
        let Ok(_right) = self.right_to_receive.try_lock() else { return thread::yield_now() };
        let drained = self.ring.drain(8, NodeId(0), &mut Received::blank(), |_, _| true).messages;
        let taken = self.taken.load(Ordering::Relaxed) + drained as u64;
        self.taken.store(taken, Ordering::Release);
        if taken == messages {
            Fences.light();
            self.berths.iter().for_each(Berth::wake_from_anything);
        }
    }
}

/// Whichever of two processors is woken, and whichever receives: what is sent is taken out.
#[test]
fn one_of_two_takes_it() {
    explore_up_to(1, || {
        let servers = Arc::new(Servers {
            ring: Ring::new(2),
            right_to_receive: Mutex::new(()),
            taken: AtomicU64::new(0),
            berths: Default::default(),
        });
        let serve = |number| {
            let servers = Arc::clone(&servers);
            thread::spawn(move || servers.serve(number, 2))
        };
        let receivers = [serve(0), serve(1)];
        for number in 0..2 {
            assert!(push(&servers.ring, number, 1), "there is room for both");
            Fences.light();
            _ = servers.berths.iter().any(Berth::wake);
        }
        receivers.into_iter().for_each(|receiver| receiver.join().expect("it does not panic"));
    });
}

/// The end of a world reaches who sleeps, whatever it sleeps for.
#[test]
fn the_end_wakes_everybody() {
    explore(|| {
        let world = Arc::new(World::default());
        let other = Arc::clone(&world);
        let sleeper = thread::spawn(move || {
            other.berth.belongs_to_current_thread();
            other.berth.sleep_unless(&Fences, || other.stopped.load(Ordering::Relaxed));
        });
        world.stopped.store(true, Ordering::Release);
        Fences.light();
        world.berth.wake_from_anything();
        sleeper.join().expect("it does not panic");
    });
}

/// A message comes while a processor that idles begins to run threads: it sees the message, or the helper does, whoever of the
/// two says first that it does not look any more.
#[test]
fn what_comes_late_is_left_to_the_helper() {
    explore(|| {
        let world = Arc::new(World::default());
        world.idles.store(true, Ordering::Relaxed);
        let other = Arc::clone(&world);
        let helper = thread::spawn(move || {
            other.berth.belongs_to_current_thread();
            let is_needed = || other.has(1) && !other.idles.load(Ordering::Relaxed);
            other.berth.sleep_unless(&Fences, || is_needed() || other.stopped.load(Ordering::Relaxed));
        });
        let other = Arc::clone(&world);
        let sender = thread::spawn(move || {
            other.send();
            other.rouse();
        });
        // As `Processor::leave_to_helper`; it runs threads for ever afterwards.
        world.idles.store(false, Ordering::Relaxed);
        Fences.heavy();
        if world.has(1) && !mutated!("nothing-is-left") {
            world.stopped.store(true, Ordering::Release);
            Fences.light();
            world.berth.wake();
        }
        sender.join().expect("it does not panic");
        helper.join().expect("it does not panic");
    });
}
