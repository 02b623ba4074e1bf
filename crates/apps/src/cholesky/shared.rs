//! cholesky through shared memory: tiles are at home with their owners, which alone write them, and a thread that needs
//! a tile reads it there. Tasks are in queues of shared memory, one for each thread, each with a lock.
//!
//! A thread that has finished a tile or domain takes the lock of a receiver's queue, writes the announcement behind the
//! others, and moves the queue's end. The receiver waits for the end to move, and reads. Tiles are not copied: a block
//! of shared memory goes to each node that needs it, once, as a finished tile is never written again.
//!
//! This module must never know how blocks are kept coherent.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use protocols::sync::{BarrierRoom, LockRoom, Locks, SharedBarrier};
use tempest::entry::{BadPlan, Plan, SharedMemory};
use tempest::memory::{Frames, Placement};
use tempest::{Array, FinalState, Homes, NodeId, Protocol, Report, Right, Setup, Shared, Thread, handlers};

use super::config::{COLLECTOR, Divided};
use super::fanout::{Announcement, Tiles, Worker};

/// Announcements to which the beginning of a queue is aligned: 128 bytes of them, so that no block has two queues.
const ALIGNED: u32 = 32;

/// The part of a run that all nodes share: the divided problem and the address space.
pub(super) struct Config {
    divided: Divided,
    memory: SharedMemory,
    tiles: Array<f64>,
    queues: Array<u32>,
    /// By thread across the nodes: the beginning of its queue in its node's part.
    begins: Vec<u32>,
    /// The end of each queue, on a block of its own.
    ends: Array<u64>,
    locks: LockRoom,
    barrier: BarrierRoom,
}

impl Config {
    /// Lays tiles and queues out in an address space.
    ///
    /// # Errors
    /// [`BadPlan`] if there is no such address space, or no protocol for it.
    pub(super) fn new(
        plan: &Plan,
        divided: Divided,
        (frames, homes): (Frames, Placement),
    ) -> Result<Self, BadPlan> {
        let mut space = plan.layout()?;
        let most = divided.tiling.words.iter().max().copied().unwrap_or(0);
        let tiles = space.array("tiles", most as usize, Homes::Parts)?;
        space.place_all(tiles, homes)?;
        let threads = plan.shape.threads;
        let (mut begins, mut longest) = (Vec::new(), 0);
        for of_node in divided.audience.expected.chunks(threads as usize) {
            let mut at = 0;
            for &count in of_node {
                begins.push(at);
                at += count.next_multiple_of(ALIGNED);
            }
            longest = longest.max(at);
        }
        let queues = space.array("queues", longest as usize, Homes::Parts)?;
        let words = space.block_words() as u32;
        let ends = space.records("ends of queues", threads as usize, words, Homes::Parts)?;
        let locks = Locks::room(&mut space, plan.shape.nodes * threads)?;
        let barrier = SharedBarrier::room(&mut space)?;
        let memory = plan.shared_memory(space, frames)?;
        Ok(Self { divided, memory, tiles, queues, begins, ends, locks, barrier })
    }
}

/// The state of cholesky through shared memory on one node.
pub(super) struct SharedCholesky {
    config: Arc<Config>,
    node: NodeId,
    barrier: SharedBarrier,
    locks: Locks,
    tiles: Shared<f64>,
    queues: Shared<u32>,
    ends: Shared<u64>,
    /// The verdict on the factor; on the collector only.
    verdict: OnceLock<Report>,
}

impl Protocol for SharedCholesky {
    type Config = Arc<Config>;

    fn install(config: &Arc<Config>, setup: &mut Setup<'_>) -> Self {
        let memory = config.memory.install(setup);
        Self {
            config: Arc::clone(config),
            node: setup.node(),
            barrier: SharedBarrier::new(setup, &memory, config.barrier, SharedBarrier::FAN_IN),
            locks: Locks::new(setup, &memory, config.locks),
            tiles: memory.bind(config.tiles),
            queues: memory.bind(config.queues),
            ends: memory.bind(config.ends),
            verdict: OnceLock::new(),
        }
    }
}

