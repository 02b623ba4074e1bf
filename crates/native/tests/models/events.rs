//! Models of waiting for an event, by `tempest`'s own source, and of waking the waiting thread: `threads` and `parker`.
//!
//! A thread that is not resumed is a thread that `loom` finds blocked for ever.

use loom::sync::Arc;
use loom::thread;
use tempest::{NodeId, Waiter};

use crate::event::{Event, Tally};
use crate::explore;
use crate::explore_ordered;
use crate::fences::Fences;
use crate::parts::parker::Parker;
use crate::parts::threads::{Inbox, ThreadSlot};
use crate::sync::{AtomicU64, Ordering, tally_words};

/// Each fault of the explored sources, and the scenario that detects it.
pub(crate) const FAULTS: &[(&str, &str)] = &[
    ("signal-relaxed", "events::a_signal_reaches_who_waits"),
    ("signaller-looks-early", "events::a_signal_reaches_who_waits"),
    ("waiter-listed-late", "events::a_signal_reaches_who_waits"),
    ("waiter-looks-early", "events::a_signal_reaches_who_waits"),
    ("signal-relaxed", "events::a_deposit_reaches_a_waiting_thread"),
    ("signaller-looks-early", "events::a_deposit_reaches_a_waiting_thread"),
    ("waiter-listed-late", "events::a_deposit_reaches_a_waiting_thread"),
    ("waiter-looks-early", "events::a_deposit_reaches_a_waiting_thread"),
    ("light-left-out", "events::a_signal_reaches_who_waits"),
    ("heavy-left-out", "events::a_signal_reaches_who_waits"),
    ("wait-ended-relaxed", "events::who_is_resumed_sees_why"),
    ("waiter-stays-listed", "events::who_is_enlisted_is_resumed_once"),
    ("count-not-acquired", "events::a_count_tells_what_was_signalled"),
];

/// The node of every event here.
const NODE: NodeId = NodeId(0);

/// A thread, its processor, and the event that it waits for.
struct Node {
    event: Event,
    slot: ThreadSlot,
    inbox: Inbox,
    parker: Parker,
    /// Words written before the signals.
    words: [AtomicU64; 2],
}

impl Node {
    fn new() -> Arc<Self> {
        Self::around(Event::new("event"))
    }

    fn around(event: Event) -> Arc<Self> {
        Arc::new(Self {
            event,
            slot: ThreadSlot::default(),
            inbox: Inbox::default(),
            parker: Parker::default(),
            words: Default::default(),
        })
    }

    /// Writes a word and signals, as a handler of another processor.
    fn signal(&self, word: usize) {
        self.words[word].store(1, Ordering::Relaxed);
        self.event.add(NODE, 1, |waiter| self.resume(waiter));
    }

    fn resume(&self, waiter: Waiter) {
        if self.slot.end_wait(waiter) {
            self.inbox.push(waiter.thread);
            Fences.light();
            self.parker.wake();
        }
    }

    /// Waits as a thread whose processor has no other work.
    fn wait(&self, at_least: u64) {
        let waiter = self.waiter();
        if self.event.enlist(NODE, at_least, waiter) {
            self.block(waiter);
        }
    }

    fn waiter(&self) -> Waiter {
        Waiter { thread: 0, generation: self.slot.generation() }
    }

    fn block(&self, waiter: Waiter) {
        while self.slot.generation() == waiter.generation {
            while self.inbox.drain(|thread| assert_eq!(thread, 0)) == 0 {
                self.parker.park_unless(&Fences, || !self.inbox.is_empty());
            }
        }
    }

    fn is_told(&self, words: usize) -> bool {
        self.words[..words].iter().all(|word| word.load(Ordering::Relaxed) == 1)
    }
}

/// Lets `signals` processors signal once each; the thread waits for all of them, once for each count.
fn wait_for(signals: usize) {
    explore_ordered(2, move || {
        let node = Node::new();
        let signaller = |word| {
            let node = Arc::clone(&node);
            thread::spawn(move || node.signal(word))
        };
        let signallers: Vec<_> = (0..signals).map(signaller).collect();
        node.wait(signals as u64);
        assert!(node.is_told(signals), "what was signalled happened before the wait is over");
        signallers.into_iter().for_each(|signaller| signaller.join().expect("it does not panic"));
    });
}

