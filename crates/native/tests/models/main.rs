//! Questions and answers between the processors of a node, how they sleep and are woken, which of them receives, what a thread's wait for an event
//! ends by, and the ring between two nodes, from the library's own source, under `loom`, which tries every schedule, up to a
//! number of preemptions, and every value that the memory model lets a load return. The event is `tempest`'s: this is the world
//! that uses all of it.
//!
//! `NATIVE_DOSE=full` allows one preemption more. The faults that the source names by `mutated!` must each be noticed by a
//! scenario; a fault is on in a process of its own, the one that `NATIVE_FAULT` names. By hand, to see what one does:
//!
//! ```text
//! NATIVE_FAULT=answer-relaxed cargo test -p tradewind-native --test models one_that_polls
//! ```

#[allow(dead_code, reason = "the library uses the rest")]
#[path = "../../src/berth.rs"]
mod berth;
#[allow(dead_code, unreachable_pub, reason = "the library uses the rest, and exports it")]
#[path = "../../../tempest/src/event.rs"]
mod event;
mod events;
mod fences;
mod lines;
#[path = "../../src/lock.rs"]
mod lock;
mod receivers;
#[path = "../../src/requests.rs"]
mod requests;
#[allow(dead_code, reason = "the library uses the rest")]
#[path = "../../src/right.rs"]
mod right;
#[allow(dead_code, reason = "the library uses the rest")]
#[path = "../../src/ring.rs"]
mod ring;
mod sleepers;
mod sync;
#[allow(dead_code, reason = "the library uses the rest")]
#[path = "../../src/threads.rs"]
mod threads;

use std::process::{Command, Stdio};

use loom::sync::Arc;
use loom::thread;
use requests::Requests;
use sync::{AtomicBool, AtomicU64, Fenced, Ordering, mutated};
use tempest::{NodeId, Waiter};

/// The processor that is asked.
const IT: usize = 0;

fn explore(scenario: impl Fn() + Sync + Send + 'static) {
    explore_up_to(2, scenario);
}

/// Where accesses are sequentially consistent: with their fences in either place.
fn explore_ordered(scenario: impl Fn() + Sync + Send + Copy + 'static) {
    for place in [Fenced::Before, Fenced::BehindWrites] {
        sync::have_fences(place);
        explore(scenario);
    }
}

/// With so many preemptions, and in a full dose with one more.
fn explore_up_to(preemptions: usize, scenario: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    let full = std::env::var("NATIVE_DOSE").is_ok_and(|dose| dose == "full");
    model.preemption_bound = Some(preemptions + usize::from(full));
    model.max_branches = 10_000;
    model.check(scenario);
}

/// A node with one block of one word, which a processor that computes may write at first.
struct Node {
    requests: Requests,
    is_writable: AtomicBool,
    word: AtomicU64,
    /// Whoever waits is to look again.
    told: AtomicBool,
}

impl Node {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            requests: Requests::new(1),
            is_writable: AtomicBool::new(true),
            word: AtomicU64::new(0),
            told: AtomicBool::new(false),
        })
    }

    /// A test and the access that it allows: the value stored last.
    fn store_if_allowed(&self, value: u64) -> Option<u64> {
        self.is_writable.load(Ordering::Acquire).then(|| {
            if mutated!("answer-between-test-and-access") {
                self.poll();
            }
            self.word.store(value, Ordering::Relaxed);
            value
        })
    }

    fn tell_if(&self, somebody_waits: bool) {
        if somebody_waits {
            self.told.store(true, Ordering::Release);
        }
    }

    fn poll(&self) {
        if self.requests.concerns(IT) {
            self.tell_if(self.requests.answer(IT));
        }
    }

    /// Takes the right away, as the handler does that was asked to: what the word holds then. It looks again only when it is
    /// told to. `None` if nobody tells it before `is_over`.
    fn take_away(&self, is_over: impl FnOnce()) -> Option<u64> {
        self.requests.expect();
        self.is_writable.store(false, Ordering::Release);
        let number = self.requests.ask();
        if !self.requests.is_answered(number) {
            is_over();
            if !self.told.load(Ordering::Acquire) || !self.requests.is_answered(number) {
                return None;
            }
        }
        self.requests.settle();
        Some(self.word.load(Ordering::Relaxed))
    }
}

