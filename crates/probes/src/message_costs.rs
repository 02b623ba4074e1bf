//! Message costs: the time of a send, a receive and a wait, one by one, on an otherwise idle machine.
//!
//! Thread 0 of node `from` measures with a partner node, which is `from` itself if there is no other node. Every
//! figure is the median of many repetitions. Each repetition is long beside a look at the clock, and a short
//! disturbance of the host spoils only few of them. While a *burst* is sent, nothing is received; when it is
//! received, all of it is there. A *lone* message has the network to itself.
//!
//! # Figures
//!
//! All in nanoseconds.
//!
//! | figure | timed operation |
//! |---|---|
//! | `poll` | a poll that finds nothing |
//! | `clock` | a look at the clock |
//! | `signal` | a signal of an event that no thread waits for |
//! | `task` | a thread takes a task out of a pool and puts in up to two others: a wait that is over, a hold, some operations, another hold of the same key, a signal |
//! | `send`, `send.long` | a message without words, or of 12 words, in a burst |
//! | `receive`, `receive.long` | a message of a burst, from the poll that finds it to the end of its handler |
//! | `found` | a lone message, from the poll that finds it to the end of its handler, and one look at the clock |
//! | `stream` | from message to message of a long stream whose handlers run meanwhile |
//! | `window` | from request to request of a long stream, of which 64 have no reply yet |
//! | `polling`, `waiting` | a lone request and its reply, while the thread polls, or waits and gives its processor away |
//! | `rested` | a lone request and its reply after a silence of `rest`, while the thread polls |
//!
//! # Timed regions
//!
//! `measure`.
//!
//! # How it is checked
//!
//! The handler of every message counts it and compares its last word. A figure is reported only when all messages
//! have come.

use std::collections::VecDeque;
use std::hint::black_box;

use tempest::*;
use units::Time;

/// The words of a long message.
const LONG: usize = 12;

/// The value of each word of a long message.
const WORD: u64 = 0x5eed;

/// The work of one look at a count: load, comparison and branch.
const LOOK: Operations = Operations::NONE.loads(1).integers(2);

/// The work of a task beside its calls: two places of the pool, the task itself twice, the number of tasks that
/// follow, the loops.
const TASK: Operations = Operations::NONE.loads(3).stores(3).integers(8);

/// An odd multiplier without a pattern: the fraction of the golden ratio.
const NEXT: u64 = 0x9e37_79b9_7f4a_7c15;

/// The number of polls, tasks or messages of a stream that are timed together.
const MANY: u32 = 512;

/// The most requests that have no reply yet.
const WINDOW: u32 = 64;

/// The key of the pool.
const POOL: Key = Key::User(0);

/// The number of lone messages that are timed together.
const FEW: u32 = 16;

/// The most repetitions of a figure with a silence, as silences are long.
const SILENCES: u32 = 20;

/// The names of the figures, in the order of their cells.
const NAMES: [&str; 14] = [
    "poll",
    "clock",
    "signal",
    "task",
    "send",
    "send.long",
    "receive",
    "receive.long",
    "found",
    "stream",
    "window",
    "polling",
    "waiting",
    "rested",
];

/// The time of a send, a receive and a wait, one by one.
#[program]
pub struct MessageCosts {
    /// repetitions of each measurement
    #[input(default = 500, range = 1..=1_000_000)]
    rounds: u32,
    /// messages of a burst
    #[input(default = 32, range = 1..=64)]
    burst: u32,
    /// the node that measures
    #[input(default = 0, range = 0..=65_535)]
    from: u32,
    /// the node that is measured with, where there are several
    #[input(default = 1, range = 1..=65_535)]
    partner: u32,
    /// microseconds after which all of a burst has arrived
    #[input(default = 20, range = 1..=1_000_000)]
    settle: u64,
    /// microseconds of silence before a message to a node that rests; 0: no such message
    #[input(default = 0, range = 0..=1_000_000)]
    rest: u64,
    /// The number of `data` messages that this node has handled.
    #[event]
    received: Event,
    #[event]
    finished: Event,
    /// An event that no thread waits for.
    #[event]
    unawaited: Event,
    /// The number of tasks that have been put into the pool.
    #[event]
    put: Event,
    #[keyed(1)]
    pool: Keyed<VecDeque<u64>>,
    #[cells(NAMES.len(), value = f64::NAN)]
    measured: Cells<f64>,
    #[cells(1)]
    wrong: Cells<u64>,
    #[cells(1)]
    checks: Cells<u64>,
}

