//! Poll granularity: nodes take turns at computing, while all other nodes wait for a word of the node whose turn it
//! is.
//!
//! The measurement follows A. Krishnamurthy et al., *Evaluation of Architectural Support for Global Address-Based
//! Communication in Large-Scale Parallel Machines*, ASPLOS 1996, figures 7 and 8. One iteration has a turn for each
//! node. In its own turn a node computes. In another node's turn it reads a word of that node, and then computes
//! `others` operations. Every node polls after each `granularity` operations, or never. There is no barrier between
//! turns.
//!
//! So a read waits for the next poll of the computing node, unless something other than the computing processor serves
//! it. In that case all turns of an iteration overlap; with one poll a turn, only one node computes at a time. The
//! study does not say how long a turn is, nor the work of the other nodes; our reading is that they compute nothing.
//! (If they computed as much as a turn, all nodes would soon poll at the same moments, and none would wait.)
//!
//! # Figures
//!
//! `iteration` is the time of an iteration; `turn_work` is the time of the work of one turn without polls. Both are
//! in microseconds.
//!
//! # Timed regions
//!
//! `iterate` has the timed iterations. The first iteration and the measurement of `turn_work` come before it.
//!
//! # How it is checked
//!
//! Every word that is read is compared with the value that its node wrote.

use std::hint::black_box;
use std::sync::Arc;

use protocols::split_phase::{LocalPtr, Plan, SplitPhase};
use tempest::*;
use units::Time;

/// Nodes compute in turns while the others wait for a word: the delay until a node serves them.
#[program(install, nodes = 2)]
pub struct PollGranularity {
    /// integer operations of a turn's work
    #[input(default = 100000, range = 1..=100_000_000)]
    turn: u32,
    /// of them, how many come before each poll; at most a turn
    #[input(default = 1000, range = 1..=100_000_000)]
    granularity: u32,
    /// integer operations of a node in another's turn, after it has read
    #[input(default = 0, range = 0..=100_000_000)]
    others: u32,
    /// whether to poll at all
    #[input(default = 1, range = 0..=1)]
    polls: u32,
    /// timed iterations; one comes before them
    #[input(default = 10, range = 1..=1_000_000)]
    iterations: u32,
    node: NodeId,
    split: Arc<SplitPhase>,
    /// The word that other nodes read.
    item: LocalPtr<u64>,
    iteration: Cells<f64>,
    turn_work: Cells<f64>,
    read: Cells<u64>,
    wrong: Cells<u64>,
}

/// The value of the word that other nodes read.
fn item(node: NodeId) -> u64 {
    !u64::from(node.0)
}

/// Computes `operations` dependent integer operations: multiplications and additions.
fn compute(thread: &Thread<'_>, operations: u32) {
    thread.charge(Operations::NONE.integers(operations));
    let step = |x: u64| black_box(x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
    black_box((0..operations / 2).fold(1, |x, _| step(x)));
}

#[handlers]
impl PollGranularity {
    fn install(inputs: &PollGranularityInputs, setup: &mut Setup<'_>) -> Self {
        let PollGranularityInputs { turn, granularity, others, polls, iterations } = *inputs;
        let mut plan = Plan::new(setup.shape().nodes);
        let item = plan.local(1);
        Self {
            turn,
            granularity,
            others,
            polls,
            iterations,
            node: setup.node(),
            split: setup.install::<SplitPhase>(&plan),
            item,
            iteration: Cells::new(1, 0.0),
            turn_work: Cells::new(1, 0.0),
            read: Cells::new(1, 0),
            wrong: Cells::new(1, 0),
        }
    }

    /// Computes `operations` operations in pieces, and calls `after` after each piece.
    fn work(&self, thread: &Thread<'_>, operations: u32, after: impl Fn()) {
        let mut left = operations;
        while left > 0 {
            let piece = self.granularity.min(left);
            compute(thread, piece);
            after();
            left -= piece;
        }
    }

    fn iterate(&self, thread: &Thread<'_>) {
        let memory = self.split.on(thread);
        for owner in (0..thread.nodes()).map(NodeId) {
            let mine = owner == self.node;
            if !mine {
                let found = memory.read(self.item.on(owner));
                self.read.add(thread, 0, 1);
                self.wrong.add(thread, 0, u64::from(found != item(owner)));
            }
            self.work(thread, if mine { self.turn } else { self.others }, || {
                if self.polls == 1 {
                    thread.poll();
                }
            });
        }
    }

    fn main(&self, thread: &Thread<'_>) {
        let memory = self.split.on(thread);
        let first = thread.index() == 0;
        if first {
            memory.set(self.item, item(self.node));
        }
        if first {
            let start = thread.now();
            self.work(thread, self.turn, || ());
            self.turn_work.set(thread, 0, (thread.now() - start).as_microseconds());
        }
        memory.barrier();
        if first {
            self.iterate(thread);
        }
        memory.barrier();
        thread.phase("iterate");
        let start = thread.now();
        if first {
            (0..self.iterations).for_each(|_| self.iterate(thread));
            let took: Time = thread.now() - start;
            self.iteration.set(thread, 0, took.as_microseconds() / f64::from(self.iterations));
        }
        // A node that is done goes on serving other nodes.
        memory.barrier();
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let wrong = self.wrong.get(end, 0);
        let failures =
            if wrong > 0 { vec![format!("{wrong} wrong words read by {}", self.node)] } else { Vec::new() };
        let report = Report { checks: self.read.get(end, 0), failures, ..Report::default() };
        report.measured("iteration", self.iteration.get(end, 0), "us", Merge::Max).measured(
            "turn_work",
            self.turn_work.get(end, 0),
            "us",
            Merge::Max,
        )
    }
}
