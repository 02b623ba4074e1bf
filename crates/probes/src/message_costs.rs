//! Message costs: what a send, a receive and a wait take, one by one, where nothing else happens.
//!
//! Thread 0 of node `from` measures with a partner: another node, or its own where there is no other; then its messages
//! are handled by whoever handles that node's. Every figure is the median of many repetitions, each long beside a look
//! at the clock: what disturbs a host for a moment disturbs few of them. In a *burst* nothing is received while it is
//! sent, and all of it lies there when it is received; a *lone* message has the way for itself.
//!
//! # Inputs
//!
//! | input | kind | default | meaning |
//! |---|---|---|---|
//! | `rounds` | an integer from 1 to 1000000 | 500 | repetitions of each measurement |
//! | `burst` | an integer from 1 to 64 | 32 | messages of a burst |
//! | `from` | an integer from 0 to 65535 | 0 | the node that measures |
//! | `partner` | an integer from 1 to 65535 | 1 | the node that is measured with, where there are several |
//! | `settle` | an integer from 1 to 1000000 | 20 | microseconds after which all of a burst has arrived |
//! | `rest` | an integer from 0 to 1000000 | 0 | microseconds of silence before a message to a node that rests; 0: no such message |
//!
//! # Figures
//!
//! In nanoseconds: `poll`, one that finds nothing; `clock`, a look at it; `signal`, an event that nobody waits for;
//! `task`, a thread's taking a task out of a pool and putting in what follows from it, which may be nothing: a wait
//! that is over, a hold, some operations, another hold of the same key, and a signal; `send` and `send.long`, a message
//! without and with 12 words in a burst; `receive` and `receive.long`, one of a burst from the poll that finds it to
//! the end of its handler; `found`, the same of one that has come alone, and two halves of a look at the clock;
//! `stream`, from message to message of a long stream whose handlers are run meanwhile; `window`, from request to
//! request of many, of which 64 are without their reply at a time; `polling` and `waiting`, a lone request and its
//! reply, while the thread polls or gives its processor away; `rested`, as `polling` after a silence of `rest`.
//!
//! # Timed regions
//!
//! `measure`.
//!
//! # How it is checked
//!
//! Every message of every kind is counted by its handler and its last word compared; a figure is only there when all have come.

use std::collections::VecDeque;
use std::hint::black_box;

use units::Time;

use tempest::entry::plain::*;

/// Words of a long message.
const LONG: usize = 12;

/// What they hold.
const WORD: u64 = 0x5eed;

/// One look at a count: load, comparison and branch.
const LOOK: Operations = Operations::NONE.loads(1).integers(2);

/// What a task takes beside the calls: two places of the pool, its task twice, how many follow, the loops.
const TASK: Operations = Operations::NONE.loads(3).stores(3).integers(8);

/// Odd, and without a pattern: the fraction of the golden ratio.
const NEXT: u64 = 0x9e37_79b9_7f4a_7c15;

/// Polls, tasks or messages of a stream that are timed together.
const MANY: u32 = 512;

/// Requests without their reply at a time.
const WINDOW: u32 = 64;

/// The pool's key.
const POOL: Key = Key::User(0);

/// Lone messages that are timed together.
const FEW: u32 = 16;

/// At most so many silences: they are long.
const SILENCES: u32 = 20;

/// What is measured, in nanoseconds.
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

/// One node's share.
pub struct MessageCosts {
    rounds: u32,
    from: u32,
    partner: u32,
    burst: u32,
    settle: Time,
    rest: Time,
    /// Messages handled here that count.
    received: Event,
    finished: Event,
    /// Nobody waits for it.
    unawaited: Event,
    /// Tasks that have been put into the pool.
    put: Event,
    pool: Keyed<VecDeque<u64>>,
    measured: Cells<f64>,
    wrong: Cells<u64>,
    checks: Cells<u64>,
}

impl Protocol for MessageCosts {
    type Config = Numbers;

    fn install(numbers: &Numbers, node: &mut Setup<'_>) -> Self {
        let pool = node.keyed(1, |_| VecDeque::new());
        let microseconds = |key: &str| Time::from_microseconds(numbers[key].into());
        Self {
            rounds: numbers["rounds"],
            from: numbers["from"],
            partner: numbers["partner"],
            burst: numbers["burst"],
            settle: microseconds("settle"),
            rest: microseconds("rest"),
            received: Event::new("message-costs.received"),
            finished: Event::new("message-costs.finished"),
            unawaited: Event::new("message-costs.unawaited"),
            put: Event::new("message-costs.put"),
            pool,
            measured: Cells::new(NAMES.len(), f64::NAN),
            wrong: Cells::new(1, 0),
            checks: Cells::new(1, 0),
        }
    }
}

/// The thread that measures.
struct Probe<'a> {
    program: &'a MessageCosts,
    thread: &'a Thread<'a>,
    partner: NodeId,
    /// Messages that will have been counted here when all that were asked for and sent have come.
    due: std::cell::Cell<u64>,
}

