//! Small programs that put a load on a world.

use std::time::{Duration, Instant};

use tempest::entry::Given;
use tempest::world::Launch;
use tempest::{
    Event, FinalState, Handler, Job, Key, NodeId, Policy, Program, Protocol, Report, Setup, handlers,
};
use tempest::{Mechanism, Shape, Thread};
use units::Time;

/// Longer than any of these programs runs without a message.
const STALL_LIMIT: Time = Time::from_microseconds(10_000_000);

/// A limit that a program may exceed in total, but not without progress. It is longer than a busy host keeps a processor from its core.
pub(crate) const SHORT_LIMIT: Duration = Duration::from_millis(1500);

/// Long enough for processors without work to fall asleep.
const NAP: Duration = Duration::from_millis(20);

/// A launch of a program under a policy, with `threads` threads per computing processor.
pub(crate) fn launch<P: Program>(
    policy: &str,
    nodes: u32,
    processors: u32,
    threads: u32,
    config: P::Config,
) -> Launch {
    Launch {
        nodes,
        processors,
        threads,
        stall_limit: Some(STALL_LIMIT),
        ..Launch::new(Job::new::<P>(config), policy.parse().expect("a policy of this host"))
    }
}

/// The program `fetch-add`, with `each` operations per thread; each thread waits for every reply.
pub(crate) fn fetch_add(policy: &str, nodes: u32, processors: u32, threads: u32, each: u32) -> Launch {
    let policy: Policy = policy.parse().expect("a policy of this host");
    let computing = policy.split(processors).expect("a processor is left to compute").computing;
    let shape = Shape { nodes, threads: computing * threads };
    let mut given = Given::default();
    let operations = each * shape.nodes * shape.threads;
    for (key, value) in [("operations", operations), ("window", 1), ("words", 8)] {
        given.values.insert(key.to_owned(), value.to_string());
    }
    let program = tempest::entry::find("fetch-add", apps::ALL).expect("the program is there");
    let instance = (program.load)(&given).expect("the inputs are good");
    let job =
        instance.job(&tempest::entry::Plan::new(Mechanism::Messages, shape)).expect("the shape is possible");
    Launch { nodes, processors, threads, stall_limit: Some(STALL_LIMIT), ..Launch::new(job, policy) }
}

/// The first node fills its outbox, lets the second fall asleep, and is refused just once.
pub(crate) struct Starved {
    back: Event,
}

/// Number of messages, which fill the ring twice.
const PIECES: u64 = 4;

impl Protocol for Starved {
    type Config = ();

    fn install(_: &(), _: &mut Setup<'_>) -> Self {
        Self { back: Event::new("stress.back") }
    }
}

#[handlers]
impl Starved {
    #[message]
    fn piece(&self, last: u64, cx: &mut Handler<'_>) {
        if last == 1 {
            let source = cx.source();
            cx.send(source, Self::back());
        }
    }

    #[message]
    fn back(&self, cx: &mut Handler<'_>) {
        cx.signal(&self.back, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        if thread.id().node.0 > 0 || thread.index() > 0 {
            return;
        }
        thread.hold(Key::NoSync, |cx| {
            (1..=PIECES).for_each(|piece| cx.send(NodeId(1), Self::piece(u64::from(piece == PIECES))));
        });
        std::thread::sleep(NAP);
        // It does not matter whether this finds room.
        let _ = thread.try_send(NodeId(1), Self::piece(0));
        thread.wait(&self.back, 1);
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::default()
    }
}

/// The first thread of each node waits for an event that never comes, the second for all to enter a region; others return.
pub(crate) struct Hopeless {
    hope: Event,
}

impl Protocol for Hopeless {
    type Config = ();

    fn install(_: &(), _: &mut Setup<'_>) -> Self {
        Self { hope: Event::new("stress.hope") }
    }
}

#[handlers]
impl Hopeless {
    #[message(key = 0)]
    fn hope(&self, amount: u64, cx: &mut Handler<'_>) {
        cx.signal(&self.hope, amount);
    }

