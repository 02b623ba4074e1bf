//! fft-remap: the fast Fourier transform of complex points in one dimension, by butterflies that are all local but for one remap
//! between them.
//!
//! With P threads, thread t has every P-th point from point t on: a *cyclic* layout. There all columns of butterflies between points
//! P or more apart are local. Then all points move once, so that each thread has consecutive ones: a *blocked* layout, in which the
//! log P columns that are left are local. (D. Culler et al., *LogP: Towards a Realistic Model of Parallel Computation*, PPoPP 1993,
//! section 4.1, the hybrid layout.) So the points are at least the square of the threads, and both are powers of two. The transform
//! stands in the order of reversed bits, as butterflies leave it.
//!
//! The study of global address-based communication ran it as `fft` and `fftb` with 8 M points (A. Krishnamurthy et al.,
//! *Evaluation of Architectural Support for Global Address-Based Communication in Large-Scale Parallel Machines*,
//! ASPLOS 1996), which are `--input points=8388608` by messages and by bulk transfers here. It says of them only that
//! one remaps in small transfers and the other in bulk. Ours are: the size and the mechanism of a small transfer, the
//! order of destinations, and the room where points land.
//!
//! # Mechanisms
//!
//! | mechanism | how points travel |
//! |---|---|
//! | `messages` | a thread stores its points for another thread in blocks of two, or of the input `block` |
//! | `bulk` | it stores them in one transfer for each other thread, or in transfers of `block` points |
//!
//! A thread begins with the thread behind it, and so not all with the same one. Points of one source land together, and
//! the thread moves each to its place when all have come. It knows their number of bytes, and waits for them. With
//! `put=true` blocks are put instead: each is acknowledged, and a barrier says that all are in place. The study does
//! not say which its program did. On its Meiko CS-2 the network processor made `fft` faster, and streams of stores
//! slower.
//!
//! # Work
//!
//! A model charges each butterfly 10 floating-point and 4 integer operations, 6 loads and 4 stores; each point that has
//! come 2 integer operations, 2 loads and 2 stores; and each block 4 integer operations, beside the store's own charge.
//! Points and roots are private memory, whose accesses hit or miss in a model's caches: columns of distant points go through all of them,
//! and all columns of points that are near go through a small part together. The interface reads the points that a
//! thread sends, which takes the processor no time. A thread that computes does not poll. Roots of unity are computed before the timed region.
//!
//! # Timed regions
//!
//! `transform` is the timed region. In `check` each thread compares its points.
//!
//! # How it is checked
//!
//! The transform must be that of the sequential program to the bit: both compute the same butterflies, by decimation in frequency.

use std::sync::Arc;

use protocols::split_phase::{GlobalPtr, LocalPtr, Memory, Plan as Arena, SplitPhase};
use tempest::entry::{BadPlan, Entry, InputError, Inputs, Plan, load};
use tempest::{
    Cells, FinalState, Job, Mechanism, Merge, NodeId, Private, Protocol, Report, Setup, Shape, Thread,
    ThreadId, handlers,
};

use super::check::verdict;
use super::problem::Problem;
use super::strip::{STRIP, columns, strips};
use super::transform::{Complex, roots, roots_of};
use super::work::{BLOCK, MOVE};
use crate::kit::Division;

/// The entry of fft-remap in a table of programs.
pub const ENTRY: Entry = Entry {
    name: "fft-remap",
    summary: "fast Fourier transform with one remap between local butterflies",
    mechanisms: &[Mechanism::Messages, Mechanism::Bulk],
    inputs: Options::INPUTS,
    load: |given| load(given, job),
};

/// The points of a small block.
const SMALL: u32 = 2;

/// The private array of a thread's points.
const POINTS: &str = "fft-remap.points";

/// The words of a point.
const WORDS: usize = 2;

/// The inputs of fft-remap.
#[derive(Clone, Copy, Debug, Inputs)]
#[inputs(check)]
struct Options {
    /// complex points, a power of two; the study has 8388608
    #[input(default = 16384, range = 4..=1 << 24)]
    points: u32,
    /// points of a block that is stored at once; 0: two by messages, and all that one thread has for another by bulk
    #[input(default = 0, range = 0..=1 << 24)]
    block: u32,
    /// whether blocks are put, and so acknowledged, instead of stored
    #[input(default = false)]
    put: bool,
}

