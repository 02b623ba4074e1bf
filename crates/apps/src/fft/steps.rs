//! The six steps of the transform, as every thread takes them, and the check of their result.
//!
//! With points as rows of a square: transpose; transform the rows and multiply with roots of unity; transpose; transform the rows;
//! transpose. (D. H. Bailey, *FFTs in external or hierarchical memory*, Journal of Supercomputing 4, 1990.)
//!
//! This module must never know how points travel from a row to another.

use std::sync::Arc;

use tempest::{Cells, FinalState, Merge, NodeId, Report, Thread};

use super::check::verdict;
use super::layout::Layout;
use super::problem::Problem;
use super::reference::tolerance;
use super::rows::{Matrix, Own};
use super::transform::Complex;

/// A way for points to travel. Each thread takes the same steps on it.
pub(super) trait Transport {
    /// A matrix of points, as the threads of a node see it.
    type Matrix: Matrix;

    /// The two matrices: the points, and room for as many.
    fn matrices(&self) -> &[Self::Matrix; 2];

    /// Takes this thread's part in moving all points of a matrix to where row and column have changed places in the other one.
    /// When it returns the thread's own rows of the other one are complete.
    fn transpose(&self, thread: &Thread<'_>, own: &mut Own, from: usize);

    /// Waits until every thread of every node has called this as often.
    fn meet(&self, thread: &Thread<'_>);
}

/// The points to be transformed, and the errors of one node's answer.
pub(super) struct Run {
    problem: Arc<Problem>,
    pub(super) layout: Layout,
    inverse: bool,
    node: NodeId,
    /// The sum of the squares of each thread's differences from the expected transform.
    forward: Cells<f64>,
    /// The sum of the squares of each thread's differences from the points, after the inverse transform.
    back: Cells<f64>,
}

impl Run {
    /// A run on a node. A thread that never compares its rows fails the check.
    pub(super) fn new(
        problem: &Arc<Problem>,
        layout: Layout,
        inverse: bool,
        (node, threads): (NodeId, u32),
    ) -> Self {
        let unknown = || Cells::new(threads as usize, f64::NAN);
        Self { problem: Arc::clone(problem), layout, inverse, node, forward: unknown(), back: unknown() }
    }

    /// The body of each thread.
    pub(super) fn main(&self, thread: &Thread<'_>, transport: &impl Transport) {
        let Self { problem, layout, .. } = self;
        let (side, own) = (layout.side(), &mut Own::build(thread, layout));
        let [points, result] = transport.matrices();
        own.fill(thread, points, |row, column| problem.points[row * side + column]);
        transport.meet(thread);
        thread.phase("transform");
        transform(thread, transport, own);
        thread.phase("check");
        let due = |row, column| problem.expected[row * side + column];
        self.forward.set(thread, thread.index() as usize, own.difference(thread, result, due));
        if self.inverse {
            own.copy(thread, (result, points), Complex::conjugate);
            transport.meet(thread);
            transform(thread, transport, own);
            let scale = (side * side) as f64;
            let due =
                |row: usize, column: usize| problem.points[row * side + column].conjugate().scaled(scale);
            self.back.set(thread, thread.index() as usize, own.difference(thread, result, due));
        }
    }

    /// Checks the rows of the node, and states the figures.
    pub(super) fn report(&self, end: &FinalState<'_>) -> Report {
        let Self { problem, layout, .. } = self;
        let points = problem.points.len();
        // By Parseval's theorem the points, with the factor that the inverse transform leaves, have N times the energy of the
        // transform.
        let mut report = verdict("transform", end, &self.forward, problem.energy, tolerance(points));
        if self.inverse {
            let energy = problem.energy * points as f64;
            report.merge(verdict("inverse transform", end, &self.back, energy, 2.0 * tolerance(points)));
        }
        report.checks = (layout.rows_of(self.node).len() * layout.side()).max(1) as u64;
        if self.node == NodeId(0) {
            report = report.figure("points", points as f64, Merge::Max).figure(
                "points moved between nodes by a transposition",
                layout.moved() as f64,
                Merge::Max,
            );
        }
        report
    }
}

/// Transforms the points of the first matrix into the second.
fn transform(thread: &Thread<'_>, transport: &impl Transport, own: &mut Own) {
    let [points, others] = transport.matrices();
    transport.transpose(thread, own, 0);
    own.transform(thread, others, true);
    transport.meet(thread);
    transport.transpose(thread, own, 1);
    own.transform(thread, points, false);
    transport.meet(thread);
    transport.transpose(thread, own, 0);
    transport.meet(thread);
}
