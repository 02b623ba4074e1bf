//! Waits end when the count is reached, and not before; no thread is forgotten and no signal is lost.

use tempest::{
    Cells, Event, FinalState, Handler, Key, NodeId, Operations, Protocol, Report, Setup, Shape, Thread,
    Waiter, handlers,
};

use crate::Setting;

/// Threads of each computing processor: enough that most must give it away.
const THREADS: u32 = 4;

/// Rounds of each game.
const ROUNDS: u64 = 50;

/// Amount of a signal in the game of leaps.
const LEAP: u64 = 7;

/// Generations of waits that stray resumes are tried for.
const GENERATIONS: u32 = 32;

/// Threads hand a turn round; each waits for its own and never misses it.
pub fn threads_take_turns(setting: &Setting<'_>) {
    setting.verified::<Waiting>("threads_take_turns", Game::Turns, THREADS);
}

/// A handler's signal, also of more than one, resumes every thread whose count it reaches.
pub fn one_signal_resumes_all_it_satisfies(setting: &Setting<'_>) {
    setting.verified::<Waiting>("one_signal_resumes_all_it_satisfies", Game::Leaps, THREADS);
}

/// A resume for a wait that is over, or not yet begun, does nothing; one for a wait that goes on does not end
/// it before its count is reached. No waiter is good twice.
pub fn waits_survive_stray_resumes(setting: &Setting<'_>) {
    setting.verified::<Waiting>("waits_survive_stray_resumes", Game::Strays, THREADS);
}

/// A thread that blocks is resumed by the waiter it left, whether that is used before it blocks or after.
pub fn blocks_end_with_their_waiter(setting: &Setting<'_>) {
    setting.verified::<Waiting>("blocks_end_with_their_waiter", Game::Blocks, THREADS);
}

#[derive(Clone, Copy)]
enum Game {
    Turns,
    Leaps,
    Strays,
    Blocks,
}

struct Waiting {
    game: Game,
    shape: Shape,
    /// Event that threads wait for.
    count: Event,
    /// Threads that have come to a leap, over all leaps.
    gathered: Event,
    /// Threads that have come through all rounds.
    through: Cells<u64>,
    /// Number of times that each thread has been resumed by its own waiter.
    resumed: Cells<u64>,
}

/// Ticks and strays share a key, so that they come in the order they were sent.
const KEY: Key = Key::User(0);

impl Protocol for Waiting {
    type Config = Game;

    fn install(&game: &Game, setup: &mut Setup<'_>) -> Self {
        Self {
            game,
            shape: setup.shape(),
            count: Event::new("conformance.count"),
            gathered: Event::new("conformance.gathered"),
            through: Cells::new(1, 0),
            resumed: Cells::new(setup.shape().threads as usize, 0),
        }
    }
}

impl Waiting {
    /// Every thread blocks in every round; in odd rounds it first works long enough that the resume may come before.
    fn block(&self, thread: &Thread<'_>) {
        let next = NodeId((thread.node().0 + 1) % thread.nodes());
        for round in 1..=ROUNDS {
            let Waiter { thread: index, generation } = thread.waiter();
            thread.send(next, Self::token(index, generation, thread.node().0.into()));
            for _ in 0..round % 2 * 100 {
                thread.charge(Operations::NONE.integers(100));
                thread.poll();
            }
            thread.block("the token");
            assert_eq!(self.resumed.get(thread, index as usize), round, "resumes of {}", thread.id());
        }
    }

    fn take_turns(&self, thread: &Thread<'_>) {
        let threads = u64::from(thread.threads());
        for round in 0..ROUNDS {
            let turn = round * threads + u64::from(thread.index());
            thread.wait(&self.count, turn);
            assert_eq!(self.count.count(thread), turn, "the turn when {} came to its own", thread.id());
            thread.signal(&self.count, 1);
        }
    }

    /// Waits for all threads. Then the first sends a leap that satisfies every thread, each of which waits for a count
    /// of its own that the leap before did not reach.
    fn leap(&self, thread: &Thread<'_>) {
        let short = u64::from(thread.index()) % LEAP;
        for round in 1..=ROUNDS {
            thread.signal(&self.gathered, 1);
            if thread.index() == 0 {
                thread.wait(&self.gathered, round * u64::from(thread.threads()));
                thread.send(thread.node(), Self::tick(LEAP));
            }
            self.wait(thread, round * LEAP - short);
        }
    }

    /// The first thread sends stray resumes of many generations, then the tick that all wait for.
    fn stray(&self, thread: &Thread<'_>) {
        for round in 1..=3 {
            if thread.index() == 0 {
                for generation in 0..u64::from(GENERATIONS) {
                    thread.send(thread.node(), Self::resume_all(generation));
                }
                thread.send(thread.node(), Self::tick(1));
            }
            self.wait(thread, round);
        }
    }

    fn wait(&self, thread: &Thread<'_>, at_least: u64) {
        thread.wait(&self.count, at_least);
        let count = self.count.count(thread);
        assert!(count >= at_least, "{} waited for {at_least} and went on at {count}", thread.id());
    }
}

#[handlers]
impl Waiting {
    /// Adds to the count from a handler.
    #[message(key = KEY)]
    fn tick(&self, amount: u64, cx: &mut Handler<'_>) {
        cx.signal(&self.count, amount);
    }

    /// Resumes every thread of the receiving node, regardless of its wait.
    #[message(name = Stray, key = KEY)]
    fn resume_all(&self, generation: u64, cx: &mut Handler<'_>) {
        for thread in 0..self.shape.threads {
            let waiter = Waiter { thread, generation: generation as u32 };
            let resumed = cx.resume(waiter);
            assert!(!(resumed && cx.resume(waiter)), "{waiter:?} was resumed twice");
        }
    }

    /// Carries a waiter round: to the node it is sent to and back, where it is used.
    #[message]
    fn token(&self, thread: u32, generation: u32, home: u64, cx: &mut Handler<'_>) {
        let home = NodeId(home as u32);
        if cx.node() != home {
            return cx.send(home, Self::token(thread, generation, home.0.into()));
        }
        self.resumed.add(cx, thread as usize, 1);
        assert!(cx.resume(Waiter { thread, generation }), "the waiter is good once");
    }

    fn main(&self, thread: &Thread<'_>) {
        match self.game {
            Game::Turns => self.take_turns(thread),
            Game::Leaps => self.leap(thread),
            Game::Blocks => self.block(thread),
            Game::Strays => self.stray(thread),
        }
        self.through.add(thread, 0, 1);
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let (through, threads) = (self.through.get(end, 0), u64::from(self.shape.threads));
        Report::checked(through == threads, || format!("{through} threads came through: expected {threads}"))
    }
}
