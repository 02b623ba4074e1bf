//! The program of bitonic-sort: a thread sorts its keys, then exchanges and merges blocks step by step.
//!
//! This module must never know which threads are partners in which step.

use std::sync::Arc;

use protocols::split_phase::{LocalPtr, Memory, Plan, SplitPhase};
use tempest::{FinalState, Mechanism, Merge, NodeId, Protocol, Report, Setup, Shape, Thread, handlers};

use super::network::Network;
use super::problem::Options;
use crate::kit::Verdict;
use crate::kit::sorts::{self, Half, Keys, PrivateKeys};

/// Stands where there is no key. It is greater than every key.
const NO_KEY: u32 = u32::MAX;

/// The private arrays of a thread's keys, which are in one and then in the other.
const KEYS: [&str; 2] = ["bitonic.keys", "bitonic.other keys"];

/// The private arrays that stand for the thread's two buffers.
const BUFFERS: [&str; 2] = ["bitonic.buffer", "bitonic.other buffer"];

/// The part of a run that all nodes share.
pub(super) struct Config {
    pub(super) asked: Options,
    pub(super) mechanism: Mechanism,
    pub(super) shape: Shape,
    /// The keys of each thread.
    pub(super) block: u32,
    pub(super) network: Network,
    pub(super) problem: Arc<Keys>,
}

impl Config {
    /// The keys of a thread's block, among drawn or expected ones, padded at the end with `NO_KEY`.
    fn block(&self, keys: &[u32], number: u32) -> Vec<u32> {
        let first = (number as usize * self.block as usize).min(keys.len());
        let mut block = keys[first..keys.len().min(first + self.block as usize)].to_vec();
        block.resize(self.block as usize, NO_KEY);
        block
    }

    /// The bits by which a block is sorted. A padding key has one more bit than keys have, of which the highest is set.
    fn bits(&self) -> u32 {
        let threads = self.shape.nodes * self.shape.threads;
        self.asked.bits + u32::from(!self.asked.keys.is_multiple_of(threads))
    }
}

/// The state of bitonic-sort on one node.
pub(super) struct BitonicSort {
    config: Arc<Config>,
    node: NodeId,
    split: Arc<SplitPhase>,
    /// By thread of the node: two buffers for blocks of partners.
    buffers: LocalPtr<u32>,
    verdict: Verdict,
}

impl Protocol for BitonicSort {
    type Config = Arc<Config>;

    fn install(config: &Arc<Config>, setup: &mut Setup<'_>) -> Self {
        let Shape { nodes, threads } = setup.shape();
        let mut plan = Plan::new(nodes).blocks_by(config.mechanism);
        let buffers = plan.local(threads * 2 * config.block);
        Self {
            config: Arc::clone(config),
            node: setup.node(),
            split: setup.install::<SplitPhase>(&plan),
            buffers,
            verdict: Verdict::new(threads),
        }
    }
}

#[handlers]
impl BitonicSort {
    /// The buffer of a thread of a node in a step.
    fn buffer(&self, index: u32, step: usize) -> LocalPtr<u32> {
        self.buffers + i64::from((2 * index + step as u32 % 2) * self.config.block)
    }

    /// Exchanges blocks with a partner, if there is one, and keeps half of both.
    fn step(
        &self,
        thread: &Thread<'_>,
        memory: Memory<'_>,
        step: usize,
        partner: Option<(u32, Half)>,
        mine: &mut PrivateKeys,
    ) {
        if let Some((partner, _)) = partner {
            let Shape { threads, .. } = self.config.shape;
            let buffer = self.buffer(partner % threads, step);
            memory.bulk_store(buffer.on(NodeId(partner / threads)), mine.keys());
            memory.store_sync(size_of_val(mine.keys()) as u64);
        }
        // The bytes that have come may be another thread's. When all threads have seen as many as theirs, each one's have come.
        memory.barrier();
        let Some((_, half)) = partner else { return };
        let buffer = self.buffer(thread.index(), step);
        let theirs: Vec<u32> =
            (0..i64::from(self.config.block)).map(|key| memory.load(buffer + key)).collect();
        mine.merge(thread, half, (BUFFERS[step % 2], theirs));
    }

    fn main(&self, thread: &Thread<'_>) {
        let (config, memory) = (&self.config, self.split.on(thread));
        let number = thread.node().0 * thread.threads() + thread.index();
        let mut mine = PrivateKeys::new(KEYS, config.block(&config.problem.keys, number));
        thread.phase("sort");
        mine.sort(thread, config.bits());
        for (step, partner) in config.network.partners(number).enumerate() {
            self.step(thread, memory, step, partner, &mut mine);
        }
        thread.phase("check");
        sorts::compare(&self.verdict, thread, mine.keys(), &config.block(&config.problem.expected, number));
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let Config { asked, network, .. } = &*self.config;
        let report = sorts::report(&self.verdict, end);
        if self.node != NodeId(0) {
            return report;
        }
        report.figure("keys", f64::from(asked.keys), Merge::Max).figure(
            "steps",
            network.steps() as f64,
            Merge::Max,
        )
    }
}
