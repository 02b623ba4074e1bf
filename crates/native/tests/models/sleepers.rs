//! Models of sleep, wake-ups, and the work left to a helper: a lost wake-up is a thread that `loom` finds blocked for ever.

use std::time::Duration;

use loom::sync::Arc;
use loom::thread;
use tempest::NodeId;

use crate::explore;
use crate::explore_up_to;
use crate::fences::Fences;
use crate::lines::push;
use crate::parts::attendance;
use crate::parts::parker::Parker;
use crate::parts::receive_lock::ReceiveLock;
use crate::rings::message::Received;
use crate::rings::ring::Ring;
use crate::sync::{AtomicBool, AtomicU64, Ordering};

/// Each fault of the explored sources, and the scenario that detects it.
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
    parker: Parker,
    /// Messages sent, by one sender.
    sent: AtomicU64,
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
}

/// A thread sleeps for two messages, and may nap before; another sends them, one after the other.
#[test]
fn who_sleeps_is_woken() {
    explore(|| {
        let world = Arc::new(World::default());
        let other = Arc::clone(&world);
        let sleeper = thread::spawn(move || {
            other.parker.nap_unless(Duration::ZERO, || other.has(2));
            while !other.has(2) {
                other.parker.park_unless(&Fences, || other.has(2));
            }
        });
        for _ in 0..2 {
            world.send();
            world.parker.wake();
        }
        sleeper.join().expect("it does not panic");
    });
}

/// A receiver sleeps whenever its ring is empty; messages of these lengths arrive meanwhile, and all are taken out.
fn receive(lengths: &'static [usize]) {
    explore(move || {
        let lane = Arc::new((Ring::new(2), Parker::default()));
        let other = Arc::clone(&lane);
        let receiver = thread::spawn(move || {
            let (ring, parker) = &*other;
            let mut taken = 0;
            while taken < lengths.len() {
                let drained = ring.consumer.drain(8, NodeId(0), &mut Received::blank(), |_, _| true).messages;
                taken += drained;
                if drained == 0 {
                    parker.park_unless(&Fences, || ring.consumer.is_ready());
                }
            }
        });
        let (ring, parker) = &*lane;
        for (number, words) in (0..).zip(lengths) {
            assert!(push(ring, number, *words), "there is room for all");
            Fences.light();
            parker.wake();
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

/// Two processors of a node that receive in turn.
struct Servers {
    ring: Ring,
    right: ReceiveLock,
    taken: AtomicU64,
    parkers: [Parker; 2],
}

impl Servers {
    /// Serves and sleeps, until `messages` have been taken out.
    fn serve(&self, number: usize, messages: u64) {
        while self.taken.load(Ordering::Acquire) < messages {
            self.receive(number, messages);
            let there_is_work =
                || self.taken.load(Ordering::Acquire) == messages || self.ring.consumer.is_ready();
            self.parkers[number].park_unless(&Fences, there_is_work);
        }
    }

    fn receive(&self, number: usize, messages: u64) {
        let Some(_turn) = self.right.try_take(number) else { return thread::yield_now() };
        let drained = self.ring.consumer.drain(8, NodeId(0), &mut Received::blank(), |_, _| true).messages;
        let taken = self.taken.load(Ordering::Relaxed) + drained as u64;
        self.taken.store(taken, Ordering::Release);
        if taken == messages {
            Fences.light();
            self.parkers.iter().for_each(Parker::wake_from_anything);
        }
    }
}

/// Any of two processors is woken, and any receives: every sent message is taken out.
#[test]
fn one_of_two_takes_it() {
    explore_up_to(1, || {
        let servers = Arc::new(Servers {
            ring: Ring::new(2),
            right: ReceiveLock::among(2, Fences),
            taken: AtomicU64::new(0),
            parkers: Default::default(),
        });
        let serve = |number| {
            let servers = Arc::clone(&servers);
            thread::spawn(move || servers.serve(number, 2))
        };
        let receivers = [serve(0), serve(1)];
        for number in 0..2 {
            assert!(push(&servers.ring, number, 1), "there is room for both");
            Fences.light();
            _ = servers.parkers.iter().any(Parker::wake);
        }
        receivers.into_iter().for_each(|receiver| receiver.join().expect("it does not panic"));
    });
}

/// The end of a world wakes every sleeper, from any sleep.
#[test]
fn the_end_wakes_everybody() {
    explore(|| {
        let world = Arc::new(World::default());
        let other = Arc::clone(&world);
        let sleeper = thread::spawn(move || {
            other.parker.park_unless(&Fences, || other.stopped.load(Ordering::Relaxed));
        });
        world.stopped.store(true, Ordering::Release);
        Fences.light();
        world.parker.wake_from_anything();
        sleeper.join().expect("it does not panic");
    });
}

/// A node with a helper, and a processor that idles at first.
struct Helped {
    ring: Ring,
    right: ReceiveLock,
    idles: AtomicBool,
    taken: AtomicBool,
    helper: Parker,
}

impl Helped {
    fn nobody_idles(&self) -> bool {
        !self.idles.load(Ordering::Relaxed)
    }

    fn is_over(&self) -> bool {
        self.taken.load(Ordering::Relaxed)
    }

    fn rouse(&self) {
        attendance::rouse(&self.helper, || self.nobody_idles(), || ());
    }

    fn serve(&self, number: usize) {
        let Some(_turn) = self.right.try_take(number) else { return thread::yield_now() };
        if self.ring.consumer.drain(8, NodeId(0), &mut Received::blank(), |_, _| true).messages > 0 {
            self.taken.store(true, Ordering::Release);
            Fences.light();
            self.helper.wake_from_anything();
        }
    }

    /// Runs as the helper, which serves when the processor does not.
    fn help(&self) {
        while !self.is_over() {
            let is_ready = || self.ring.consumer.is_ready();
            attendance::sleep(&self.helper, &Fences, || self.is_over(), is_ready, || self.nobody_idles());
            if self.nobody_idles() {
                self.serve(1);
            }
        }
    }
}

/// A message arrives while an idle processor begins to run threads: the processor takes it, or the helper does, depending on which of them
/// first announces that it no longer looks.
#[test]
fn what_comes_late_is_left_to_the_helper() {
    explore(|| {
        let node = Arc::new(Helped {
            ring: Ring::new(2),
            right: ReceiveLock::among(2, Fences),
            idles: AtomicBool::new(true),
            taken: AtomicBool::default(),
            helper: Parker::default(),
        });
        let other = Arc::clone(&node);
        let helper = thread::spawn(move || other.help());
        let other = Arc::clone(&node);
        let sender = thread::spawn(move || {
            assert!(push(&other.ring, 0, 1), "there is room");
            Fences.light();
            other.rouse();
        });
        // The processor runs threads for ever afterwards.
        node.idles.store(false, Ordering::Relaxed);
        attendance::leave(&Fences, || node.ring.consumer.is_ready(), || node.serve(0), || node.rouse());
        sender.join().expect("it does not panic");
        helper.join().expect("it does not panic");
        assert!(node.is_over(), "the message has been taken");
    });
}