/// The thread that measures, with its partner.
struct Probe<'a> {
    program: &'a MessageCosts,
    thread: &'a Thread<'a>,
    partner: NodeId,
    /// The count of `received` on this node when all messages that were asked for have come.
    due: std::cell::Cell<u64>,
}

impl Probe<'_> {
    /// Calls `what` in each round, and notes the median of its times, divided by `each`. One call before the rounds
    /// warms up.
    fn measure(&self, name: &str, rounds: u32, each: u32, mut what: impl FnMut() -> Time) {
        what();
        let mut times: Vec<Time> = (0..rounds).map(|_| what()).collect();
        times.sort_unstable();
        let median = times[times.len() / 2].as_nanoseconds() / f64::from(each);
        if let Some(place) = NAMES.iter().position(|known| *known == name) {
            self.program.measured.set(self.thread, place, median);
        }
    }

    fn timed(&self, what: impl FnOnce()) -> Time {
        let start = self.thread.now();
        what();
        self.thread.now() - start
    }

    /// The time of `times` calls of `what`.
    fn repeated(&self, times: u32, mut what: impl FnMut()) -> Time {
        self.timed(|| (0..times).for_each(|_| what()))
    }

    /// Computes for the time `time`, without a poll or a wait.
    fn stay_away(&self, time: Time) {
        let until = self.thread.now() + time;
        while self.thread.now() < until {
            self.thread.charge(LOOK);
        }
    }

    /// Asks the partner for messages. Returns the count of `received` to wait for.
    fn ask(&self, messages: u32, words: u32) -> u64 {
        let due = self.expect(messages);
        self.program.checks.add(self.thread, 0, messages.into());
        self.thread.send(self.partner, MessageCosts::ask(messages, words));
        due
    }

    /// Makes `messages` messages come from the partner to this node. Returns the count of `received` to wait for.
    fn fetch(&self, messages: u32, payload: &[u64]) -> u64 {
        if self.partner != self.thread.node() {
            return self.ask(messages, payload.len() as u32);
        }
        (0..messages).for_each(|_| self.send(payload));
        self.due.get()
    }

    /// Expects `messages` more messages. Returns the count of `received` when they have come.
    fn expect(&self, messages: u32) -> u64 {
        self.due.set(self.due.get() + u64::from(messages));
        self.due.get()
    }

    /// Sends a message that the partner counts. The partner may be this node itself.
    fn send(&self, payload: &[u64]) {
        self.expect(u32::from(self.partner == self.thread.node()));
        self.thread.send_with(self.partner, MessageCosts::data(), payload);
    }

    /// Polls until `due` messages have come.
    fn poll_until(&self, due: u64) {
        while self.program.received.count(self.thread) < due {
            self.thread.charge(LOOK);
            self.thread.spin();
            // A look at the count is as dear as a signal. No other processor writes this count.
            self.thread.signal(&self.program.unawaited, 0);
        }
    }

    /// Waits until the partner has handled all messages that it was sent before.
    fn rejoin(&self) {
        self.thread.wait(&self.program.received, self.ask(1, 0));
    }

    fn measure_own(&self) {
        let (thread, rounds) = (self.thread, self.program.rounds);
        self.measure("poll", rounds, MANY, || self.repeated(MANY, || thread.poll()));
        self.measure("clock", rounds, MANY, || self.repeated(MANY, || _ = black_box(thread.now())));
        let unawaited = &self.program.unawaited;
        self.measure("signal", rounds, MANY, || self.repeated(MANY, || thread.signal(unawaited, 1)));
        let mut taken = 0;
        self.put_tasks(NEXT, 1);
        self.measure("task", rounds, MANY, || {
            self.repeated(MANY, || {
                taken += 1;
                self.do_task(taken);
            })
        });
    }

    /// Does task `number`. Its bits say whether none, one or two tasks follow; one follows if the pool would be empty
    /// otherwise.
    fn do_task(&self, number: u64) {
        let MessageCosts { put, pool, .. } = self.program;
        self.thread.wait(put, number);
        let taken = self.thread.hold(POOL, |cx| cx.with(pool, |tasks, _| tasks.pop_front()));
        let task = taken.expect("as many tasks were put as are taken").wrapping_mul(NEXT).wrapping_add(1);
        self.thread.charge(TASK);
        let left = put.count(self.thread) - number;
        self.put_tasks(task, ((task >> 63) + (task >> 62 & 1)).max(u64::from(left == 0)));
    }

    fn put_tasks(&self, task: u64, count: u64) {
        let MessageCosts { put, pool, .. } = self.program;
        self.thread.hold(POOL, |cx| {
            cx.with(pool, |tasks, cx| {
                tasks.extend((0..count).map(|number| task ^ number));
                cx.signal(put, count);
            });
        });
    }

    fn measure_bursts(&self) {
        let MessageCosts { rounds, burst, settle, .. } = *self.program;
        let settle = Time::from_microseconds(settle);
        let send = |payload| self.send(payload);
        for (words, sends, receives) in [(0, "send", "receive"), (LONG, "send.long", "receive.long")] {
            let payload = &[WORD; LONG][..words];
            self.measure(sends, rounds, burst, || {
                let taken = self.repeated(burst, || send(payload));
                self.rejoin();
                taken
            });
            self.measure(receives, rounds, burst, || {
                let due = self.fetch(burst, payload);
                self.stay_away(settle);
                self.timed(|| self.poll_until(due))
            });
        }
        self.measure("found", rounds, 1, || {
            let due = self.fetch(1, &[]);
            self.stay_away(settle);
            self.timed(|| self.poll_until(due))
        });
        self.measure("stream", rounds, MANY, || {
            self.timed(|| {
                (0..MANY).for_each(|_| send(&[]));
                self.rejoin();
            })
        });
        self.measure("window", rounds, MANY, || self.timed(|| self.keep_window()));
    }

    /// Asks for many messages, one by one. Each request waits until there is room in the window.
    fn keep_window(&self) {
        let before = self.due.get();
        for asked in 1..=u64::from(MANY) {
            self.ask(1, 0);
            self.thread.poll();
            self.thread.wait(&self.program.received, (before + asked).saturating_sub(WINDOW.into()));
        }
        self.thread.wait(&self.program.received, before + u64::from(MANY));
    }

    fn measure_lone(&self) {
        let MessageCosts { rounds, rest, .. } = *self.program;
        let rest = Time::from_microseconds(rest);
        let lone = || self.poll_until(self.ask(1, 0));
        self.measure("polling", rounds, FEW, || self.repeated(FEW, lone));
        self.measure("waiting", rounds, FEW, || self.repeated(FEW, || self.rejoin()));
        if rest > Time::ZERO {
            self.measure("rested", rounds.min(SILENCES), 1, || {
                self.stay_away(rest);
                self.timed(lone)
            });
        }
    }
}

