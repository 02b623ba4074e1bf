//! cannon: a matrix multiplication in which blocks of both factors go round a grid of threads.
//!
//! On a square torus of blocks, row i of the left factor is shifted left by i places, and column j of the right one up by j: they are
//! *skewed*. Then the blocks that meet are multiplied and added to the product, the left factor shifts left by one and the
//! right one up by one, and so on, until each has met all. (L. E. Cannon, *A Cellular Computer to Implement the Kalman Filter
//! Algorithm*, Montana State University, 1969.)
//!
//! Threads are a grid of p rows and q columns, as near to a square as their number allows. The torus has as many rows and columns of
//! blocks as the least common multiple of p and q, and a thread has a rectangle of consecutive blocks of it. (H.-J. Lee, J. P. Robertson and
//! J. A. B. Fortes, *Generalized Cannon's Algorithm for Parallel Matrix Multiplication*, International Conference on Supercomputing
//! 1997.) Where p is q, each thread has one block, which is the algorithm as it was. A block that shifts within its thread stays where
//! it is in memory. On 2 by 4 threads, for 8 nodes, there are 4 by 4 blocks, two of them on a thread, one above the other. Where the
//! blocks do not divide the matrix it is padded with zeros.
//!
//! The study of global address-based communication ran it with matrices of 1024 by 1024 (A. Krishnamurthy et al., *Evaluation of
//! Architectural Support for Global Address-Based Communication in Large-Scale Parallel Machines*, ASPLOS 1996): `--input
//! order=1024`. It says no more of it. Ours are: the grid of 8 processors, that a thread multiplies before it shifts, and the barrier
//! of each step.
//!
//! # Mechanisms
//!
//! | mechanism | how a block travels |
//! |---|---|
//! | `bulk` | one transfer stores it: the program of the study |
//! | `messages` | messages of up to 12 doubles store it |
//!
//! A node knows the number of bytes of a step and waits for them. A barrier then says that all are done with the blocks
//! which the next ones replace.
//!
//! # Work
//!
//! A model charges the operations of [`mm`](super::mm). The accesses of a product of blocks are accesses to private memory, which hit or
//! miss in a model's caches. A block in a slot is where the interface has put it, so that its first accesses may miss. The block that is
//! stored to another thread is read by the interface, and takes the processor no time. A thread that computes does not poll.
//!
//! # Timed regions
//!
//! `multiply` is the timed region, skewing included. In `check` each thread compares its blocks.
//!
//! # How it is checked
//!
//! Every element is compared with that of a sequential product, against the bound of two sums of the same terms in different orders.

use std::sync::Arc;

use protocols::split_phase::{GlobalPtr, LocalPtr, Memory, Plan as Arena, SplitPhase};
use tempest::entry::{BadPlan, Entry, Inputs, Plan, load};
use tempest::{
    FinalState, Job, Mechanism, Merge, NodeId, Operations, Protocol, Report, Setup, Shape, Thread, handlers,
};

use super::grid::Grid;
use super::kernel;
use super::problem::{Problem, Sums};
use crate::kit::Verdict;

/// The entry of cannon in a table of programs.
pub const ENTRY: Entry = Entry {
    name: "cannon",
    summary: "matrix multiplication on a grid: large blocks shift from neighbour to neighbour",
    mechanisms: &[Mechanism::Bulk, Mechanism::Messages],
    inputs: Options::INPUTS,
    load: |given| load(given, job),
};

/// The work of a block that is stored, beside the store: the slots here and there, and the loop.
const SHIFT: Operations = Operations::NONE.integers(8);

/// The inputs of cannon.
#[derive(Clone, Copy, Debug, Inputs)]
struct Options {
    /// rows of each matrix; the study has 1024
    #[input(default = 64, range = 1..=4096)]
    order: u32,
}

impl Options {
    /// Refuses a world with more blocks in a row than there are elements.
    fn check_shape(&self, grid: Grid) -> Result<(), String> {
        if grid.side <= self.order as usize {
            return Ok(());
        }
        let Grid { rows, columns, side } = grid;
        Err(format!(
            "{} rows of a matrix for {side} rows of blocks on {rows} by {columns} threads: expected at least one for each, \
             --input order={side}",
            self.order
        ))
    }
}

fn job(asked: &Options, plan: &Plan) -> Result<Job, BadPlan> {
    let Shape { nodes, threads } = plan.shape;
    let grid = Grid::of((nodes * threads) as usize);
    asked.check_shape(grid)?;
    let problem = Problem::draw(asked.order, plan.seed);
    let block = (asked.order as usize).div_ceil(grid.side);
    Ok(Job::new::<Cannon>(Arc::new(Config { problem, grid, block, mechanism: plan.mechanism })))
}

