//! A node of several processors that sends to itself: mostly who sends serves, but nobody waits for one who computes.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytemuck::{Pod, Zeroable};
use tempest::{Event, Handler, Key, Keyed, Message, Program, Protocol, Quiet, Report, Setup, Thread, World};
use tradewind_native::Local;

use crate::load::launch;

/// Longer than it takes to look, or to wake somebody on a host that has much else to do.
const PATIENCE: Duration = Duration::from_secs(5);

/// Messages, each of which is handled while its sender computes.
const ROUNDS: u64 = 100;

/// The first thread sends a message to its own node, and computes until it has been handled, or for [`PATIENCE`]. The others have
/// nothing to do.
struct Computes {
    handled: AtomicU64,
    end: Event,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Work {
    unused: u64,
}

impl Message for Work {
    type Protocol = Computes;

    fn key(&self) -> Key {
        Key::User(0)
    }

    fn handle(self, computes: &Computes, _: &[u64], _: &mut Handler<'_>) {
        computes.handled.fetch_add(1, Ordering::Relaxed);
    }
}

impl tempest::Handlers for Computes {
    fn register(messages: &mut tempest::Messages<'_, Self>) {
        messages.add::<Work>();
    }
}

impl Protocol for Computes {
    type Config = ();

    fn install(_: &(), _: &mut Setup<'_>) -> Self {
        Self { handled: AtomicU64::new(0), end: Event::new("the end") }
    }
}

impl Program for Computes {
    fn main(&self, thread: &Thread<'_>) {
        if thread.index() > 0 {
            return thread.wait(&self.end, 1);
        }
        for round in 1..=ROUNDS {
            thread.send(thread.node(), Work { unused: 0 });
            let start = Instant::now();
            while self.handled.load(Ordering::Relaxed) < round {
                assert!(start.elapsed() < PATIENCE, "nobody serves who computes");
                std::hint::spin_loop();
            }
        }
        thread.signal(&self.end, 1);
    }

    fn report(&self, _: &mut Quiet<'_>) -> Report {
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

/// Every thread holds one key again and again, and has messages handled under it in between; the first one holds it for
/// long once.
struct Holds {
    count: Keyed<u64>,
    held_long: AtomicBool,
    handled: Event,
}

/// Holds of each thread.
const HOLDS: u64 = 2_000;

/// Longer than anybody lets another one go on.
const LONG: Duration = Duration::from_millis(5);

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Add {
    amount: u64,
}

impl Message for Add {
    type Protocol = Holds;

    fn key(&self) -> Key {
        Key::User(0)
    }

    fn handle(self, holds: &Holds, _: &[u64], cx: &mut Handler<'_>) {
        cx.with(&holds.count, |count, cx| {
            *count += self.amount;
            cx.signal(&holds.handled, 1);
        });
    }
}

impl tempest::Handlers for Holds {
    fn register(messages: &mut tempest::Messages<'_, Self>) {
        messages.add::<Add>();
    }
}

impl Protocol for Holds {
    type Config = ();

    fn install(_: &(), node: &mut Setup<'_>) -> Self {
        let count = node.keyed(1, |_| 0);
        Self { count, held_long: AtomicBool::new(false), handled: Event::new("handled") }
    }
}

impl Program for Holds {
    fn main(&self, thread: &Thread<'_>) {
        let key = Key::User(0);
        for _ in 0..HOLDS {
            thread.hold(key, |cx| cx.with(&self.count, |count, _| *count += 1));
            thread.send(thread.node(), Add { amount: 1 });
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

    fn report(&self, _: &mut Quiet<'_>) -> Report {
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
