//! radix through shared memory: both arrays of keys are in the address space, the positions of a thread at home with it, and a
//! thread writes each key to its position. Counts are summed over threads through shared memory too.
//!
//! A thread asks for keys before it reads them. As it begins a block of a digit it asks for the next block of that
//! digit.
//!
//! This module must never know how blocks are kept coherent.

use std::ops::Range;
use std::sync::Arc;

use protocols::sync::{CollectiveRoom, Reduction, SharedBarrier, SharedCollectives};
use tempest::entry::{BadPlan, Plan, SharedMemory};
use tempest::{
    Array, FinalState, Homes, NodeId, Protocol, Report, Right, Setup, Shape, Shared, Thread, ThreadId,
    handlers,
};

use super::problem::Options;
use super::sorting::{Run, positions};
use crate::kit::Division;
use crate::kit::sorts::work::{MOVE, SUM};
use crate::kit::sorts::{Digit, Keys};

/// The keys that a thread asks for before it reads them, and at most as many more.
const AHEAD: usize = 512;

/// The keys of a block.
fn block_keys(keys: &Shared<u32>) -> usize {
    keys.memory().layout().block_bytes() as usize / size_of::<u32>()
}

/// The part of a run that all nodes share.
pub(super) struct Config {
    asked: Options,
    problem: Arc<Keys>,
    division: Division,
    memory: SharedMemory,
    keys: [Array<u32>; 2],
    collectives: CollectiveRoom,
}

impl Config {
    /// Lays both arrays out in an address space.
    ///
    /// # Errors
    /// [`BadPlan`] if there is no such address space, or no protocol for it.
    pub(super) fn new(
        plan: &Plan,
        asked: Options,
        problem: Arc<Keys>,
        division: Division,
    ) -> Result<Self, BadPlan> {
        let mut space = plan.layout()?;
        let [from, to] = ["radix.keys", "radix.others"]
            .map(|name| space.array(name, asked.keys as usize, Homes::RoundRobin));
        let keys = [from?, to?];
        for (array, node) in
            keys.into_iter().flat_map(|array| (0..plan.shape.nodes).map(move |node| (array, NodeId(node))))
        {
            let own = division.of_node(node);
            space.place(array, own.start as usize..own.end as usize, node)?;
        }
        for array in keys {
            space.place_all(array, asked.homes)?;
        }
        let collectives = SharedCollectives::room(&mut space, asked.radix as usize)?;
        let memory = plan.shared_memory(space, asked.frames)?;
        Ok(Self { asked, problem, division, memory, keys, collectives })
    }
}

/// The state of radix through shared memory on one node.
pub(super) struct SharedRadix {
    run: Run,
    keys: [Shared<u32>; 2],
    collectives: SharedCollectives,
}

impl Protocol for SharedRadix {
    type Config = Arc<Config>;

    fn install(config: &Arc<Config>, setup: &mut Setup<'_>) -> Self {
        let Config { asked, problem, division, .. } = &**config;
        let memory = config.memory.install(setup);
        Self {
            run: Run::new(*asked, problem, *division, setup.node()),
            keys: config.keys.map(|array| memory.bind(array)),
            collectives: SharedCollectives::new(setup, &memory, config.collectives, SharedBarrier::FAN_IN),
        }
    }
}

#[handlers]
impl SharedRadix {
    /// Writes the thread's keys, before the first pass.
    fn begin(&self, thread: &Thread<'_>) {
        let own = self.run.own(thread);
        thread.write_slice(&self.keys[0], own.start, &self.run.problem.keys[own]);
    }

    /// Sorts by a digit, from one array into the other.
    fn pass(&self, thread: &Thread<'_>, digit: Digit, from: &Shared<u32>, to: &Shared<u32>) {
        let read = |first, keys: &mut [u32]| self.read(thread, from, first, keys);
        let counts = self.run.count(thread, digit, read);
        let mut places = self.places(thread, &counts);
        let block = block_keys(to);
        self.run.each_chunk(thread, read, |keys| {
            for &key in keys {
                thread.charge(MOVE);
                let Range { start: position, end } = &mut places[digit.of(key)];
                let next = *position + block;
                if position.is_multiple_of(block) && next < *end {
                    thread.prefetch(to, next..next + 1, Right::Write);
                }
                thread.write(to, *position, key);
                *position += 1;
                thread.poll();
            }
        });
        self.collectives.barrier(thread);
    }

    /// Reads keys of the thread from a position on, and asks for those behind them.
    fn read(&self, thread: &Thread<'_>, keys: &Shared<u32>, first: usize, into: &mut [u32]) {
        if first.is_multiple_of(AHEAD) {
            let end = self.run.own(thread).end;
            thread.prefetch(keys, first.min(end)..(first + 2 * AHEAD).min(end), Right::Read);
        }
        thread.read_slice(keys, first, into);
    }

    /// The positions of the thread's keys of each digit, from the counts of all.
    fn places(&self, thread: &Thread<'_>, counts: &[u64]) -> Vec<Range<usize>> {
        let mut before = counts.to_vec();
        self.collectives.inclusive_each(thread, Reduction::Sum, &mut before);
        let Shape { nodes, threads } = self.run.division.shape();
        let last = ThreadId { node: NodeId(nodes - 1), index: threads - 1 };
        let mut totals = before.clone();
        self.collectives.broadcast(thread, last, &mut totals);
        thread.charge(SUM.times(counts.len() as u32));
        before.iter_mut().zip(counts).for_each(|(before, own)| *before -= own);
        let ends = |(first, &count): (usize, &u64)| first..first + count as usize;
        positions(thread, &totals, &before).into_iter().zip(counts).map(ends).collect()
    }

    fn main(&self, thread: &Thread<'_>) {
        self.begin(thread);
        self.collectives.barrier(thread);
        thread.phase("sort");
        let [mut from, mut to] = self.keys.each_ref();
        for digit in self.run.asked.digits() {
            self.pass(thread, digit, from, to);
            (from, to) = (to, from);
        }
        thread.phase("check");
        self.run.compare(thread, |first, keys| thread.read_slice(from, first, keys));
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        self.run.report(end)
    }
}
