//! radix through shared memory: both arrays of keys are in the address space, the positions of a thread at home with it, and a
//! thread writes each key to its position. Counts are summed over threads through shared memory too.
//!
//! Must never know how blocks are kept coherent.

use std::sync::Arc;

use protocols::sync::{CollectiveRoom, Reduction, SharedBarrier, SharedCollectives};
use tempest::entry::{BadPlan, Plan, SharedMemory};
use tempest::{
    Array, Homes, NodeId, Protocol, Quiet, Report, Setup, Shape, Shared, Thread, ThreadId, handlers,
};

use super::problem::{Asked, Digit, Problem};
use super::sorting::{Run, positions};
use super::work::{MOVE, SUM};
use crate::kit::Division;

/// The part of a run that all nodes share.
pub(super) struct Config {
    asked: Asked,
    problem: Arc<Problem>,
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
        asked: Asked,
        problem: Arc<Problem>,
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
    /// Writes the thread's keys, before anything is sorted.
    fn begin(&self, thread: &Thread<'_>) {
        let own = self.run.own(thread);
        thread.write_slice(&self.keys[0], own.start, &self.run.problem.keys[own]);
    }

    /// Sorts by a digit, from one array into the other.
    fn pass(&self, thread: &Thread<'_>, digit: Digit, from: &Shared<u32>, to: &Shared<u32>) {
        let read = |first, keys: &mut [u32]| thread.read_slice(from, first, keys);
        let counts = self.run.count(thread, digit, read);
        let mut positions = self.positions(thread, &counts);
        self.run.each_chunk(thread, read, |keys| {
            for &key in keys {
                thread.charge(MOVE);
                let position = &mut positions[digit.of(key)];
                thread.write(to, *position, key);
                *position += 1;
                thread.poll();
            }
        });
        self.collectives.barrier(thread);
    }

    /// The positions of the thread's first keys, from the counts of all.
    fn positions(&self, thread: &Thread<'_>, counts: &[u64]) -> Vec<usize> {
        let mut before = counts.to_vec();
        self.collectives.inclusive_each(thread, Reduction::Sum, &mut before);
        let Shape { nodes, threads } = self.run.division.shape();
        let last = ThreadId { node: NodeId(nodes - 1), index: threads - 1 };
        let mut totals = before.clone();
        self.collectives.broadcast(thread, last, &mut totals);
        thread.charge(SUM.times(counts.len() as u32));
        before.iter_mut().zip(counts).for_each(|(before, own)| *before -= own);
        positions(thread, &totals, &before)
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

    fn report(&self, _: &mut Quiet<'_>) -> Report {
        self.run.report()
    }
}
