//! mm: a blocked matrix multiplication whose blocks are read whenever they are needed.
//!
//! Both factors and the product are arrays of square blocks, which are dealt out to the nodes block by block, row after
//! row. A thread computes the blocks of the product that its node has, one after the other: for each term it reads a
//! block of the left factor and a block of the right, waits for each, multiplies them, and adds. It keeps no block that
//! it has read. A block of its own node needs no message. (D. E. Culler et al., *Parallel Programming in Split-C*,
//! Supercomputing 1993, has this program as its example of bulk reads.)
//!
//! The study of global address-based communication ran it as `mm` with "128x128" (A. Krishnamurthy et al., *Evaluation
//! of Architectural Support for Global Address-Based Communication in Large-Scale Parallel Machines*, ASPLOS 1996). It
//! does not name the unit. A matrix of 128 by 128 blocks of 8 by 8 fits its times best: `--input order=1024`. So the
//! size of a block is ours, and so is the order of terms. As in the example, all threads begin with the first one.
//! Where the columns of blocks are a multiple of the nodes, all blocks of the right factor that a node needs are then
//! its own, and at any moment all nodes read blocks of the left one from the same node. With `staggered=true` each
//! begins with the term whose blocks are its own, and no two read from one node at the same step.
//!
//! # Mechanisms
//!
//! | mechanism | how blocks travel |
//! |---|---|
//! | `bulk` | a handler of the request transfers the block: the program of the study |
//! | `messages` | each request of up to 12 doubles is answered by a message that has them |
//!
//! # Work
//!
//! A model charges for each term of an element two floating-point and two integer operations, two loads and a store;
//! and a load and two integer operations for each factor that a row of terms shares. Accesses to memory are not
//! accounted one by one: a machine's rate for this program includes its misses. A thread that computes does not poll.
//!
//! # Timed regions
//!
//! `multiply` is the timed region; a barrier ends it. The factors are written before. In `check` each thread compares its blocks.
//!
//! # How it is checked
//!
//! Every element must be that of a sequential product to the bit: terms are added in the same order. With `staggered=true` they are
//! not, and elements are held against the bound of two sums of the same terms in different orders.

use std::sync::Arc;

use protocols::split_phase::{GlobalPtr, LocalPtr, Plan as Arena, SplitPhase, SpreadArray};
use tempest::entry::{BadPlan, Entry, InputError, Inputs, Plan, load};
use tempest::{
    Cells, FinalState, Job, Mechanism, Merge, NodeId, Operations, Protocol, Report, Setup, Shape, Thread,
    handlers,
};

use super::kernel;
use super::problem::{Problem, Sums};
use crate::kit::Verdict;

/// The entry of mm in a table of programs.
pub const ENTRY: Entry = Entry {
    name: "mm",
    summary: "blocked matrix multiplication: blocks of a spread array are read whenever they are needed",
    mechanisms: &[Mechanism::Bulk, Mechanism::Messages],
    inputs: Options::INPUTS,
    load: |given| load(given, job),
};

/// The inputs of mm.
#[derive(Clone, Copy, Debug, Inputs)]
#[inputs(check)]
struct Options {
    /// rows of each matrix, a multiple of the rows of a block; the study's run fits 1024
    #[input(default = 64, range = 1..=4096)]
    order: u32,
    /// rows of a block
    #[input(default = 8, range = 1..=64)]
    block: u32,
    /// whether each block of the product begins with the term of its own column, and not with the first one
    #[input(default = false)]
    staggered: bool,
}

impl Options {
    /// The terms of a block of the product in this column of blocks, in the order in which they are added.
    fn terms(&self, column: u32) -> impl Iterator<Item = u32> + use<> {
        let (side, first) = (self.side(), if self.staggered { column } else { 0 });
        (0..side).map(move |step| (first + step) % side)
    }

    /// Rows, and columns, of blocks.
    fn side(&self) -> u32 {
        self.order / self.block
    }

