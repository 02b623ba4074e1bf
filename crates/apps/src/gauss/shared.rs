//! gauss with the matrix in shared memory: each row is at home with its owner, and all threads read pivot rows there.
//!
//! A pivot row is never written after its choice, which all threads wait for. So it needs no barrier: its owner wrote it before it
//! brought its candidate.
//!
//! This module must never know how blocks are kept coherent.

use std::ops::Range;
use std::sync::Arc;

use protocols::Barrier;
use tempest::entry::{BadPlan, Plan, SharedMemory};
use tempest::{Array, FinalState, Homes, Protocol, Report, Right, Setup, Shared, Thread, handlers};

use super::choice::Choice;
use super::kernel::{STRIP, strips};
use super::layout::Layout;
use super::problem::{Options, Solved};
use super::program::Found;
use super::solver::Rows;

/// The part of a run that all nodes share.
pub(super) struct Config {
    layout: Layout,
    solved: Arc<Solved>,
    memory: SharedMemory,
    matrix: Array<f64>,
    unknowns: Array<f64>,
}

impl Config {
    /// Lays the matrix and the unknowns out in an address space.
    ///
    /// # Errors
    /// [`BadPlan`] if there is no such address space, or no protocol for it.
    pub(super) fn new(
        plan: &Plan,
        asked: &Options,
        layout: Layout,
        solved: Arc<Solved>,
    ) -> Result<Self, BadPlan> {
        let mut space = plan.layout()?;
        let matrix = space.array("matrix", layout.most_rows() * layout.stride, Homes::Parts)?;
        let unknowns = space.array("unknowns", layout.size, Homes::RoundRobin)?;
        space.place_all(matrix, asked.homes)?;
        let memory = plan.shared_memory(space, asked.frames)?;
        Ok(Self { layout, solved, memory, matrix, unknowns })
    }
}

/// The state of gauss with shared memory on one node.
pub(super) struct SharedGauss {
    config: Arc<Config>,
    choice: Arc<Choice>,
    barrier: Arc<Barrier>,
    matrix: Shared<f64>,
    /// By row: the index of its first element.
    starts: Box<[usize]>,
    unknowns: Shared<f64>,
    found: Found,
}

impl Protocol for SharedGauss {
    type Config = Arc<Config>;

    fn install(config: &Arc<Config>, setup: &mut Setup<'_>) -> Self {
        let memory = config.memory.install(setup);
        let (layout, matrix) = (&config.layout, memory.bind(config.matrix));
        let start = |row| matrix.at(layout.owner(row).node, layout.place(row) * layout.stride);
        Self {
            starts: (0..layout.size).map(start).collect(),
            config: Arc::clone(config),
            choice: setup.install::<Choice>(&()),
            barrier: setup.install::<Barrier>(&()),
            matrix,
            unknowns: memory.bind(config.unknowns),
            found: Found::new(config.layout.size),
        }
    }
}

impl Rows for &SharedGauss {
    fn get(&self, thread: &Thread<'_>, row: usize, column: usize) -> f64 {
        thread.read(&self.matrix, self.starts[row] + column)
    }

    fn change(
        &mut self,
        thread: &Thread<'_>,
        row: usize,
        columns: Range<usize>,
        mut by: impl FnMut(usize, &mut [f64]),
    ) {
        let (start, mut values) = (self.starts[row], [0.0; STRIP]);
        for piece in strips(columns.clone(), STRIP) {
            let values = &mut values[..piece.len()];
            thread.read_slice(&self.matrix, start + piece.start, values);
            by(piece.start - columns.start, values);
            thread.write_slice(&self.matrix, start + piece.start, values);
        }
    }

    /// Sends no row: threads read the row where it is. A world with prefetches asks for all of it at once.
    fn spread(&mut self, thread: &Thread<'_>, row: usize, from: usize) {
        let end = self.config.layout.size + 1;
        thread.prefetch(&self.matrix, self.starts[row] + from..self.starts[row] + end, Right::Read);
    }

    fn pivot(&self, thread: &Thread<'_>, row: usize, from: usize, values: &mut [f64]) {
        thread.read_slice(&self.matrix, self.starts[row] + from, values);
    }

    fn unknown(&self, thread: &Thread<'_>, _row: usize, column: usize, value: Option<f64>) -> f64 {
        if let Some(value) = value {
            thread.write(&self.unknowns, column, value);
        }
        self.barrier.wait(thread);
        thread.read(&self.unknowns, column)
    }
}

#[handlers]
impl SharedGauss {
    fn main(&self, thread: &Thread<'_>) {
        let Config { layout, solved, .. } = &*self.config;
        for row in layout.rows(thread.id()) {
            thread.write_slice(&self.matrix, self.starts[row], solved.equations.row(row));
        }
        self.found.solve(thread, *layout, &self.choice, &mut &*self);
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        self.found.report(end, &self.config.solved)
    }
}
