//! *Fetch-add by message*: threads of two nodes add to words of the other node, each by a request whose handler replies with the previous
//! value. Up to 64 requests of a node are in flight. Beside a bare ring each way with the same window.

use std::sync::atomic::{AtomicU64, Ordering};

use tempest::outcome::Outcome;
use tempest::{
    Event, FinalState, Handler, Job, Key, Keyed, NodeId, Protocol, Report, Setup, Thread, handlers,
};

use crate::bare;
use crate::run;
use tradewind_bench::table::{Aim, TableRow, Unit, paired};

/// Requests of each node.
const REQUESTS: u64 = 1_000_000;

const WORDS: u64 = 1024;

const WINDOW: u64 = 64;

/// Batch size of the requester: replies per notification, and requests sent in a row.
const BUNCH: u64 = 16;

/// Key of the count of replies, different from that of any word.
const REPLIES: Key = Key::User(WORDS);

/// A node's words, and the number of replies to it, in the entry of their key.
struct FetchAdd {
    words: Keyed<u64>,
    replies: Event,
    /// Sum of the previous values. One handler at a time adds to it.
    sum: AtomicU64,
}

impl Protocol for FetchAdd {
    type Config = ();
    fn install(_: &(), node: &mut Setup<'_>) -> Self {
        let words = node.keyed(WORDS as usize + 1, |_| 0);
        Self { words, replies: Event::new("replies"), sum: AtomicU64::new(0) }
    }
}

#[handlers]
impl FetchAdd {
    #[message(key = word)]
    fn request(&self, word: u64, amount: u64, cx: &mut Handler<'_>) {
        let back = cx.source();
        cx.with(&self.words, |word, actions| {
            actions.send(back, Self::reply(*word));
            *word += amount;
        });
    }

    #[message(key = REPLIES)]
    fn reply(&self, held: u64, cx: &mut Handler<'_>) {
        self.sum.store(self.sum.load(Ordering::Relaxed) + held, Ordering::Relaxed);
        cx.with(&self.words, |replies, actions| {
            *replies += 1;
            if *replies % BUNCH == 0 {
                actions.signal(&self.replies, BUNCH);
            }
        });
    }

    fn main(&self, thread: &Thread<'_>) {
        let other = NodeId(1 - thread.node().0);
        thread.phase("fetch-add");
        for number in 0..REQUESTS {
            if number % BUNCH == 0 {
                thread.wait(&self.replies, (number + BUNCH).saturating_sub(WINDOW));
            }
            thread.send(other, Self::request(number % WORDS, 1));
        }
        thread.wait(&self.replies, REQUESTS);
        thread.phase("end");
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        // Each word had the values 0, 1, 2 …, one per addition.
        let held = |word: u64| {
            let times = (REQUESTS + WORDS - 1 - word) / WORDS;
            times * times.saturating_sub(1) / 2
        };
        let (sum, expected) = (self.sum.load(Ordering::Relaxed), (0..WORDS).map(held).sum::<u64>());
        Report::checked(sum == expected, || format!("{sum} in all, expected {expected}"))
    }
}

/// The program.
pub(crate) fn job() -> Job {
    Job::new::<FetchAdd>(())
}

/// Millions of requests of both nodes together in a second.
pub(crate) fn rate(outcome: &Outcome) -> f64 {
    2.0 * REQUESTS as f64 / outcome.timed().as_nanoseconds() * 1e3
}

/// The rate of both nodes' requests together.
pub(crate) fn rows() -> Vec<TableRow> {
    let ours = || rate(&run(job(), 2, 1, 1, "single"));
    let figures = paired(ours, || bare::requests(REQUESTS, WINDOW));
    let what = "fetch-add by message, window of 64";
    vec![TableRow::new(what, Unit::Millions, figures, "requests, half lines", Aim::Ratio(0.9, 0.45))]
}
