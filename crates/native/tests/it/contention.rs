//! Tests of a node of several processors that sends to itself: mostly the sender serves, but no processor waits for a computing sender.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tempest::world::World;
use tempest::{Event, FinalState, Handler, Key, Keyed, Protocol, Report, Setup, Thread, handlers};
use tradewind_native::Local;

use crate::load::launch;

/// Longer than a look, or a wake-up on a busy host.
const PATIENCE: Duration = Duration::from_secs(5);

/// Number of messages, each of which is handled while its sender computes.
const ROUNDS: u64 = 100;

/// The first thread sends a message to its own node, and computes until it has been handled, or for [`PATIENCE`]. The others are idle.
struct Computes {
    handled: AtomicU64,
    end: Event,
}

impl Protocol for Computes {
    type Config = ();

    fn install(_: &(), _: &mut Setup<'_>) -> Self {
        Self { handled: AtomicU64::new(0), end: Event::new("the end") }
    }
}

#[handlers]
impl Computes {
    #[message(key = 0)]
    fn work(&self, _: &mut Handler<'_>) {
        self.handled.fetch_add(1, Ordering::Relaxed);
    }

    fn main(&self, thread: &Thread<'_>) {
        if thread.index() > 0 {
            return thread.wait(&self.end, 1);
        }
        for round in 1..=ROUNDS {
            thread.send(thread.node(), Self::work());
            let start = Instant::now();
            while self.handled.load(Ordering::Relaxed) < round {
                assert!(start.elapsed() < PATIENCE, "nobody serves who computes");
                std::hint::spin_loop();
            }
        }
        thread.signal(&self.end, 1);
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::default()
    }
}

#[test]
fn what_one_sends_who_computes_another_serves_who_has_nothing_to_do() {
    for policy in ["floating", "floating+keyed", "adaptive", "adaptive+serial"] {
        for processors in [2, 3] {
            let outcome = Local::new().run(&launch::<Computes>(policy, 1, processors, 1, ()));
            outcome.unwrap_or_else(|failure| panic!("{policy}: {failure}"));
        }
    }
}

/// Every thread holds one key again and again, and has messages handled under it in between; the first thread holds it for long once.
struct Holds {
    count: Keyed<u64>,
    held_long: AtomicBool,
    handled: Event,
}

/// Holds of each thread.
const HOLDS: u64 = 2_000;

/// Longer than any processor waits for the contention hint.
const LONG: Duration = Duration::from_millis(5);

impl Protocol for Holds {
    type Config = ();

    fn install(_: &(), node: &mut Setup<'_>) -> Self {
        let count = node.keyed(1, |_| 0);
        Self { count, held_long: AtomicBool::new(false), handled: Event::new("handled") }
    }
}

#[handlers]
impl Holds {
    #[message(key = 0)]
    fn add(&self, amount: u64, cx: &mut Handler<'_>) {
        cx.with(&self.count, |count, cx| {
            *count += amount;
            cx.signal(&self.handled, 1);
        });
    }

    fn main(&self, thread: &Thread<'_>) {
        let key = Key::User(0);
        for _ in 0..HOLDS {
            thread.hold(key, |cx| cx.with(&self.count, |count, _| *count += 1));
            thread.send(thread.node(), Self::add(1));
        }
        thread.hold(key, |_| {
            if !self.held_long.swap(true, Ordering::Relaxed) {
                std::thread::sleep(LONG);
            }
        });
        let all = u64::from(thread.threads()) * HOLDS;
        thread.wait(&self.handled, all);
        thread.phase("check");
        let count = thread.hold(key, |cx| cx.with(&self.count, |count, _| *count));
        assert_eq!(count, 2 * all, "each hold and each message adds one");
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::default()
    }
}

#[test]
fn holds_and_messages_of_one_key_on_two_processors_exclude_each_other() {
    for policy in ["floating", "floating+keyed", "adaptive", "adaptive+serial"] {
        let outcome = Local::new().run(&launch::<Holds>(policy, 1, 2, 2, ()));
        outcome.unwrap_or_else(|failure| panic!("{policy}: {failure}"));
    }
}