impl Options {
    fn check(&self) -> Result<(), InputError> {
        let Self { points, .. } = *self;
        if points.is_power_of_two() {
            return Ok(());
        }
        let above = points.next_power_of_two();
        let expected =
            format!("expected a power of two, as butterflies join halves: {} or {above}", above / 2);
        Err(format!("input `points={points}`: {expected}").into())
    }

    /// The points of a block.
    fn block_by(&self, mechanism: Mechanism) -> u32 {
        match (self.block, mechanism) {
            (0, Mechanism::Bulk) => self.points,
            (0, _) => SMALL,
            (block, _) => block,
        }
    }

    /// Refuses a world in which the columns that are left after the remap would not be local.
    fn check_shape(&self, Shape { nodes, threads }: Shape) -> Result<(), String> {
        let (points, all) = (u64::from(self.points), u64::from(nodes) * u64::from(threads));
        if !all.is_power_of_two() {
            let above = all.next_power_of_two();
            return Err(format!(
                "{nodes} nodes of {threads} threads: expected a power of two of threads in all, as butterflies join halves: \
                 {} or {above}",
                above / 2
            ));
        }
        if all * all <= points {
            return Ok(());
        }
        Err(format!(
            "{points} points for {all} threads: expected at least the square of the threads, --input points={}",
            all * all
        ))
    }
}

fn job(asked: &Options, plan: &Plan) -> Result<Job, BadPlan> {
    asked.check_shape(plan.shape)?;
    let problem = Problem::draw(asked.points, plan.seed);
    let block = asked.block_by(plan.mechanism) as usize;
    Ok(Job::new::<Remap>(Arc::new(Config { problem, mechanism: plan.mechanism, block, put: asked.put })))
}

/// The part of a run that all nodes share.
struct Config {
    problem: Arc<Problem>,
    mechanism: Mechanism,
    /// The points of a block, or more than there are for one thread.
    block: usize,
    put: bool,
}

/// The state of fft-remap on one node.
struct Remap {
    config: Arc<Config>,
    node: NodeId,
    /// The blocks of points, by thread, of the blocked layout.
    division: Division,
    split: Arc<SplitPhase>,
    /// Room in which points land: by thread of this node, by thread that they come from.
    landing: LocalPtr<f64>,
    /// The sum of the squares of each thread's differences from the expected transform.
    differences: Cells<f64>,
}

impl Protocol for Remap {
    type Config = Arc<Config>;

    fn install(config: &Arc<Config>, setup: &mut Setup<'_>) -> Self {
        let shape = setup.shape();
        let points = config.problem.points.len() as u32;
        let mut arena = Arena::new(shape.nodes).blocks_by(config.mechanism);
        let landing = arena.local(points / shape.nodes * WORDS as u32);
        Self {
            config: Arc::clone(config),
            node: setup.node(),
            division: Division::new(points, shape),
            split: setup.install::<SplitPhase>(&arena),
            landing,
            differences: Cells::new(shape.threads as usize, f64::NAN),
        }
    }
}

#[handlers]
impl Remap {
    /// The number of all threads.
    fn threads(&self) -> usize {
        let Shape { nodes, threads } = self.division.shape();
        (nodes * threads) as usize
    }

    /// The number of a thread among all.
    fn number(&self, thread: ThreadId) -> usize {
        self.division.number(thread) as usize
    }

    /// The points of each thread.
    fn own(&self) -> usize {
        self.division.size() as usize / self.threads()
    }

    /// The points that each thread has for each.
    fn exchanged(&self) -> usize {
        self.own() / self.threads()
    }

    /// The place where points land on the node of `to` that come from thread number `from`.
    fn place(&self, to: ThreadId, from: usize) -> LocalPtr<f64> {
        self.landing + ((to.index as usize * self.own() + from * self.exchanged()) * WORDS) as i64
    }

    /// Moves points to the threads that have them in the blocked layout, and waits for this thread's own points there.
    fn remap(&self, thread: &Thread<'_>, memory: Memory<'_>, points: &[Complex]) {
        if self.config.put {
            memory.split_phase(|scope| self.send(thread, points, |to, block| scope.bulk_put(to, block)));
            return memory.barrier();
        }
        self.send(thread, points, |to, block| memory.bulk_store(to, block));
        self.receive(thread, memory);
    }

