//! A thread that waits for a word of shared memory notices tells of threads of its own node, and of other nodes.
//!
//! A turn goes round all threads of all nodes: each waits for its own word, and then tells the next thread's. All words lie side by
//! side, so that threads of many nodes wait for words of one block, and threads of one node hand the turn on among themselves.

use protocols::stache::{self, Stache};
use tempest::{
    Array, Cells, FinalState, Homes, Layout, Protocol, Report, Setup, Shape, Shared, Thread, handlers,
};

use crate::Setting;

/// Threads of each computing processor.
const THREADS: u32 = 2;

/// Number of times that the turn goes round.
const ROUNDS: u64 = 20;

/// No thread that waits for a word misses a tell.
pub fn shared_memory_tells_who_waits(setting: &Setting<'_>) {
    for block in [16, 128] {
        let mut layout = Layout::new(setting.nodes, block).expect("a length of blocks");
        let threads = setting.nodes * setting.threads_per_node(THREADS);
        let words = layout.array("turns", threads as usize, Homes::RoundRobin).expect("they have room");
        let plan = Plan { stache: stache::Config::new(layout), words };
        setting.verified::<Turns>("shared_memory_tells_who_waits", plan, THREADS);
    }
}

struct Plan {
    stache: stache::Config,
    /// By thread, across the nodes: the number of times that it has been told.
    words: Array<u64>,
}

struct Turns {
    shape: Shape,
    words: Shared<u64>,
    /// By thread: the turns that it has had.
    had: Cells<u64>,
}

impl Protocol for Turns {
    type Config = Plan;

    fn install(plan: &Plan, setup: &mut Setup<'_>) -> Self {
        let words = setup.install::<Stache>(&plan.stache).bind(plan.words);
        Self { shape: setup.shape(), words, had: Cells::new(setup.shape().threads as usize, 0) }
    }
}

#[handlers]
impl Turns {
    fn main(&self, thread: &Thread<'_>) {
        let all = self.shape.nodes * self.shape.threads;
        let mine = thread.node().0 * self.shape.threads + thread.index();
        for round in 1..=ROUNDS {
            // The first thread begins each round itself.
            let due = if mine == 0 { round - 1 } else { round };
            let told = thread.wait_for(&self.words, mine as usize, |told| told >= due);
            assert_eq!(told, due, "the turn of {}", thread.id());
            let next = (mine + 1) % all;
            thread.tell(&self.words, next as usize, round);
            self.had.add(thread, thread.index() as usize, 1);
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let had: Vec<_> = (0..self.had.len()).map(|thread| self.had.get(end, thread)).collect();
        Report::checked(had.iter().all(|&turns| turns == ROUNDS), || {
            format!("turns {had:?}: expected {ROUNDS}")
        })
    }
}
