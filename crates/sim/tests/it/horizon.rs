//! A thread sees its node as of its own clock: times and counts include all earlier events, and a loop that polls sees
//! new ones.

use std::sync::atomic::{AtomicU64, Ordering};

use machine::Machine;
use tempest::outcome::Outcome;
use tempest::world::{Launch, World};
use tempest::{
    Cells, Event, FinalState, Handler, Job, NodeId, Operations, Protocol, Report, Segment, Setup, Thread,
    handlers,
};
use tradewind_sim::Model;
use units::Time;

use crate::{endless, promises, setup};

/// Behaviour of node 1 while node 0 sends.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Game {
    /// Computes for this number of nanoseconds, and reads the clock and the count.
    Compute(u32),
    /// It computes as long in as many parts as the second number says, with a poll after each.
    Polled(u32, u32),
    /// It computes 80 ns at a time, polls and tests the count.
    Count,
    /// It computes 80 ns at a time, polls and tests a cell.
    Cell,
    /// It computes 80 ns at a time, polls and tests a word of its own that a handler stores to.
    Word,
    /// Computes for this number of nanoseconds, and then closes the door that handlers look at.
    Close(u32),
}

#[derive(Clone, Copy)]
struct Play {
    game: Game,
    messages: u64,
    /// The nanoseconds on the clock of node 1, and the handlers that were done by then; `None` if any will do.
    read: Option<(u64, u64)>,
}

struct Beside {
    asked: Play,
    node: NodeId,
    got: Event,
    word: AtomicU64,
    /// The handlers that have been done, in a cell and in a word of a segment.
    done: Cells<u64>,
    there: Segment<u64>,
    /// Whether the door is closed, and the handlers that found it open.
    door: Cells<u8>,
    open: Cells<u64>,
    /// The nanoseconds that node 1 read, and the handlers by the cell, the word and the event.
    read: Cells<u64>,
}

impl Protocol for Beside {
    type Config = Play;

    fn install(&asked: &Play, setup: &mut Setup<'_>) -> Self {
        Self {
            asked,
            node: setup.node(),
            got: Event::new("got"),
            word: AtomicU64::new(0),
            done: Cells::new(1, 0),
            there: setup.segment("there", 1, 0),
            door: Cells::new(1, 0),
            open: Cells::new(1, 0),
            read: Cells::new(4, 0),
        }
    }
}

#[handlers]
impl Beside {
    #[message]
    fn one(&self, cx: &mut Handler<'_>) {
        self.open.add(cx, 0, u64::from(self.door.get(cx, 0) == 0));
        self.done.add(cx, 0, 1);
        self.there.cells().add(cx, 0, 1);
        cx.signal(&self.got, 1);
        self.word.fetch_add(1, Ordering::Relaxed);
    }

    fn compute(&self, thread: &Thread<'_>) {
        let Play { game, messages, .. } = self.asked;
        let turn = |nanoseconds| {
            thread.charge(Operations::NONE.integers(nanoseconds));
            thread.poll();
        };
        match game {
            Game::Compute(nanoseconds) | Game::Close(nanoseconds) => {
                thread.charge(Operations::NONE.integers(nanoseconds))
            }
            Game::Polled(nanoseconds, parts) => (0..parts).for_each(|_| turn(nanoseconds / parts)),
            Game::Count => {
                while self.got.count(thread) < messages {
                    turn(80);
                }
            }
            Game::Cell => {
                while self.done.get(thread, 0) < messages {
                    turn(80);
                }
            }
            Game::Word => {
                while self.word.load(Ordering::Relaxed) < messages {
                    turn(80);
                }
            }
        }
    }