    /// Sends points to the threads that have them in the blocked layout, beginning with the next thread.
    fn send(
        &self,
        thread: &Thread<'_>,
        points: &[Complex],
        mut block_to: impl FnMut(GlobalPtr<f64>, &[f64]),
    ) {
        let from = self.number(thread.id());
        for to in self.division.after(thread.id()) {
            let place = self.place(to, from).on(to.node);
            let points = &points[self.number(to) * self.exchanged()..][..self.exchanged()];
            let blocks = points.chunks(self.config.block);
            for (at, block) in (0..).step_by(self.config.block * WORDS).zip(blocks) {
                thread.charge(BLOCK);
                block_to(place + at, bytemuck::cast_slice(block));
            }
        }
    }

    /// Waits until all points of this node's threads are here. The node counts bytes, not its threads, so its first
    /// thread waits for all.
    fn receive(&self, thread: &Thread<'_>, memory: Memory<'_>) {
        let threads = thread.threads();
        if thread.index() == 0 {
            memory.store_sync((self.own() * size_of::<Complex>()) as u64 * u64::from(threads));
        }
        if threads > 1 {
            memory.barrier();
        }
    }

    /// Moves the points that have come to a thread to their places: the points of a source are as far apart as there
    /// are threads.
    fn sort(&self, thread: &Thread<'_>, points: &mut Private<Complex>) {
        let mut come = vec![Complex::default(); self.exchanged()];
        for from in 0..self.threads() {
            let place = self.place(thread.id(), from).offset() as usize;
            self.split.arena().read(thread, place, bytemuck::cast_slice_mut(&mut come));
            // The array stands for the room in which the points have landed.
            let landed = thread.private_of(format!("fft-remap.from {from}"), come);
            for strip in strips(landed.len(), thread.strip(STRIP)) {
                let places = (from + strip.start * self.threads()..).step_by(self.threads());
                let moved = landed.view(thread, strip);
                places.zip(moved).for_each(|(to, point)| points.set(thread, to, *point));
                thread.charge(MOVE.times(moved.len() as u32));
            }
            come = landed.into_vec();
        }
    }

    /// The sum of the squares of the differences of a thread's points from the expected points in the order of reversed
    /// bits.
    fn difference(&self, thread: &Thread<'_>, points: &[Complex]) -> f64 {
        let expected = &self.config.problem.expected;
        let shift = usize::BITS - expected.len().trailing_zeros();
        let first = self.number(thread.id()) * self.own();
        let due = |index: usize| expected[index.reverse_bits() >> shift];
        (first..).zip(points).map(|(index, point)| (*point - due(index)).norm()).sum()
    }

    fn main(&self, thread: &Thread<'_>) {
        let (memory, number, threads) = (self.split.on(thread), self.number(thread.id()), self.threads());
        let apart = thread.private_of("fft-remap.roots apart", roots_of(self.own(), number, threads));
        let together = thread.private_of("fft-remap.roots together", roots(threads));
        let points = self.config.problem.points.iter().skip(number).step_by(threads).copied().collect();
        let mut own = thread.private_of(POINTS, points);
        thread.phase("transform");
        columns(thread, &mut own, self.own(), &apart);
        let points = own.into_vec();
        self.remap(thread, memory, &points);
        own = thread.private_of(POINTS, points);
        self.sort(thread, &mut own);
        columns(thread, &mut own, threads, &together);
        thread.phase("check");
        let points = own.into_vec();
        self.differences.set(thread, thread.index() as usize, self.difference(thread, &points));
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let Problem { points, energy, .. } = &*self.config.problem;
        let mut report = verdict("transform", end, &self.differences, *energy, 0.0);
        let nodes = self.division.shape().nodes;
        report.checks = points.len() as u64 / u64::from(nodes);
        if self.node == NodeId(0) {
            let moved = points.len() / nodes as usize * (nodes as usize - 1);
            report = report.figure("points", points.len() as f64, Merge::Max).figure(
                "points moved between nodes",
                moved as f64,
                Merge::Max,
            );
        }
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_leave_columns_which_are_not_local_are_refused() {
        let asked = Options { points: 256, block: 2, put: false };
        let refused = |nodes, threads| asked.check_shape(Shape { nodes, threads }).err();
        assert_eq!((refused(8, 2), refused(1, 1)), (None, None));
        let of_six = refused(3, 2).unwrap_or_default();
        assert!(of_six.ends_with("as butterflies join halves: 4 or 8"), "{of_six}");
        let of_32 = refused(16, 2).unwrap_or_default();
        assert!(of_32.ends_with("--input points=1024"), "{of_32}");
        assert!(Options { points: 300, ..asked }.check().is_err());
    }
}
