//! *Threads*: a processor switches among many threads that block and are resumed, beside bare fibers that take turns; threads of two
//! nodes add to words of the other node and block for each reply, beside a bare ring each way with the same number of requests in flight;
//! and more processors than cores, beside one for each core.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Instant;

use fiber::{Fiber, Pool, Status};
use tempest::entry::{Given, Plan};
use tempest::{
    Cells, Event, FinalState, Handler, Job, Keyed, Mechanism, NodeId, Protocol, Report, Setup, Shape, Thread,
    handlers,
};

use crate::bare;
use crate::run;
use tradewind_bench::table::{Aim, TableRow, Unit, paired};

/// Total number of timed switches.
const SWITCHES: u64 = 2_097_152;

/// Requests of all threads of `fetch-add` together.
const ADDITIONS: u32 = 1_000_000;

/// Threads of a node that block for each reply.
const BLOCKING: u32 = 64;

/// Requests of each blocking thread.
const REQUESTS: u64 = 15_000;

/// Words of a node.
const WORDS: u64 = 1024;

/// Threads of one processor pass a turn around: each waits for its own event and signals the next thread's.
struct Relay {
    turns: Vec<Event>,
}

impl Relay {
    fn rounds(&self) -> u64 {
        SWITCHES / self.turns.len() as u64
    }
}

impl Protocol for Relay {
    type Config = ();
    fn install(_: &(), node: &mut Setup<'_>) -> Self {
        Self { turns: (0..node.shape().threads).map(|_| Event::new("turn")).collect() }
    }
}

#[handlers]
impl Relay {
    fn main(&self, thread: &Thread<'_>) {
        let mine = thread.index() as usize;
        let (turn, next) = (&self.turns[mine], &self.turns[(mine + 1) % self.turns.len()]);
        thread.phase("relay");
        if mine == 0 {
            thread.signal(turn, 1);
        }
        for round in 1..=self.rounds() {
            thread.wait(turn, round);
            thread.signal(next, 1);
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let passed: u64 = self.turns.iter().map(|turn| turn.count(end)).sum();
        let all = self.rounds() * self.turns.len() as u64;
        Report::checked(passed == all + 1, || format!("{passed} turns instead of {all} and the first"))
    }
}

/// Nanoseconds per switch between threads.
fn switch(threads: u32) -> f64 {
    run(Job::new::<Relay>(()), 1, 1, threads, "single").timed().as_nanoseconds() / SWITCHES as f64
}

/// Nanoseconds per switch between bare fibers that are resumed in turn.
fn bare_switch(fibers: u32) -> f64 {
    let (pool, passes) = (Pool::new(64 * 1024), Rc::new(Cell::new(0)));
    let spawn = |_| {
        let passes = Rc::clone(&passes);
        let body = move || loop {
            passes.set(passes.get() + 1);
            fiber::suspend();
        };
        // SAFETY: the body touches no thread-local but the room's own.
        unsafe { pool.spawn(body) }.expect("there are stacks")
    };
    let mut all: Vec<Fiber> = (0..fibers).map(spawn).collect();
    let start = Instant::now();
    while passes.get() < SWITCHES {
        all.iter_mut().for_each(|fiber| assert_eq!(fiber.resume(), Status::Suspended));
    }
    start.elapsed().as_nanos() as f64 / passes.get() as f64
}

/// A node's words, and for each of its threads the reply that it waits for.
struct Additions {
    words: Keyed<u64>,
    waiting: Vec<Waiting>,
}

struct Waiting {
    replies: Event,
    /// Sum of the previous values of the words.
    sum: Cells<u64>,
}

impl Protocol for Additions {
    type Config = ();
    fn install(_: &(), node: &mut Setup<'_>) -> Self {
        let waiting = || Waiting { replies: Event::new("replies"), sum: Cells::new(1, 0) };
        let waiting = (0..node.shape().threads).map(|_| waiting()).collect();
        Self { words: node.keyed(WORDS as usize, |_| 0), waiting }
    }
}

#[handlers]
impl Additions {
    #[message(key = word)]
    fn request(&self, word: u64, thread: u64, cx: &mut Handler<'_>) {
        let back = cx.source();
        cx.with(&self.words, |word, actions| {
            actions.send(back, Self::reply(*word, thread));
            *word += 1;
        });
    }

