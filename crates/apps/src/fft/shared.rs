//! fft through shared memory: both matrices stand in the address space, each row at home with the thread that has it,
//! and a thread reads the tiles of its rows where they are, beginning with the next thread's. It asks for all blocks of
//! a tile before it reads the first.
//!
//! This module must never know how blocks are kept coherent.

use std::ops::Range;
use std::sync::Arc;

use protocols::sync::{BarrierRoom, SharedBarrier};
use tempest::entry::{BadPlan, Plan, SharedMemory};
use tempest::{Array, FinalState, Homes, Protocol, Report, Right, Setup, Shared, Thread, handlers};

use super::layout::{Layout, WORDS, tiles};
use super::problem::{Options, Problem};
use super::rows::{Matrix, Own};
use super::steps::{Run, Transport};
use super::transform::Complex;

/// The part of a run that all nodes share.
pub(super) struct Config {
    asked: Options,
    problem: Arc<Problem>,
    layout: Layout,
    memory: SharedMemory,
    matrices: [Array<f64>; 2],
    barrier: BarrierRoom,
}

impl Config {
    /// Lays both matrices out in an address space.
    ///
    /// # Errors
    /// [`BadPlan`] if there is no such address space, or no protocol for it.
    pub(super) fn new(
        plan: &Plan,
        asked: Options,
        problem: Arc<Problem>,
        layout: Layout,
    ) -> Result<Self, BadPlan> {
        let mut space = plan.layout()?;
        let [points, others] =
            ["fft.points", "fft.others"].map(|name| space.array(name, layout.most_words(), Homes::Parts));
        let matrices = [points?, others?];
        for matrix in matrices {
            space.place_all(matrix, asked.homes)?;
        }
        let barrier = SharedBarrier::room(&mut space)?;
        let memory = plan.shared_memory(space, asked.frames)?;
        Ok(Self { asked, problem, layout, memory, matrices, barrier })
    }
}

/// The state of fft through shared memory on one node.
pub(super) struct SharedFft {
    run: Run,
    matrices: [SharedMatrix; 2],
    barrier: SharedBarrier,
}

/// A matrix in shared memory.
pub(super) struct SharedMatrix {
    layout: Layout,
    words: Shared<f64>,
}

impl SharedMatrix {
    /// The place of a point among all words.
    fn place(&self, row: usize, column: usize) -> usize {
        self.words.at(self.layout.node_of(row), self.layout.place(row, column))
    }
}

impl Matrix for SharedMatrix {
    fn read(&self, thread: &Thread<'_>, row: usize, column: usize, points: &mut [Complex]) {
        thread.read_slice(&self.words, self.place(row, column), bytemuck::cast_slice_mut(points));
    }

    fn write(&self, thread: &Thread<'_>, row: usize, column: usize, points: &[Complex]) {
        thread.write_slice(&self.words, self.place(row, column), bytemuck::cast_slice(points));
    }

    fn prefetch(&self, thread: &Thread<'_>, row: usize, columns: Range<usize>, right: Right) {
        let first = self.place(row, columns.start);
        thread.prefetch(&self.words, first..first + columns.len() * WORDS, right);
    }
}

impl Protocol for SharedFft {
    type Config = Arc<Config>;

    fn install(config: &Arc<Config>, setup: &mut Setup<'_>) -> Self {
        let Config { asked, problem, layout, .. } = &**config;
        let memory = config.memory.install(setup);
        let barrier = SharedBarrier::new(setup, &memory, config.barrier, SharedBarrier::FAN_IN);
        let of = |array| SharedMatrix { layout: *layout, words: memory.bind(array) };
        let place = (setup.node(), setup.shape().threads);
        Self {
            run: Run::new(problem, *layout, asked.inverse, place),
            matrices: config.matrices.map(of),
            barrier,
        }
    }
}

impl Transport for SharedFft {
    type Matrix = SharedMatrix;

    fn matrices(&self) -> &[SharedMatrix; 2] {
        &self.matrices
    }

    fn transpose(&self, thread: &Thread<'_>, own: &mut Own, from: usize) {
        let (layout, columns) = (&self.run.layout, self.run.layout.rows(thread.id()));
        let (from, to) = (&self.matrices[from], &self.matrices[1 - from]);
        for other in layout.after(thread.id()) {
            for rows in tiles(layout.rows(other)) {
                for columns in tiles(columns.clone()) {
                    own.transpose(thread, (from, rows.clone()), (to, columns));
                }
            }
        }
    }

    fn meet(&self, thread: &Thread<'_>) {
        self.barrier.wait(thread);
    }
}

#[handlers]
impl SharedFft {
    fn main(&self, thread: &Thread<'_>) {
        self.run.main(thread, self);
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        self.run.report(end)
    }
}
