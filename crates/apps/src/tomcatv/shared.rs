//! tomcatv through shared memory: x and y are two arrays of the address space, each row at home with its owner. Threads meet
//! through shared memory too, so the program sends no message of its own.
//!
//! This module must never know how blocks are kept coherent.

use std::sync::Arc;

use protocols::sync::{CollectiveRoom, Reduction, SharedBarrier, SharedCollectives};
use tempest::entry::{BadPlan, Plan, SharedMemory};
use tempest::{Array, Cells, FinalState, Homes, NodeId, Protocol, Report, Setup, Shared, Thread, handlers};

use super::layout::Layout;
use super::problem::{Options, Solved};
use super::program::pairs;
use super::reference::{check, check_residuals};
use super::sweep::{Coordinates, Sweep};

/// The part of a run that all nodes share.
pub(super) struct Config {
    asked: Options,
    layout: Layout,
    solved: Arc<Solved>,
    memory: SharedMemory,
    axes: [Array<f64>; 2],
    collectives: CollectiveRoom,
}

impl Config {
    /// Lays both coordinates out in an address space.
    ///
    /// # Errors
    /// [`BadPlan`] if there is no such address space, or no protocol for it.
    pub(super) fn new(
        plan: &Plan,
        asked: Options,
        layout: Layout,
        solved: Arc<Solved>,
    ) -> Result<Self, BadPlan> {
        let mut space = plan.layout()?;
        let part = layout.most_rows() * layout.stride;
        let axes = [space.array("x", part, Homes::Parts)?, space.array("y", part, Homes::Parts)?];
        for axis in axes {
            space.place_all(axis, asked.homes)?;
        }
        let collectives = SharedCollectives::room(&mut space, 2)?;
        let memory = plan.shared_memory(space, asked.frames)?;
        Ok(Self { asked, layout, solved, memory, axes, collectives })
    }
}

/// The state of tomcatv through shared memory on one node.
pub(super) struct SharedTomcatv {
    config: Arc<Config>,
    node: NodeId,
    collectives: SharedCollectives,
    axes: [Shared<f64>; 2],
    /// By iteration: the largest residuals of x and y; on node 0 alone.
    residuals: Cells<f64>,
    /// By coordinate: the node's rows in the end, read back for the check.
    results: [Cells<f64>; 2],
}

impl Protocol for SharedTomcatv {
    type Config = Arc<Config>;

    fn install(config: &Arc<Config>, setup: &mut Setup<'_>) -> Self {
        let memory = config.memory.install(setup);
        let own = config.layout.rows_of(setup.node()).len() * config.layout.size;
        Self {
            config: Arc::clone(config),
            node: setup.node(),
            collectives: SharedCollectives::new(setup, &memory, config.collectives, SharedBarrier::FAN_IN),
            axes: config.axes.map(|axis| memory.bind(axis)),
            residuals: Cells::new(2 * config.asked.iterations as usize, 0.0),
            results: [(); 2].map(|()| Cells::new(own, 0.0)),
        }
    }
}

impl SharedTomcatv {
    /// The index of a point in the array of a coordinate.
    fn at(&self, axis: usize, row: usize, column: usize) -> usize {
        let Layout { stride, .. } = self.config.layout;
        let owner = self.config.layout.owner(row);
        let first = self.config.layout.rows_of(owner).start;
        self.axes[axis].at(owner, (row - first) * stride + column)
    }
}

impl Coordinates for SharedTomcatv {
    fn read(&self, thread: &Thread<'_>, axis: usize, row: usize, from: usize, values: &mut [f64]) {
        thread.read_slice(&self.axes[axis], self.at(axis, row, from), values);
    }

    fn write(&self, thread: &Thread<'_>, axis: usize, row: usize, from: usize, values: &[f64]) {
        thread.write_slice(&self.axes[axis], self.at(axis, row, from), values);
    }
}

#[handlers]
impl SharedTomcatv {
    /// Writes the thread's rows as they are at first.
    fn begin(&self, thread: &Thread<'_>) {
        let Config { layout, solved, .. } = &*self.config;
        for row in layout.rows(thread.id()) {
            for (axis, initial) in solved.mesh.iter().enumerate() {
                self.write(thread, axis, row, 0, &initial[row * layout.size..][..layout.size]);
            }
        }
    }

    /// Runs one iteration. Returns the largest residuals of all threads.
    fn iterate(&self, thread: &Thread<'_>, sweep: &mut Sweep) -> [f64; 2] {
        sweep.update(thread, self);
        let mut largest = sweep.largest(thread);
        self.collectives.all_reduce_each(thread, Reduction::Max, &mut largest);
        sweep.adjust(thread, self);
        self.collectives.barrier(thread);
        largest
    }

    /// Copies the thread's rows out of shared memory, for the check.
    fn take_down(&self, thread: &Thread<'_>) {
        let layout = &self.config.layout;
        let first = layout.rows_of(self.node).start;
        let mut values = vec![0.0; layout.size];
        for row in layout.rows(thread.id()) {
            for axis in 0..2 {
                self.read(thread, axis, row, 0, &mut values);
                self.results[axis].write(thread, (row - first) * layout.size, &values);
            }
        }
    }

    fn main(&self, thread: &Thread<'_>) {
        self.begin(thread);
        let mut sweep = Sweep::new(thread, self.config.layout, self.config.asked.extra);
        self.collectives.barrier(thread);
        thread.phase("iterate");
        for number in 0..self.config.asked.iterations as usize {
            let largest = self.iterate(thread, &mut sweep);
            if thread.node() == NodeId(0) && thread.index() == 0 {
                self.residuals.write(thread, 2 * number, &largest);
            }
        }
        thread.phase("check");
        self.take_down(thread);
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let Config { solved, layout, .. } = &*self.config;
        let results =
            self.results.each_ref().map(|cells| (0..cells.len()).map(|at| cells.get(end, at)).collect());
        let first = layout.rows_of(self.node).start;
        let mut report = check(self.node, first, layout.size, results, &solved.expected);
        if self.node == NodeId(0) {
            report.merge(check_residuals(&pairs(end, &self.residuals), &solved.expected));
        }
        report
    }
}