/// The part of a run that all nodes share.
struct Config {
    problem: Arc<Problem>,
    grid: Grid,
    /// The rows of a block.
    block: usize,
    mechanism: Mechanism,
}

/// The state of cannon on one node.
struct Cannon {
    config: Arc<Config>,
    node: NodeId,
    /// The threads of each node.
    threads: u32,
    split: Arc<SplitPhase>,
    /// By thread of the node: its slots for blocks of the left factor, and then those for blocks of the right one.
    slots: LocalPtr<f64>,
    verdict: Verdict,
}

impl Protocol for Cannon {
    type Config = Arc<Config>;

    fn install(config: &Arc<Config>, setup: &mut Setup<'_>) -> Self {
        let Shape { nodes, threads } = setup.shape();
        let (left, right) = config.grid.slots();
        let mut arena = Arena::new(nodes).blocks_by(config.mechanism);
        let slots = arena.local((left + right) as u32 * config.block.pow(2) as u32 * threads);
        Self {
            config: Arc::clone(config),
            node: setup.node(),
            threads,
            split: setup.install::<SplitPhase>(&arena),
            slots,
            verdict: Verdict::new(threads),
        }
    }
}

/// The blocks of a thread in all steps, without the blocks in the slots.
struct Own<'a> {
    thread: &'a Thread<'a>,
    memory: Memory<'a>,
    /// The number of the thread among all.
    number: usize,
    /// The thread's blocks of the product, row by row.
    product: Vec<Vec<f64>>,
    /// Two blocks on their way between the slots and the processor or the interface.
    buffers: [Vec<f64>; 2],
}

#[handlers]
impl Cannon {
    /// The words of a block.
    fn words(&self) -> usize {
        self.config.block.pow(2)
    }

    /// A slot of a thread for the left factor.
    fn left_slot(&self, thread: usize, step: usize, place: (usize, usize)) -> GlobalPtr<f64> {
        self.slot(thread, self.config.grid.left_slot(step, place))
    }

    /// A slot of a thread for the right factor.
    fn right_slot(&self, thread: usize, step: usize, place: (usize, usize)) -> GlobalPtr<f64> {
        let grid = &self.config.grid;
        self.slot(thread, grid.slots().0 + grid.right_slot(step, place))
    }

    fn slot(&self, thread: usize, slot: usize) -> GlobalPtr<f64> {
        let (left, right) = self.config.grid.slots();
        let (node, index) = (thread / self.threads as usize, thread % self.threads as usize);
        let place = (index * (left + right) + slot) * self.words();
        (self.slots + place as i64).on(NodeId(node as u32))
    }

    /// The places of a thread's blocks among them, row by row.
    fn places(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (high, wide) = (self.config.grid.high(), self.config.grid.wide());
        (0..high).flat_map(move |row| (0..wide).map(move |column| (row, column)))
    }

    /// Stores the thread's blocks of both factors, which it has in private memory, to where they are multiplied first.
    fn skew(&self, own: &Own<'_>, factors: &[[Vec<f64>; 2]]) {
        let grid = self.config.grid;
        let (rows, columns) = (grid.rows_of(own.number), grid.columns_of(own.number));
        let within = |block: (usize, usize)| (block.0 % grid.high(), block.1 % grid.wide());
        for ((row, column), [left, right]) in self.places().zip(factors) {
            let block = (rows.start + row, columns.start + column);
            let (skewed_left, skewed_up) = (grid.skewed_left(block), grid.skewed_up(block));
            own.thread.charge(SHIFT.times(2));
            own.memory.bulk_store(self.left_slot(grid.owner(skewed_left), 0, within(skewed_left)), left);
            own.memory.bulk_store(self.right_slot(grid.owner(skewed_up), 0, within(skewed_up)), right);
        }
        self.arrived(own, 2 * grid.high() * grid.wide());
    }

    /// Shifts the left factor left and the right one up: only blocks at the edges of a thread's rectangle move.
    fn shift(&self, own: &mut Own<'_>, step: usize) {
        let grid = self.config.grid;
        let (left, above) = (grid.left(own.number), grid.above(own.number));
        for row in 0..grid.high() {
            let from = self.left_slot(own.number, step, (row, 0));
            self.pass(own, from, self.left_slot(left, step + 1, (row, grid.wide() - 1)));
        }
        for column in 0..grid.wide() {
            let from = self.right_slot(own.number, step, (0, column));
            self.pass(own, from, self.right_slot(above, step + 1, (grid.high() - 1, column)));
        }
        self.arrived(own, grid.high() + grid.wide());
    }