#[handlers]
impl MessageCosts {
    /// Is counted by the receiver.
    #[message]
    fn data(&self, payload: &[u64], cx: &mut Handler<'_>) {
        if payload.last().is_some_and(|word| *word != WORD) {
            self.wrong.add(cx, 0, 1);
        }
        cx.signal(&self.received, 1);
    }

    /// Asks the receiver for `messages` [`data`](Self::data) messages of `words` words.
    #[message]
    fn ask(&self, messages: u32, words: u32, cx: &mut Handler<'_>) {
        let source = cx.source();
        for _ in 0..messages {
            cx.send_with(source, Self::data(), &[WORD; LONG][..words as usize]);
        }
    }

    /// Tells the receiver that no more messages come.
    #[message]
    fn finish(&self, cx: &mut Handler<'_>) {
        cx.signal(&self.finished, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        thread.phase("measure");
        if thread.index() != 0 {
            return;
        }
        let last = thread.nodes() - 1;
        let from = NodeId(self.from.min(last));
        if thread.node() != from {
            return thread.wait(&self.finished, 1);
        }
        let partner = NodeId(self.partner.min(last));
        let probe = Probe { program: self, thread, partner, due: std::cell::Cell::new(0) };
        probe.measure_own();
        probe.measure_bursts();
        probe.measure_lone();
        let others = (0..=last).map(NodeId).filter(|node| *node != from);
        others.for_each(|node| thread.send(node, Self::finish()));
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let wrong = self.wrong.get(end, 0);
        let failures =
            if wrong > 0 { vec![format!("{wrong} messages held a wrong word")] } else { Vec::new() };
        let report = Report { checks: self.checks.get(end, 0), failures, ..Report::default() };
        let figures = NAMES.iter().zip(0..).map(|(name, place)| (*name, self.measured.get(end, place)));
        let known = figures.filter(|(_, value)| value.is_finite());
        known.fold(report, |report, (name, value)| report.measured(name, value, "ns", Merge::Max))
    }
}