    fn main(&self, thread: &Thread<'_>) {
        match thread.index() {
            0 => {
                let next = NodeId((thread.node().0 + 1) % thread.nodes());
                thread.send(next, Self::hope(1));
                thread.wait(&self.hope, 1);
                thread.wait(&self.hope, 2);
            }
            1 => thread.phase("stress.together"),
            _ => {}
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::default()
    }
}

/// A handler of the last node panics while some threads sleep, some poll and some try to send.
pub(crate) struct Boom {
    /// Whether polls have an effect here; if not, a thread that only polls would never stop.
    polls: bool,
    never: Event,
}

impl Protocol for Boom {
    type Config = bool;

    fn install(&polls: &bool, _: &mut Setup<'_>) -> Self {
        Self { polls, never: Event::new("stress.never") }
    }
}

#[handlers]
impl Boom {
    #[message(key = 1)]
    fn bang(&self, _cx: &mut Handler<'_>) {
        panic!("a deliberate panic");
    }

    /// A message whose handler does nothing.
    #[message]
    fn idle(&self, _cx: &mut Handler<'_>) {}

    fn main(&self, thread: &Thread<'_>) {
        let (node, last) = (thread.node().0, NodeId(thread.nodes() - 1));
        match (node, thread.index()) {
            (0, 0) => {
                std::thread::sleep(NAP);
                thread.send(last, Self::bang());
            }
            (0, 1) if self.polls => loop {
                thread.poll();
            },
            (1, 0) => loop {
                // Mostly without room.
                let _ = thread.try_send(NodeId(0), Self::idle());
            },
            _ => {}
        }
        thread.wait(&self.never, 1);
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::default()
    }
}

/// More turns than are ever taken.
const END: u64 = 1 << 62;

/// Two threads pass a turn back and forth for a while, without a message.
pub(crate) struct Baton {
    turns: Event,
}

impl Protocol for Baton {
    type Config = ();

    fn install(_: &(), _: &mut Setup<'_>) -> Self {
        Self { turns: Event::new("stress.turns") }
    }
}

#[handlers]
impl Baton {
    fn main(&self, thread: &Thread<'_>) {
        let start = Instant::now();
        for turn in (u64::from(thread.index())..).step_by(2) {
            thread.wait(&self.turns, turn);
            thread.signal(&self.turns, 1);
            // Both end when the first does: a single one would go on without any progress that the world can see.
            if start.elapsed() > 2 * SHORT_LIMIT || self.turns.count(thread) >= END {
                thread.signal(&self.turns, END);
                return;
            }
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::default()
    }
}

/// A thread fills its node's outbox again and again, at the moment the node's server falls asleep.
pub(crate) struct Overflow {
    rounds: u64,
    back: Event,
}

/// Number of messages, more than a ring of two slots holds.
const OVERFLOW: u64 = 12;

impl Protocol for Overflow {
    type Config = u64;

    fn install(&rounds: &u64, _: &mut Setup<'_>) -> Self {
        Self { rounds, back: Event::new("stress.dry") }
    }
}

#[handlers]
impl Overflow {
    #[message]
    fn drop(&self, last: u64, cx: &mut Handler<'_>) {
        if last == 1 {
            let source = cx.source();
            cx.send(source, Self::dry());
        }
    }

    #[message]
    fn dry(&self, cx: &mut Handler<'_>) {
        cx.signal(&self.back, 1);
    }

    fn main(&self, thread: &Thread<'_>) {
        if thread.node().0 > 0 || thread.index() > 0 {
            return;
        }
        for round in 1..=self.rounds {
            thread.hold(Key::NoSync, |cx| {
                (1..=OVERFLOW).for_each(|piece| cx.send(NodeId(1), Self::drop(u64::from(piece == OVERFLOW))));
            });
            // Catches the server just after it has signalled, mostly; then at other moments.
            let start = Instant::now();
            while self.back.count(thread) < round && start.elapsed() < Duration::from_micros(200) {}
            (0..round % 64 * 8).for_each(|_| std::hint::spin_loop());
            thread.wait(&self.back, round);
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        Report::default()
    }
}