    #[message]
    fn reply(&self, held: u64, thread: u64, cx: &mut Handler<'_>) {
        let waiting = &self.waiting[thread as usize];
        // A thread has one request at a time, and so one reply.
        waiting.sum.set(cx, 0, waiting.sum.get(cx, 0) + held);
        cx.signal(&waiting.replies, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        let (other, me) = (NodeId(1 - thread.node().0), u64::from(thread.index()));
        let replies = &self.waiting[thread.index() as usize].replies;
        thread.phase("fetch-add");
        for number in 0..REQUESTS {
            thread.send(other, Self::request((me + number) % WORDS, me));
            thread.wait(replies, number + 1);
        }
        thread.phase("end");
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let (threads, mut times) = (self.waiting.len() as u64, vec![0_u64; WORDS as usize]);
        for number in 0..threads * REQUESTS {
            times[((number / REQUESTS + number % REQUESTS) % WORDS) as usize] += 1;
        }
        // Each word had the values 0, 1, 2 …, one per addition.
        let expected = times.iter().map(|times| times * times.saturating_sub(1) / 2).sum::<u64>();
        let sum = self.waiting.iter().map(|waiting| waiting.sum.get(end, 0)).sum::<u64>();
        Report::checked(sum == expected, || format!("{sum} in all, expected {expected}"))
    }
}

/// Requests of threads that block for each reply.
pub(crate) fn blocking() -> Vec<TableRow> {
    let all = u64::from(BLOCKING) * REQUESTS;
    let ours = || {
        let time = run(Job::new::<Additions>(()), 2, 1, BLOCKING, "single").timed();
        2.0 * all as f64 / time.as_nanoseconds() * 1e3
    };
    let figures = paired(ours, || bare::requests(all, u64::from(BLOCKING)));
    let what = format!("fetch-add by message, {BLOCKING} blocking threads");
    vec![TableRow::new(what, Unit::Millions, figures, "requests, half lines", Aim::Ratio(0.6, 0.3))]
}

/// Microseconds of `fetch-add` by `processors` processors on each of two nodes.
fn fetch_add(processors: u32, policy: &str) -> f64 {
    let mut given = Given::default();
    given.values.insert("operations".to_owned(), ADDITIONS.to_string());
    let program = tempest::entry::find("fetch-add", apps::ALL).expect("the program is there");
    let instance = (program.load)(&given).expect("the inputs are good");
    let shape = Shape { nodes: 2, threads: processors };
    let job = instance.job(&Plan::new(Mechanism::Messages, shape)).expect("the shape is possible");
    run(job, 2, processors, 1, policy).timed().as_seconds() * 1e6
}

fn oversubscription(policy: &'static str) -> TableRow {
    let figures = paired(|| fetch_add(4, policy), || fetch_add(1, policy));
    let what = format!("fetch-add by 8 processors, {policy}");
    TableRow::new(what, Unit::Microseconds, figures, "by 2 processors", Aim::Ratio(1.0, 2.0))
}

/// Switches among few threads and many.
pub(crate) fn switches() -> Vec<TableRow> {
    let row = |threads| {
        let figures = paired(|| switch(threads), || bare_switch(threads));
        let aim = Aim::Value(15.0, 30.0);
        TableRow::new(
            format!("thread switch, {threads} threads"),
            Unit::Nanoseconds,
            figures,
            "bare fibers",
            aim,
        )
    };
    [64, 1024, 16_384].map(row).into()
}

/// More processors than cores.
pub(crate) fn oversubscribed() -> Vec<TableRow> {
    ["floating", "floating+keyed"].map(oversubscription).into()
}