/// Another node deposits a word, and tells the owner if a thread may wait for the count; the owner looks for the thread.
#[test]
fn a_deposit_reaches_a_waiting_thread() {
    explore_ordered(2, || {
        let tally = Tally::new(tally_words());
        let node = Node::around(Event::open("event", tally.clone()));
        let other = Arc::clone(&node);
        let depositor = thread::spawn(move || {
            other.words[0].store(1, Ordering::Relaxed);
            if tally.add(1).expect("the count is small") {
                // The control message's way is a ring's (`lines`).
                other.event.end_waits(|waiter| other.resume(waiter));
            }
        });
        node.wait(1);
        assert!(node.is_told(1), "the deposited word is in place before the wait is over");
        depositor.join().expect("it does not panic");
    });
}

#[test]
fn a_signal_reaches_who_waits() {
    wait_for(1);
}

#[test]
fn the_last_of_two_signals_reaches_who_waits() {
    wait_for(2);
}

/// A thread that is told of a first signal sees its word; the second may have come meanwhile.
#[test]
fn one_wait_follows_another() {
    explore_ordered(2, || {
        let node = Node::new();
        let other = Arc::clone(&node);
        let signaller = thread::spawn(move || [0, 1].map(|word| other.signal(word)));
        for signals in [1, 2] {
            node.wait(signals);
            assert!(node.is_told(signals as usize), "what was signalled happened before the wait is over");
        }
        signaller.join().expect("it does not panic");
    });
}

/// Two threads wait, for one signal and for two, while two come: each enlisted thread is resumed, once.
#[test]
fn who_is_enlisted_is_resumed_once() {
    explore_ordered(2, || {
        let event = Arc::new((Event::new("event"), [AtomicU64::new(0), AtomicU64::new(0)]));
        let other = Arc::clone(&event);
        let signaller = thread::spawn(move || {
            let (event, resumed) = &*other;
            for _ in 0..2 {
                event.add(NODE, 1, |waiter| {
                    resumed[waiter.thread as usize].fetch_add(1, Ordering::Relaxed);
                });
            }
        });
        let enlisted = [0, 1]
            .map(|thread| event.0.enlist(NODE, u64::from(thread) + 1, Waiter { thread, generation: 0 }));
        signaller.join().expect("it does not panic");
        let resumed = [0, 1].map(|thread: usize| event.1[thread].load(Ordering::Relaxed));
        assert_eq!(resumed, enlisted.map(u64::from), "resumed, for those that were enlisted");
    });
}

/// A thread that a handler resumes without an event, as after a fault, sees the handler's earlier stores.
#[test]
fn who_is_resumed_sees_why() {
    explore(|| {
        let node = Node::new();
        let (other, waiter) = (Arc::clone(&node), node.waiter());
        let handler = thread::spawn(move || {
            other.words[0].store(1, Ordering::Relaxed);
            other.resume(waiter);
        });
        node.block(waiter);
        assert!(node.is_told(1), "what the handler did happened before the wait is over");
        handler.join().expect("it does not panic");
    });
}

/// A thread that reads a count sees the stores before all its signals.
#[test]
fn a_count_tells_what_was_signalled() {
    explore_ordered(2, || {
        let node = Node::new();
        let other = Arc::clone(&node);
        let signaller = thread::spawn(move || other.signal(0));
        if node.event.counted() == 1 {
            assert!(node.is_told(1), "what was signalled happened before");
        }
        signaller.join().expect("it does not panic");
    });
}

/// Where one OS thread runs all of a node, a deposit of another node may end the same wait as one of its handlers. The next wait
/// of the thread is not ended by either.
#[test]
fn a_deposit_ends_the_same_wait() {
    explore_ordered(2, || {
        let node = Node::new();
        let (first, second) = (0, 1);
        let waiter = node.waiter();
        assert!(node.event.enlist(NODE, 1, waiter));
        let other = Arc::clone(&node);
        let depositor = thread::spawn(move || other.signal(second));
        node.words[first].store(1, Ordering::Relaxed);
        let ended = node.slot.end_wait_alone(waiter);
        let next = node.slot.generation();
        assert_ne!(next, waiter.generation, "the wait is over");
        depositor.join().expect("it does not panic");
        assert_eq!(node.slot.generation(), next, "nobody has ended the next wait");
        assert!(ended || !node.inbox.is_empty(), "somebody has made the thread ready");
    });
}
