//! Fetch&add through shared memory: a thread adds to a word in one atomic access.
//!
//! The word's block moves to the node that adds. The input `spacing` says how many words share a block; words that
//! are wanted by different nodes and share a block show *false sharing*.
//!
//! This module must never know how blocks are kept coherent, nor how words were chosen.

use std::sync::Arc;

use tempest::entry::{BadPlan, Plan, SharedMemory};
use tempest::{
    Array, Cells, FinalState, Homes, NodeId, Operations, Private, Protocol, Report, Setup, Shared, Thread,
    handlers,
};

use super::messages::{AMOUNT, COLLECTOR, ISSUE, LIST, STEP, residue};
use super::reference::{check_told, check_words, figures};
use super::workload::{Workload, told_hash};

/// The work of the addition. The load and the store of the word are part of the shared access, which a model prices
/// itself.
const ADD: Operations = Operations::NONE.integers(1);

/// The part of a run that all nodes share: the workload and the address space.
pub(super) struct Config {
    workload: Workload,
    memory: SharedMemory,
    words: Array<u64>,
    /// A single word, at home on the collector: the sum of all threads' hashes.
    collected: Array<u64>,
}

impl Config {
    /// Lays the words out in an address space.
    ///
    /// # Errors
    /// [`BadPlan`] if there is no such address space, or no protocol for it.
    pub(super) fn new(plan: &Plan, workload: Workload) -> Result<Self, BadPlan> {
        let mut space = plan.layout()?;
        let each = workload.counts_on(NodeId(0)).count();
        let stride = workload.parameters.spacing / 8;
        let words = space.records("words", each, stride, Homes::Parts)?;
        let collected = space.array("collected", 1, Homes::At(COLLECTOR))?;
        let memory = plan.shared_memory(space, workload.parameters.frames)?;
        Ok(Self { workload, memory, words, collected })
    }
}

/// The state of fetch-add through shared memory on one node.
pub(super) struct SharedFetchAdd {
    config: Arc<Config>,
    node: NodeId,
    words: Shared<u64>,
    collected: Shared<u64>,
    /// The final value of each word whose home is this node.
    totals: Cells<u64>,
    /// The sum of all threads' hashes; used on the collector only.
    told: Cells<u64>,
}

impl Protocol for SharedFetchAdd {
    type Config = Arc<Config>;

    fn install(config: &Arc<Config>, setup: &mut Setup<'_>) -> Self {
        let memory = config.memory.install(setup);
        Self {
            config: Arc::clone(config),
            node: setup.node(),
            words: memory.bind(config.words),
            collected: memory.bind(config.collected),
            totals: Cells::new(config.workload.counts_on(setup.node()).count(), 0),
            told: Cells::new(1, 0),
        }
    }
}

#[handlers]
impl SharedFetchAdd {
    /// Adds to all words of a thread, and returns the sum of the hashes of the old values.
    fn add(&self, thread: &Thread<'_>, words: &Private<u32>) -> u64 {
        let steps = self.config.workload.parameters.steps;
        let (mut told, mut last) = (0_u64, 0);
        for index in 0..words.len() {
            let word = words.get(thread, index);
            thread.charge(ISSUE.and(ADD).and(STEP.times(steps)));
            let (home, place) = (NodeId(word % thread.nodes()), word / thread.nodes());
            let old = thread.fetch_add(&self.words, self.words.at(home, place as usize), AMOUNT);
            last = residue(last ^ old, steps);
            told = told.wrapping_add(told_hash(word, old));
            thread.poll();
        }
        // The compiler must not drop the steps, though nothing uses their result.
        std::hint::black_box(last);
        told
    }

    /// Copies the final values of the words whose home is this node out of shared memory, for the check.
    fn take_down(&self, thread: &Thread<'_>) {
        for place in (thread.index() as usize..self.totals.len()).step_by(thread.threads() as usize) {
            self.totals.set(thread, place, thread.read(&self.words, self.words.at(self.node, place)));
        }
    }

    fn main(&self, thread: &Thread<'_>) {
        let words = thread.private_of(LIST, self.config.workload.words_of(thread.id()).collect());
        thread.phase("add");
        let told = self.add(thread, &words);
        thread.phase("check");
        self.take_down(thread);
        thread.fetch_add(&self.collected, 0, told);
        thread.phase("collect");
        if self.node == COLLECTOR && thread.index() == 0 {
            self.told.set(thread, 0, thread.read(&self.collected, 0));
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let workload = &self.config.workload;
        let mut report = Report::default();
        if self.node == COLLECTOR {
            report = check_told(workload, self.told.get(end, 0));
        }
        let totals: Vec<u64> = (0..self.totals.len()).map(|place| self.totals.get(end, place)).collect();
        check_words(workload, self.node, &totals, &mut report);
        figures(workload, self.node, &totals, report)
    }
}