    fn main(&self, thread: &Thread<'_>) {
        match (thread.node().0, thread.index()) {
            (0, 0) => (0..self.asked.messages).for_each(|_| thread.send(NodeId(1), Self::one())),
            (1, 0) => {
                self.compute(thread);
                if matches!(self.asked.game, Game::Close(_)) {
                    self.door.set(thread, 0, 1);
                    // The next write has the same time.
                    self.read.set(thread, 1, self.open.get(thread, 0));
                } else {
                    self.read.set(thread, 1, self.done.get(thread, 0));
                }
                let (there, now) = (self.there.cells().get(thread, 0), thread.now());
                self.read.write(thread, 2, &[there, self.got.count(thread)]);
                self.read.set(thread, 0, now.as_nanoseconds() as u64);
            }
            _ => {}
        }
        // Threads that wait look for messages, so that each run ends.
        if thread.node() == NodeId(1) {
            thread.wait(&self.got, self.asked.messages);
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let Some((now, done)) = self.asked.read.filter(|_| self.node == NodeId(1)) else {
            return Report::checked(true, String::new);
        };
        let (mut read, open) = ([0; 4], self.open.get(end, 0));
        self.read.read(end, 0, &mut read);
        let shut = if matches!(self.asked.game, Game::Close(_)) { done } else { self.asked.messages };
        Report::checked(read == [now, done, done, done] && open == shut, || {
            format!(
                "read {read:?}, and {open} handlers found the door open: expected {now} ns, {done}, {shut}"
            )
        })
    }
}

/// The run of a game in order of lookahead, which must be that in global order.
fn play(machine: &Machine, policy: &str, processors: u32, asked: Play) -> Outcome {
    let launch = Launch {
        nodes: 2,
        processors,
        ..Launch::new(Job::new::<Beside>(asked), policy.parse().expect("a policy of the table"))
    };
    let failed = |why| panic!("{policy} on {}, {:?}: {why}", machine.name, asked.game);
    let model = Model::new(machine.clone());
    let outcome = model.run(&launch).unwrap_or_else(failed);
    // In global order nodes take more turns. Nothing else is different.
    let in_order = model.in_global_order().run(&launch).unwrap_or_else(failed);
    assert_eq!(
        outcome,
        Outcome { events: outcome.events, ..in_order },
        "{policy} on {}, {:?}",
        machine.name,
        asked.game
    );
    assert!(outcome.report.verified(), "{policy}, {:?}: {:?}", asked.game, outcome.report);
    outcome
}

#[test]
fn the_clock_counts_the_interrupts_of_a_charge() {
    let machine = setup::horizon();
    // Each of the messages interrupts for 430 + 40 + 60 ns.
    for (messages, read) in [(0, 150_000), (1, 150_530), (12, 156_360), (60, 181_800)] {
        let read = Some((read, messages));
        for game in [Game::Compute(150_000), Game::Polled(150_000, 1000), Game::Close(150_000)] {
            play(&machine, "single+interrupt", 1, Play { game, messages, read });
        }
    }
}

#[test]
fn counts_and_cells_are_those_of_the_handlers_up_to_the_clock() {
    let machine = setup::horizon();
    // A message is there 910 + 8 + 1000 ns after it is sent, and each takes 910 ns to send.
    for policy in ["fixed:1", "hurricane-1:1"] {
        let processors = if policy == "fixed:1" { 2 } else { 1 };
        for (nanoseconds, count) in [(1_000, 0), (5_000, 4), (150_000, 12)] {
            let read = Some((nanoseconds.into(), count));
            for game in [Game::Compute(nanoseconds), Game::Close(nanoseconds)] {
                play(&machine, policy, processors, Play { game, messages: 12, read });
            }
        }
    }
}

#[test]
fn a_loop_that_computes_polls_and_looks_ends_under_every_policy() {
    let of_horizon = ["single", "single+interrupt", "fixed:1", "floating", "hurricane-1:1"];
    let of_horizon = of_horizon.map(|policy| (setup::horizon(), policy));
    for (machine, policy) in promises::cases().chain(endless::cases()).chain(of_horizon) {
        for game in [Game::Count, Game::Cell, Game::Word] {
            for messages in [1, 20] {
                play(&machine, policy, 4, Play { game, messages, read: None });
            }
        }
    }
}

#[test]
fn a_loop_ends_when_the_message_has_come() {
    let ends = |policy, processors| {
        let asked = Play { game: Game::Count, messages: 1, read: None };
        play(&setup::horizon(), policy, processors, asked).time
    };
    let ns = Time::from_nanoseconds;
    // The message is there at 900 + 8 + 1000 ns. The look after 24 turns of 80 + 1 ns takes it out, for 40 + 60 ns.
    assert_eq!(ends("single", 1), ns(24 * 81 + 100));
    // It interrupts the 24th turn of 80 ns for 430 + 40 + 60 ns.
    assert_eq!(ends("single+interrupt", 1), ns(24 * 80 + 530));
    // Another processor has handled it at 2008 ns; the 26th turn is the first to end later.
    assert_eq!(ends("fixed:1", 2), ns(26 * 80));
    assert_eq!(ends("hurricane-1:1", 1), ns(26 * 80));
}