impl Probe<'_> {
    /// Notes the median of what `what` says, over all rounds but the first one, which warms up; it says the time of so many.
    fn measure(&self, name: &str, rounds: u32, each: u32, mut what: impl FnMut() -> Time) {
        what();
        let mut times: Vec<Time> = (0..rounds).map(|_| what()).collect();
        times.sort_unstable();
        let median = times[times.len() / 2].as_nanoseconds() / f64::from(each);
        if let Some(place) = NAMES.iter().position(|known| *known == name) {
            self.program.measured.set(place, median);
        }
    }

    fn timed(&self, what: impl FnOnce()) -> Time {
        let start = self.thread.now();
        what();
        self.thread.now() - start
    }

    /// The time of so many of `what`.
    fn repeated(&self, times: u32, mut what: impl FnMut()) -> Time {
        self.timed(|| (0..times).for_each(|_| what()))
    }

    /// Computes so long, and neither polls nor waits.
    fn stay_away(&self, time: Time) {
        let until = self.thread.now() + time;
        while self.thread.now() < until {
            self.thread.charge(LOOK);
        }
    }

    /// Asks for messages; what is to be awaited.
    fn ask(&self, messages: u32, words: u32) -> u64 {
        let due = self.expect(messages);
        self.program.checks.add(0, messages.into());
        self.thread.send(self.partner, MessageCosts::ask(messages, words));
        due
    }

    /// Has so many messages come here, from the partner.
    fn fetch(&self, messages: u32, payload: &[u64]) -> u64 {
        if self.partner != self.thread.node() {
            return self.ask(messages, payload.len() as u32);
        }
        (0..messages).for_each(|_| self.send(payload));
        self.due.get()
    }

    /// So many more will be counted here; how many there are then.
    fn expect(&self, messages: u32) -> u64 {
        self.due.set(self.due.get() + u64::from(messages));
        self.due.get()
    }

    /// Sends a message that the partner counts, which may be this node itself.
    fn send(&self, payload: &[u64]) {
        self.expect(u32::from(self.partner == self.thread.node()));
        self.thread.send_with(self.partner, MessageCosts::data(), payload);
    }

    /// Polls until so many have come.
    fn poll_until(&self, due: u64) {
        while self.program.received.count() < due {
            self.thread.charge(LOOK);
            self.thread.poll();
            // Where nothing is polled, what has come by now would be seen only after the loop. This lets it in, and writes
            // nothing that another processor counts in.
            self.thread.signal(&self.program.unawaited, 0);
        }
    }

    /// The partner has handled all that it was sent before.
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

    /// Does the `number`-th task: none, one or two follow, as its bits say, and one where the pool would be empty.
    fn do_task(&self, number: u64) {
        let MessageCosts { put, pool, .. } = self.program;
        self.thread.wait(put, number);
        let taken = self.thread.hold(POOL, |cx| cx.with(pool, |tasks, _| tasks.pop_front()));
        let task = taken.expect("as many tasks were put as are taken").wrapping_mul(NEXT).wrapping_add(1);
        self.thread.charge(TASK);
        let left = put.count() - number;
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

    /// Asks for many messages, one by one; each waits until there is room in the window.
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
    /// Is counted.
    #[message]
    fn data(&self, payload: &[u64], cx: &mut Handler<'_>) {
        if payload.last().is_some_and(|word| *word != WORD) {
            self.wrong.add(0, 1);
        }
        cx.signal(&self.received, 1);
    }

    /// Asks for so many [`data`](Self::data) of so many words.
    #[message]
    fn ask(&self, messages: u32, words: u32, cx: &mut Handler<'_>) {
        let source = cx.source();
        for _ in 0..messages {
            cx.send_with(source, Self::data(), &[WORD; LONG][..words as usize]);
        }
    }

    /// Tells that nothing more comes.
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

    fn report(&self, _: &mut Quiet<'_>) -> Report {
        let wrong = self.wrong.get(0);
        let failures =
            if wrong > 0 { vec![format!("{wrong} messages held a wrong word")] } else { Vec::new() };
        let report = Report { checks: self.checks.get(0), failures, figures: Vec::new() };
        let figures = NAMES.iter().zip(0..).map(|(name, place)| (*name, self.measured.get(place)));
        let known = figures.filter(|(_, value)| value.is_finite());
        known.fold(report, |report, (name, value)| report.measured(name, value, "ns", Merge::Max))
    }
}

impl Plain for MessageCosts {
    const INPUTS: &'static [Input] = &[
        Input::integer("rounds", 1..=1_000_000, "500", "repetitions of each measurement"),
        Input::integer("burst", 1..=64, "32", "messages of a burst"),
        Input::integer("from", 0..=65_535, "0", "the node that measures"),
        Input::integer("partner", 1..=65_535, "1", "the node that is measured with, where there are several"),
        Input::integer("settle", 1..=1_000_000, "20", "microseconds after which all of a burst has arrived"),
        Input::integer(
            "rest",
            0..=1_000_000,
            "0",
            "microseconds of silence before a message to a node that rests; 0: no such message",
        ),
    ];
}