    fn check(&self) -> Result<(), InputError> {
        let Self { order, block, .. } = *self;
        if order.is_multiple_of(block) {
            return Ok(());
        }
        let above = order.next_multiple_of(block);
        let would_do =
            if order < block { above.to_string() } else { format!("{} or {above}", above - block) };
        Err(format!("input `order={order}`: expected a multiple of block={block}: {would_do}").into())
    }

    /// Refuses a world with more threads than blocks.
    fn check_shape(&self, Shape { nodes, threads }: Shape) -> Result<(), String> {
        let (blocks, all) = (u64::from(self.side()).pow(2), u64::from(nodes) * u64::from(threads));
        if all <= blocks {
            return Ok(());
        }
        let least = (1..).find(|side| side * side >= all).unwrap_or(all) * u64::from(self.block);
        Err(format!(
            "{blocks} blocks for {all} threads: expected at least one for each, --input order={least}"
        ))
    }
}

fn job(asked: &Options, plan: &Plan) -> Result<Job, BadPlan> {
    asked.check_shape(plan.shape)?;
    let problem = Problem::draw(asked.order, plan.seed);
    Ok(Job::new::<Multiply>(Arc::new(Config { asked: *asked, problem, mechanism: plan.mechanism })))
}

/// The part of a run that all nodes share.
struct Config {
    asked: Options,
    problem: Arc<Problem>,
    mechanism: Mechanism,
}

/// The state of mm on one node.
struct Multiply {
    config: Arc<Config>,
    node: NodeId,
    shape: Shape,
    split: Arc<SplitPhase>,
    left: SpreadArray<f64>,
    right: SpreadArray<f64>,
    product: SpreadArray<f64>,
    /// Room for two blocks of each thread.
    read: LocalPtr<f64>,
    /// By thread: the blocks that it has read from other nodes.
    fetched: Cells<u64>,
    verdict: Verdict,
}

impl Protocol for Multiply {
    type Config = Arc<Config>;

    fn install(config: &Arc<Config>, setup: &mut Setup<'_>) -> Self {
        let (shape, Options { block, .. }) = (setup.shape(), config.asked);
        let (blocks, words) = (config.asked.side().pow(2), block * block);
        let mut arena = Arena::new(shape.nodes).blocks_by(config.mechanism);
        let [left, right, product] = [(); 3].map(|()| arena.spread(blocks, words));
        let read = arena.local(2 * words * shape.threads);
        Self {
            config: Arc::clone(config),
            node: setup.node(),
            shape,
            split: setup.install::<SplitPhase>(&arena),
            left,
            right,
            product,
            read,
            fetched: Cells::new(shape.threads as usize, 0),
            verdict: Verdict::new(shape.threads),
        }
    }
}

#[handlers]
impl Multiply {
    /// The rows of a block.
    fn block(&self) -> usize {
        self.config.asked.block as usize
    }

    /// The words of a block.
    fn words(&self) -> usize {
        self.block().pow(2)
    }

    /// The numbers of a thread's blocks: its node's in turn with the other threads of the node.
    fn own(&self, thread: &Thread<'_>) -> impl Iterator<Item = u32> {
        let Shape { nodes, threads } = self.shape;
        (self.node.0 + thread.index() * nodes..self.product.len()).step_by((nodes * threads) as usize)
    }

    /// The row and column of a block.
    fn place(&self, block: u32) -> (u32, u32) {
        let side = self.config.asked.side();
        (block / side, block % side)
    }

    /// Writes the thread's blocks of both factors.
    fn fill(&self, thread: &Thread<'_>) {
        let Problem { left, right, .. } = &*self.config.problem;
        for block in self.own(thread) {
            let (row, column) = self.place(block);
            for (array, matrix) in [(self.left, left), (self.right, right)] {
                let elements = matrix.block((row as usize, column as usize), self.block());
                self.write(thread, array.at(block), &elements);
            }
        }
    }

