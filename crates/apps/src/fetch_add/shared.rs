//! The program through shared memory: threads add to words where they are, one at a time, each in one step.
//!
//! A word's block comes to whoever adds to it. How many words share a block is an input: words that nobody shares but
//! whose block is wanted by several nodes show *false sharing*.
//!
//! Must never know how blocks are kept coherent, nor how words were chosen.

use std::sync::Arc;
use tempest::entry::{BadPlan, Plan, SharedMemory};

use tempest::{
    Array, Cells, Homes, NodeId, Operations, Protocol, Quiet, Report, Setup, Shared, Thread, handlers,
};

use super::messages::{AMOUNT, COLLECTOR, ISSUE, STEP, residue};
use super::reference::{check_told, check_words, figures, told_hash};
use super::workload::Workload;

/// The addition; load and store of the word are paid by the access.
const ADD: Operations = Operations::NONE.integers(1);

/// What every node is told.
pub(super) struct Config {
    workload: Workload,
    memory: SharedMemory,
    words: Array<u64>,
    /// One word, at the collector: the sum of what all threads were told.
    collected: Array<u64>,
}

impl Config {
    /// Lays the words out.
    ///
    /// # Errors
    /// If there cannot be such an address space.
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

/// One node's share.
pub(super) struct SharedFetchAdd {
    config: Arc<Config>,
    node: NodeId,
    words: Shared<u64>,
    collected: Shared<u64>,
    /// What each word that lives here holds in the end.
    totals: Cells<u64>,
    /// On the collector: what all threads were told.
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
    /// Adds to a thread's words; the sum of the hashes of what they held before.
    fn add(&self, thread: &Thread<'_>, words: &[u32]) -> u64 {
        let steps = self.config.workload.parameters.steps;
        let (mut told, mut last) = (0_u64, 0);
        for &word in words {
            thread.charge(ISSUE.and(ADD).and(STEP.times(steps)));
            let (home, place) = (NodeId(word % thread.nodes()), word / thread.nodes());
            let old = thread.fetch_add(&self.words, self.words.at(home, place as usize), AMOUNT);
            last = residue(last ^ old, steps);
            told = told.wrapping_add(told_hash(word, old));
            thread.poll();
        }
        // The steps must be done, though nobody wants what comes of them.
        std::hint::black_box(last);
        told
    }

    /// Takes down what the words hold that live here, when nothing is added any more.
    fn take_down(&self, thread: &Thread<'_>) {
        for place in (thread.index() as usize..self.totals.len()).step_by(thread.threads() as usize) {
            self.totals.set(place, thread.read(&self.words, self.words.at(self.node, place)));
        }
    }

    fn main(&self, thread: &Thread<'_>) {
        let words: Vec<u32> = self.config.workload.words_of(thread.id()).collect();
        thread.phase("add");
        let told = self.add(thread, &words);
        thread.phase("check");
        self.take_down(thread);
        thread.fetch_add(&self.collected, 0, told);
        thread.phase("collect");
        if self.node == COLLECTOR && thread.index() == 0 {
            self.told.set(0, thread.read(&self.collected, 0));
        }
    }

    fn report(&self, _: &mut Quiet<'_>) -> Report {
        let workload = &self.config.workload;
        let mut report = Report::default();
        if self.node == COLLECTOR {
            report = check_told(workload, self.told.get(0));
        }
        let totals: Vec<u64> = (0..self.totals.len()).map(|place| self.totals.get(place)).collect();
        check_words(workload, self.node, &totals, &mut report);
        figures(workload, self.node, &totals, report)
    }
}
