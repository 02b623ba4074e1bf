//! *Stream*: a thread sends small messages to another node at full speed, one at a time; each handler adds to the entry of its key.
//! Compared with a bare ring of the same layout and size, without any dispatch, and with a ring that others keep.

use std::sync::atomic::{AtomicBool, Ordering};

use tempest::outcome::Outcome;
use tempest::{
    Event, FinalState, Handler, Job, Key, Keyed, NodeId, Protocol, Report, Setup, Thread, handlers,
};

use crate::bare;
use crate::run;
use tradewind_bench::table::{Aim, TableRow, Unit, paired};

const MESSAGES: u64 = 4_000_000;

/// Number of keys whose entries stay in the cache.
pub(crate) const FEW: u64 = 1 << 10;

/// Number of keys, 32 MB of them, from which on a message's entry is prefetched before its handler runs. With a quarter of that the
/// core hides the misses of its second cache itself, and looking at each message twice costs more.
const FORESEEN: u64 = 1 << 22;

/// Node 0 sends to node 1, which counts by key.
struct Stream {
    keys: u64,
    counts: Keyed<u64>,
    /// Signals that the last message has been handled.
    ended: Event,
    verified: AtomicBool,
}

impl Protocol for Stream {
    type Config = u64;
    fn install(keys: &u64, node: &mut Setup<'_>) -> Self {
        if *keys >= FORESEEN {
            node.prefetch::<Add>(|add, stream| stream.counts.prefetch(add.key));
        }
        Self {
            keys: *keys,
            counts: node.keyed(*keys as usize, |_| 0),
            ended: Event::new("the last message"),
            verified: AtomicBool::new(node.node() == NodeId(0)),
        }
    }
}

/// Makes message `number`: keys in scattered order, small amounts.
fn message(number: u64, keys: u64) -> Add {
    let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    Stream::add((mixed >> 32) % keys, number % 4)
}

#[handlers]
impl Stream {
    #[message(key = key)]
    fn add(&self, key: u64, amount: u64, cx: &mut Handler<'_>) {
        cx.with(&self.counts, |count, _| *count += amount);
    }

    /// Ends the stream, behind all other messages.
    #[message(key = Sequential)]
    fn end(&self, cx: &mut Handler<'_>) {
        cx.signal(&self.ended, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        // A power of two, so that finding a key costs nothing.
        let keys = self.keys.next_power_of_two();
        thread.phase("stream");
        if thread.node() == NodeId(0) {
            (0..MESSAGES).for_each(|number| thread.send(NodeId(1), message(number, keys)));
            thread.send(NodeId(1), Self::end());
        } else {
            thread.wait(&self.ended, 1);
        }
        thread.phase("check");
        if thread.node() == NodeId(1) {
            let mut expected = vec![0; keys as usize];
            (0..MESSAGES)
                .map(|number| message(number, keys))
                .for_each(|add| expected[add.key as usize] += add.amount);
            let count = |key| thread.hold(Key::User(key), |cx| cx.with(&self.counts, |count, _| *count));
            self.verified.store((0..keys).map(count).eq(expected), Ordering::Relaxed);
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::checked(self.verified.load(Ordering::Relaxed), || "the entries hold other sums".to_owned())
    }
}

/// The program with this number of keys.
pub(crate) fn job(keys: u64) -> Job {
    Job::new::<Stream>(keys)
}

/// Millions of messages a second, with a handler for each.
pub(crate) fn rate(outcome: &Outcome) -> f64 {
    MESSAGES as f64 / outcome.timed().as_nanoseconds() * 1e3
}

fn ours(keys: u64) -> f64 {
    rate(&run(job(keys), 2, 1, 1, "single"))
}

/// Few keys, whose entries stay in the cache, beside two rings; and many, whose entries do not.
pub(crate) fn rows() -> Vec<TableRow> {
    let row = |what, keys, aim| {
        let figures = paired(|| ours(keys), || bare::stream(MESSAGES));
        TableRow::new(what, Unit::Millions, figures, "ring of half lines", aim)
    };
    let kept = paired(|| ours(FEW), || bare::kept_stream(MESSAGES));
    vec![
        row("stream of small messages, 1024 keys", FEW, Aim::Ratio(0.5, 0.25)),
        TableRow::new("  the ring that others keep", Unit::Millions, kept, "rtrb", Aim::Nothing),
        row("stream of small messages, 2^20 cold keys", 1 << 20, Aim::Ratio(0.3, 0.15)),
        row("stream of small messages, 2^22 foreseen keys", FORESEEN, Aim::Ratio(0.3, 0.15)),
    ]
}
