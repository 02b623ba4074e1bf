//! wator in the style of Split-C: one fish is read through a global pointer, then its pull on all own fish is computed.
//!
//! A thread's fish are its own; their positions stand in the global address space for the other threads. They are
//! written after all threads have agreed on the length of the step, so when all have read the old ones. A barrier
//! follows before the next read.
//!
//! This module must never know which processor serves a read.

use std::sync::Arc;

use protocols::split_phase::{GlobalPtr, LocalPtr, Memory, Plan, SplitPhase};
use protocols::sync::{Collectives, Reduction};
use tempest::{FinalState, Merge, NodeId, Operations, Protocol, Report, Setup, Thread, handlers};

use super::fish::{Fish, Greatest, Seen};
use super::problem::Problem;
use super::work::{COMPARE, LENGTH, PULL, SWIM};
use crate::kit::{Division, Verdict};

/// The words that others see of a fish: its place and its mass.
const WORDS: u32 = 3;

/// The part of a run that all nodes share.
pub(super) struct Config {
    pub(super) problem: Arc<Problem>,
    pub(super) division: Division,
}

/// The state of wator on one node.
pub(super) struct Wator {
    config: Arc<Config>,
    node: NodeId,
    split: Arc<SplitPhase>,
    collectives: Arc<Collectives>,
    /// Words of the node's fish.
    fish: LocalPtr<f64>,
    /// Room for one fish that each thread reads.
    read: LocalPtr<f64>,
    verdict: Verdict,
}

impl Protocol for Wator {
    type Config = Arc<Config>;

    fn install(config: &Arc<Config>, setup: &mut Setup<'_>) -> Self {
        let shape = setup.shape();
        let mut plan = Plan::new(shape.nodes);
        let fish = plan.local(config.division.most_of_a_node() * WORDS);
        let read = plan.local(shape.threads * WORDS);
        Self {
            config: Arc::clone(config),
            node: setup.node(),
            split: setup.install::<SplitPhase>(&plan),
            collectives: setup.install::<Collectives>(&Collectives::FAN_IN),
            fish,
            read,
            verdict: Verdict::new(shape.threads),
        }
    }
}

#[handlers]
impl Wator {
    /// The words of a fish in the global address space.
    fn place(&self, fish: u32) -> GlobalPtr<f64> {
        let division = self.config.division;
        let node = division.node_of(fish);
        let at = fish - division.of_node(node).start;
        (self.fish + i64::from(at * WORDS)).on(node)
    }

    /// Shows a thread's fish to others.
    fn show(&self, memory: &Memory<'_>, first: u32, own: &[Fish]) {
        for (fish, Fish { seen: Seen { place: [x, y], mass }, .. }) in (first..).zip(own) {
            let at = self.place(fish).local();
            [*x, *y, *mass].into_iter().zip(0..).for_each(|(word, index)| memory.set(at + index, word));
        }
    }

    /// Reads a fish of any thread.
    fn look(&self, thread: &Thread<'_>, memory: &Memory<'_>, fish: u32) -> Seen {
        let here = self.read + i64::from(thread.index() * WORDS);
        memory.bulk_read(self.place(fish), here, WORDS as usize);
        let word = |index| memory.load(here + index);
        Seen { place: [word(0), word(1)], mass: word(2) }
    }

    /// Moves a thread's fish through one step.
    fn step(&self, thread: &Thread<'_>, memory: &Memory<'_>, first: u32, own: &mut [Fish]) {
        let each = own.len() as u32;
        for fish in 0..self.config.division.size() {
            let seen = self.look(thread, memory, fish);
            thread.charge(PULL.times(each));
            own.iter_mut().for_each(|own| own.pulled_by(seen));
        }
        let Greatest { speed, acceleration } = Greatest::of(own);
        thread.charge(COMPARE.times(each));
        let mut greatest = [speed, acceleration];
        self.collectives.all_reduce_each(thread, Reduction::Max, &mut greatest);
        let [speed, acceleration] = greatest;
        let time = Greatest { speed, acceleration }.step();
        thread.charge(LENGTH);
        thread.charge(SWIM.times(each));
        own.iter_mut().for_each(|fish| fish.swim(time));
        self.show(memory, first, own);
        memory.barrier();
        let draw = Operations::NONE.integers(self.config.problem.asked.draw);
        (0..each).for_each(|_| thread.charge(draw));
    }

    fn main(&self, thread: &Thread<'_>) {
        let (memory, Config { problem, division }) = (self.split.on(thread), &*self.config);
        let range = division.of_thread(thread.id());
        let places = range.start as usize..range.end as usize;
        let mut own = problem.fish[places.clone()].to_vec();
        self.show(&memory, range.start, &own);
        memory.barrier();
        thread.phase("swim");
        for _ in 0..problem.asked.steps {
            self.step(thread, &memory, range.start, &mut own);
        }
        memory.barrier();
        thread.phase("check");
        let wrong = own.iter().zip(&problem.expected[places]).filter(|(own, due)| own != due).count();
        self.verdict.note(thread, [(own.len() as u64, wrong as u64)]);
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let report = self.verdict.report(end, "fish", "where a sequential program has them");
        let pairs = f64::from(self.config.division.size()).powi(2);
        match self.node {
            NodeId(0) => {
                report.figure("pulls", pairs * f64::from(self.config.problem.asked.steps), Merge::Max)
            }
            _ => report,
        }
    }
}
