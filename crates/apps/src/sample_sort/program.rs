//! The program of sample-sort: samples and splitters, the way of the keys, and the sort of each bin.
//!
//! This module must never know how a key gets into a bin.

use std::sync::Arc;

use protocols::split_phase::{LocalPtr, Memory, Plan, SplitPhase};
use tempest::{
    FinalState, Mechanism, Merge, NodeId, Operations, Protocol, Report, Setup, Shape, Thread, ThreadId,
    handlers,
};

use super::bulk::Groups;
use super::messages::{Push, Pushes};
use super::problem::{Options, Problem, sample, splitters};
use crate::kit::sorts::work::SEARCH;
use crate::kit::sorts::{compare, report, sort};
use crate::kit::{Division, Verdict};

/// The work of a sample: a random number by a multiplication, an addition and a shift, its place, the load and the store of the key, and
/// the loop.
const SAMPLE: Operations = Operations::NONE.integers(5).loads(1).stores(1);

/// The work of choosing a splitter: an index, a load, a store, and the loop.
const CHOOSE: Operations = Operations::NONE.integers(2).loads(1).stores(1);

/// The part of a run that all nodes share.
pub(super) struct Config {
    pub(super) asked: Options,
    pub(super) mechanism: Mechanism,
    pub(super) problem: Problem,
    pub(super) division: Division,
}

/// The exchange by which keys get into bins.
enum Exchange {
    Pushed(Pushes),
    Grouped(Groups),
}

/// The state of sample-sort on one node.
pub(super) struct SampleSort {
    config: Arc<Config>,
    node: NodeId,
    split: Arc<SplitPhase>,
    /// By thread: its samples. The first node's are used.
    samples: LocalPtr<u32>,
    /// The splitters, in ascending order.
    splitters: LocalPtr<u32>,
    exchange: Exchange,
    verdict: Verdict,
}

impl Protocol for SampleSort {
    type Config = Arc<Config>;

    fn install(config: &Arc<Config>, setup: &mut Setup<'_>) -> Self {
        let Shape { nodes, threads } = setup.shape();
        let mut plan = Plan::new(nodes).blocks_by(config.mechanism);
        let samples = plan.local(nodes * threads * config.asked.oversampling);
        let splitters = plan.local(nodes * threads - 1);
        let largest = config.problem.largest();
        let exchange = match config.mechanism {
            Mechanism::Bulk => Exchange::Grouped(Groups::reserve(&mut plan, largest, config.division)),
            _ => {
                plan.procedure::<Push>();
                Exchange::Pushed(Pushes::reserve(&mut plan, largest, config.asked.push, config.division))
            }
        };
        Self {
            config: Arc::clone(config),
            node: setup.node(),
            split: setup.install::<SplitPhase>(&plan),
            samples,
            splitters,
            exchange,
            verdict: Verdict::new(threads),
        }
    }
}

#[handlers]
impl SampleSort {
    /// The number of a thread among all threads, and the number of threads.
    fn numbers(&self, thread: &Thread<'_>) -> (u32, u32) {
        let Shape { nodes, threads } = self.config.division.shape();
        (self.config.division.number(thread.id()), nodes * threads)
    }

    /// The thread's keys, unsorted.
    fn own(&self, thread: &Thread<'_>) -> &[u32] {
        let own = self.config.division.of_thread(thread.id());
        &self.config.problem.keys.keys[own.start as usize..own.end as usize]
    }

    /// Draws samples of all keys, and returns the splitters: the first thread sorts the samples and tells all nodes.
    fn splitters(&self, thread: &Thread<'_>, memory: Memory<'_>) -> Vec<u32> {
        let (oversampling, (own, all)) = (self.config.asked.oversampling, self.numbers(thread));
        let samples: Vec<u32> =
            sample(self.own(thread), oversampling, self.config.problem.seed, own).collect();
        thread.charge(SAMPLE.times(oversampling));
        let at = self.samples + i64::from(own * oversampling);
        memory.bulk_store(at.on(NodeId(0)), &samples);
        memory.all_store_sync();
        if thread.id() == (ThreadId { node: NodeId(0), index: 0 }) && all > 1 {
            let words = i64::from(all * oversampling);
            let mut samples = (0..words).map(|word| memory.load(self.samples + word)).collect();
            sort(thread, &mut samples, self.config.asked.bits);
            thread.charge(CHOOSE.times(all - 1));
            let splitters: Vec<u32> = splitters(&samples, oversampling).collect();
            for to in (0..thread.nodes()).map(NodeId) {
                memory.bulk_store(self.splitters.on(to), &splitters);
            }
        }
        memory.all_store_sync();
        (0..i64::from(all) - 1).map(|word| memory.load(self.splitters + word)).collect()
    }

    fn main(&self, thread: &Thread<'_>) {
        let (memory, own) = (self.split.on(thread), self.own(thread));
        thread.phase("sort");
        let splitters = self.splitters(thread, memory);
        // As many steps as bits in the number of bins.
        let search = SEARCH.times(self.numbers(thread).1.next_power_of_two().trailing_zeros());
        let mut bin = match &self.exchange {
            Exchange::Pushed(pushes) => pushes.exchange(thread, memory, &splitters, own, search),
            Exchange::Grouped(groups) => groups.exchange(thread, memory, &splitters, own, search),
        };
        sort(thread, &mut bin, self.config.asked.bits);
        thread.phase("check");
        let due = self.config.problem.bin(self.numbers(thread).0);
        compare(&self.verdict, thread, &bin, &self.config.problem.keys.expected[due]);
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let Config { asked, problem, .. } = &*self.config;
        let report = report(&self.verdict, end);
        if self.node != NodeId(0) {
            return report;
        }
        report.figure("keys", f64::from(asked.keys), Merge::Max).figure(
            "largest_bin",
            f64::from(problem.largest()),
            Merge::Max,
        )
    }
}