/// Shared memory as a thread reaches it.
struct Reach<'r> {
    state: &'r SharedCholesky,
    thread: &'r Thread<'r>,
}

#[handlers]
impl SharedCholesky {
    /// The indices of the end of a thread's queue, and of its first announcement.
    fn queue(&self, number: u32) -> (usize, usize) {
        let thread = self.config.divided.tiling.thread(number);
        let begin = self.config.begins[number as usize] as usize;
        (self.ends.at(thread.node, thread.index as usize), self.queues.at(thread.node, begin))
    }

    /// Takes the announcements of others until there are no more to come.
    fn take_all(&self, thread: &Thread<'_>, worker: &mut Worker<'_, Reach<'_>>) {
        let number = self.config.divided.tiling.number(thread.id());
        let expected = u64::from(self.config.divided.audience.expected[number as usize]);
        if expected == 0 {
            return;
        }
        let (end, first) = self.queue(number);
        let mut taken = 0;
        while taken < expected {
            let told = thread.wait_for(&self.ends, end, |told| told > taken);
            for place in taken..told {
                worker.take(thread.read(&self.queues, first + place as usize));
            }
            taken = told;
        }
    }

    fn main(&self, thread: &Thread<'_>) {
        let Divided { problem, tiling, audience } = &self.config.divided;
        let reach = Reach { state: self, thread };
        let mut worker = Worker::new(tiling, audience, thread, &reach);
        worker.begin(problem);
        self.barrier.wait(thread);
        thread.phase("factor");
        worker.begin_factor();
        self.take_all(thread, &mut worker);
        self.barrier.wait(thread);
        thread.phase("check");
        if self.node == COLLECTOR && thread.index() == 0 {
            let verdict = self.config.divided.check(|tile, values, into| reach.read(tile, values, into));
            self.verdict.set(verdict).expect("one thread checks once");
        }
    }

    fn report(&self, _: &mut FinalState<'_>) -> Report {
        self.verdict.get().cloned().unwrap_or_default()
    }
}

impl Tiles for Reach<'_> {
    fn first(&self, tile: usize) -> usize {
        let tiling = &self.state.config.divided.tiling;
        let tile = &tiling.tiles[tile];
        // Tiles lie one behind the other in a part, so the place of the first word of a part is that of any.
        self.state.tiles.at(tiling.thread(tile.owner).node, tile.at as usize)
    }

    fn read(&self, tile: usize, values: Range<usize>, into: &mut Vec<f64>) {
        let first = self.first(tile) + values.start;
        into.resize(values.len(), 0.0);
        self.thread.prefetch(&self.state.tiles, first..first + values.len(), Right::Read);
        self.thread.read_slice(&self.state.tiles, first, into);
    }

    fn write(&self, tile: usize, first: usize, values: &[f64]) {
        self.thread.write_slice(&self.state.tiles, self.first(tile) + first, values);
    }

    fn add(&self, first: usize, places: &[u32], values: &[f64]) {
        let (Some(&least), Some(&greatest)) = (places.first(), places.last()) else { return };
        let mut next = 0;
        let range = first + least as usize..first + greatest as usize + 1;
        self.thread.write_runs(&self.state.tiles, range, |start, run| {
            while let Some(at) =
                places.get(next).map(|&place| first + place as usize - start).filter(|&at| at < run.len())
            {
                run.set(at, run.get(at) + values[next]);
                next += 1;
            }
        });
    }

    fn announce(&self, to: u32, what: Announcement) {
        let SharedCholesky { ends, queues, locks, .. } = self.state;
        let (end, first) = self.state.queue(to);
        locks.with(self.thread, to, || {
            let told = self.thread.read(ends, end);
            self.thread.write(queues, first + told as usize, what);
            self.thread.tell(ends, end, told + 1);
        });
    }
}
