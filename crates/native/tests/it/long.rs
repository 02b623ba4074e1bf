//! Tests of long handlers on a node of several protocol processors: they delay no other processor's messages.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tempest::world::World;
use tempest::{Event, FinalState, Handler, NodeId, Protocol, Report, Setup, Thread, handlers};
use tradewind_native::Local;

use crate::load::launch;

/// Longer than a wake-up on a busy host.
const PATIENCE: Duration = Duration::from_secs(5);

/// Longer than a brief handler.
const LONG: Duration = Duration::from_micros(50);

/// Long enough for processors without work to fall asleep.
const SILENCE: Duration = Duration::from_millis(1);

const ROUNDS: u64 = 20;

/// Node 0 sends a message whose handler goes on until another one, of another key, has been handled, which is sent later.
struct Held {
    handled: AtomicU64,
    answers: Event,
}

impl Protocol for Held {
    type Config = ();

    fn install(_: &(), _: &mut Setup<'_>) -> Self {
        Self { handled: AtomicU64::new(0), answers: Event::new("done") }
    }
}

#[handlers]
impl Held {
    /// A message whose handler goes on until `until` [`Release`] messages have been handled.
    #[message(key = 0)]
    fn hold(&self, until: u64, cx: &mut Handler<'_>) {
        let start = Instant::now();
        while start.elapsed() < LONG || self.handled.load(Ordering::Relaxed) < until {
            assert!(start.elapsed() < PATIENCE, "nobody handles message {} of the other key", until);
            std::thread::yield_now();
        }
        cx.send(NodeId(0), Self::done());
    }

    #[message(key = 1)]
    fn release(&self, cx: &mut Handler<'_>) {
        let start = Instant::now();
        while start.elapsed() < LONG {
            std::hint::spin_loop();
        }
        self.handled.fetch_add(1, Ordering::Relaxed);
        cx.send(NodeId(0), Self::done());
    }

    #[message]
    fn done(&self, cx: &mut Handler<'_>) {
        cx.signal(&self.answers, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        if thread.node() != NodeId(0) {
            return;
        }
        for round in 1..=ROUNDS {
            std::thread::sleep(SILENCE);
            thread.send(NodeId(1), Self::hold(round));
            std::thread::sleep(SILENCE);
            thread.send(NodeId(1), Self::release());
            thread.wait(&self.answers, 2 * round);
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::default()
    }
}

#[test]
fn a_long_handler_keeps_no_message_of_another_key_waiting() {
    for policy in ["fixed:2", "hurricane-1:2"] {
        let outcome = Local::new().run(&launch::<Held>(policy, 2, 3, 1, ()));
        outcome.unwrap_or_else(|failure| panic!("{policy}: {failure}"));
    }
}