/// One processor does its part while the right is taken away from the other; what was stored last, and what was found.
fn downgrade(computes: impl FnOnce(&Node) -> Option<u64> + Send + 'static) {
    let node = Node::new();
    let other = Arc::clone(&node);
    let processor = thread::spawn(move || computes(&other));
    let (mut joined, mut stored) = (Some(processor), None);
    let found = node
        .take_away(|| stored = joined.take().map(|processor| processor.join().expect("it does not panic")));
    // Only what was stored by then counts, so the word must never change again.
    if let Some(processor) = joined.take() {
        stored = Some(processor.join().expect("it does not panic"));
    }
    if let (Some(found), Some(stored)) = (found, stored) {
        assert_eq!(found, stored.unwrap_or(0), "an access is done before its right is gone, or not at all");
    }
    assert!(found.is_some(), "who waits is told");
}

/// It computes, polls, and computes on; then it has nothing to do.
#[test]
fn one_that_polls() {
    explore(|| {
        downgrade(|node| {
            let first = node.store_if_allowed(1);
            node.poll();
            let second = node.store_if_allowed(2);
            node.poll();
            let last = second.or(first);
            node.tell_if(node.requests.go_away(IT));
            last
        });
    });
}

/// It computes, and has nothing to do.
#[test]
fn one_that_goes_away() {
    explore(|| {
        downgrade(|node| {
            let stored = node.store_if_allowed(1);
            node.tell_if(node.requests.go_away(IT));
            stored
        });
    });
}

/// It has had nothing to do, computes, and polls.
#[test]
fn one_that_comes_back() {
    explore(|| {
        downgrade(|node| {
            node.tell_if(node.requests.go_away(IT));
            node.tell_if(node.requests.come_back(IT));
            let stored = node.store_if_allowed(1);
            node.poll();
            node.tell_if(node.requests.go_away(IT));
            stored
        });
    });
}

/// Each fault of what is explored here, and the scenario that notices it.
const FAULTS: &[(&str, &str)] = &[
    ("nobody-is-awaited", "one_that_polls"),
    ("answer-between-test-and-access", "one_that_polls"),
    ("question-relaxed", "one_that_polls"),
    ("question-not-acquired", "one_that_polls"),
    ("answer-relaxed", "one_that_polls"),
    ("look-relaxed", "one_that_polls"),
    ("away-relaxed", "one_that_goes_away"),
    ("away-without-fence", "one_that_goes_away"),
    ("away-without-answer", "one_that_goes_away"),
    ("back-without-fence", "one_that_comes_back"),
    ("question-without-fence", "one_that_comes_back"),
];

/// The faults of all parts.
const ALL_FAULTS: &[&[(&str, &str)]] =
    &[FAULTS, events::FAULTS, lines::FAULTS, receivers::FAULTS, sleepers::FAULTS];

#[test]
fn faults_are_noticed() {
    let this = std::env::current_exe().unwrap();
    for (fault, scenario) in ALL_FAULTS.iter().copied().flatten() {
        let mut run = Command::new(&this);
        run.args([scenario, "--exact"]).env_remove("NATIVE_DOSE").stdout(Stdio::null()).stderr(Stdio::null());
        assert!(run.env_remove("NATIVE_FAULT").status().unwrap().success(), "`{scenario}` fails anyway");
        let noticed = !run.env("NATIVE_FAULT", fault).status().unwrap().success();
        assert!(noticed, "`{scenario}` does not notice the fault `{fault}`");
    }
}