    /// Writes words of this node.
    fn write(&self, thread: &Thread<'_>, to: GlobalPtr<f64>, words: &[f64]) {
        self.split.arena().write(thread, to.offset() as usize, bytemuck::cast_slice(words));
    }

    /// Reads a block of some node into this thread's room, and from there.
    fn read(&self, thread: &Thread<'_>, from: GlobalPtr<f64>, room: LocalPtr<f64>, into: &mut [f64]) -> bool {
        self.split.on(thread).bulk_read(from, room, self.words());
        self.split.arena().read(thread, room.offset() as usize, bytemuck::cast_slice_mut(into));
        from.node() != self.node
    }

    /// Computes the thread's blocks of the product.
    fn multiply(&self, thread: &Thread<'_>) {
        let (side, words) = (self.config.asked.side(), self.words());
        let left_room = self.read + (2 * words * thread.index() as usize) as i64;
        let right_room = left_room + words as i64;
        let [mut left, mut right, mut sums] = [(); 3].map(|()| vec![0.0; words]);
        let mut fetched = 0;
        for block in self.own(thread) {
            let (row, column) = self.place(block);
            sums.fill(0.0);
            for term in self.config.asked.terms(column) {
                let of_left = self.read(thread, self.left.at(row * side + term), left_room, &mut left);
                let of_right = self.read(thread, self.right.at(term * side + column), right_room, &mut right);
                fetched += u64::from(of_left) + u64::from(of_right);
                kernel::multiply(&mut sums, &left, &right, self.block());
                kernel::charge(thread, self.block());
            }
            self.write(thread, self.product.at(block), &sums);
            thread.charge(Operations::NONE.loads(words as u32).stores(words as u32));
        }
        self.fetched.set(thread, thread.index() as usize, fetched);
    }

    /// Compares the thread's blocks of the product.
    fn compare(&self, thread: &Thread<'_>) {
        let mut found = vec![0.0; self.words()];
        let sums = if self.config.asked.staggered { Sums::InAnyOrder } else { Sums::InOrder };
        let compared = self.own(thread).map(|block| {
            let (place, at) = (self.place(block), self.product.at(block).offset() as usize);
            self.split.arena().read(thread, at, bytemuck::cast_slice_mut(&mut found));
            let place = (place.0 as usize, place.1 as usize);
            self.config.problem.compare(place, self.block(), &found, sums)
        });
        self.verdict.note(thread, compared);
    }

    fn main(&self, thread: &Thread<'_>) {
        let memory = self.split.on(thread);
        self.fill(thread);
        memory.barrier();
        thread.phase("multiply");
        self.multiply(thread);
        // A thread that is done goes on serving other nodes.
        memory.barrier();
        thread.phase("check");
        self.compare(thread);
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let fetched: u64 = (0..self.fetched.len()).map(|thread| self.fetched.get(end, thread)).sum();
        self.verdict.report(end, "elements of the product", "those of the sequential product").figure(
            "blocks read from other nodes",
            fetched as f64,
            Merge::Sum,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn staggered_terms_begin_with_the_own_column_and_are_all() {
        let asked = Options { order: 32, block: 8, staggered: true };
        assert!(asked.terms(3).eq([3, 0, 1, 2]));
        assert!(Options { staggered: false, ..asked }.terms(3).eq(0..4));
    }

    #[test]
    fn what_does_not_divide_is_refused_with_what_would_do() {
        let asked = |order, block| Options { order, block, staggered: false };
        assert!(asked(64, 8).check().is_ok());
        let error = |asked: Options| asked.check().err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error(asked(60, 8)).ends_with("block=8: 56 or 64"), "{}", error(asked(60, 8)));
        assert!(error(asked(5, 8)).ends_with("block=8: 8"), "{}", error(asked(5, 8)));
        let refused = asked(16, 8).check_shape(Shape { nodes: 5, threads: 1 }).unwrap_err();
        assert!(refused.ends_with("--input order=24"), "{refused}");
    }
}