    /// Stores a block that is in a slot of this node into another slot.
    fn pass(&self, own: &mut Own<'_>, from: GlobalPtr<f64>, to: GlobalPtr<f64>) {
        let [block, _] = &mut own.buffers;
        self.split.arena().read(own.thread, from.offset() as usize, bytemuck::cast_slice_mut(block));
        own.thread.charge(SHIFT);
        own.memory.bulk_store(to, block);
    }

    /// Waits until each thread of this node has got `blocks` blocks, and every other thread has too. The node counts
    /// bytes, not its threads, so its first thread waits for all.
    fn arrived(&self, own: &Own<'_>, blocks: usize) {
        if own.thread.index() == 0 {
            let bytes = blocks * self.words() * size_of::<f64>();
            own.memory.store_sync(bytes as u64 * u64::from(self.threads));
        }
        own.memory.barrier();
    }

    /// Multiplies the blocks that have met.
    fn multiply(&self, own: &mut Own<'_>, step: usize) {
        let [left, right] = &mut own.buffers;
        for (place, sums) in self.places().zip(&mut own.product) {
            let slots = [self.left_slot(own.number, step, place), self.right_slot(own.number, step, place)];
            for (slot, block) in slots.into_iter().zip([&mut *left, &mut *right]) {
                self.split.arena().read(own.thread, slot.offset() as usize, bytemuck::cast_slice_mut(block));
            }
            kernel::multiply_by_tiles(own.thread, sums, [left, right], self.config.block);
            self.charge(own.thread, (place, sums), [(slots[0], &mut *left), (slots[1], &mut *right)]);
        }
    }

    /// Charges for the product of two blocks as private arrays, which stand for the slots that the blocks are in.
    fn charge(
        &self,
        thread: &Thread<'_>,
        (place, sums): ((usize, usize), &mut Vec<f64>),
        factors: [(GlobalPtr<f64>, &mut Vec<f64>); 2],
    ) {
        let [left, right] = factors.map(|(slot, block)| {
            let array = thread.private_of(format!("cannon.slot {}", slot.offset()), std::mem::take(block));
            (array, block)
        });
        let (row, column) = place;
        let mut product = thread.private_of(format!("cannon.product {row} {column}"), std::mem::take(sums));
        kernel::charge_private(thread, [&left.0, &right.0], &mut product, self.config.block);
        *sums = product.into_vec();
        [left, right].into_iter().for_each(|(array, block)| *block = array.into_vec());
    }

    /// The thread's blocks of both factors.
    fn factors(&self, number: usize) -> Vec<[Vec<f64>; 2]> {
        let Config { problem, grid, block, .. } = &*self.config;
        let of_place = |(row, column): (usize, usize)| {
            let place = (grid.rows_of(number).start + row, grid.columns_of(number).start + column);
            [&problem.left, &problem.right].map(|matrix| matrix.block(place, *block))
        };
        self.places().map(of_place).collect()
    }

    /// Compares the thread's blocks of the product.
    fn compare(&self, own: &Own<'_>) {
        let Config { problem, grid, block, .. } = &*self.config;
        let compared = self.places().zip(&own.product).map(|((row, column), found)| {
            let place = (grid.rows_of(own.number).start + row, grid.columns_of(own.number).start + column);
            problem.compare(place, *block, found, Sums::InAnyOrder)
        });
        self.verdict.note(own.thread, compared);
    }

    fn main(&self, thread: &Thread<'_>) {
        let zeros = || vec![0.0; self.words()];
        let mut own = Own {
            thread,
            memory: self.split.on(thread),
            number: (thread.node().0 * self.threads + thread.index()) as usize,
            product: self.places().map(|_| zeros()).collect(),
            buffers: [zeros(), zeros()],
        };
        let factors = self.factors(own.number);
        own.memory.barrier();
        thread.phase("multiply");
        self.skew(&own, &factors);
        for step in 0..self.config.grid.side {
            if step > 0 {
                self.shift(&mut own, step - 1);
            }
            self.multiply(&mut own, step);
        }
        own.memory.barrier();
        thread.phase("check");
        self.compare(&own);
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let report = self.verdict.report(end, "elements of the product", "those of the sequential product");
        if self.node != NodeId(0) {
            return report;
        }
        let Grid { rows, columns, side } = self.config.grid;
        report
            .figure("rows of threads", rows as f64, Merge::Max)
            .figure("columns of threads", columns as f64, Merge::Max)
            .figure("rows of blocks", side as f64, Merge::Max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_rows_of_blocks_than_of_the_matrix_are_refused() {
        let asked = Options { order: 14 };
        assert!(asked.check_shape(Grid::of(8)).is_ok());
        let refused = asked.check_shape(Grid::of(15)).unwrap_err();
        assert!(refused.ends_with("--input order=15"), "{refused}");
    }
}
