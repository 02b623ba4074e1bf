//! The parts of a run that all styles of cholesky share: the problem and its division, and the check of a factor that one node has gathered.
//!
//! This module must never know how tiles travel.

use std::ops::Range;
use std::sync::Arc;

use tempest::entry::Plan;
use tempest::{Merge, NodeId, Report};

use super::columns::Columns;
use super::fanout::Audience;
use super::problem::Problem;
use super::reference::check;
use super::tiling::Tiling;

/// The node that gathers the factor for the check.
pub(super) const COLLECTOR: NodeId = NodeId(0);

/// A problem that is divided among the threads of a world.
#[derive(Debug)]
pub(super) struct Divided {
    pub(super) problem: Arc<Problem>,
    pub(super) tiling: Tiling,
    pub(super) audience: Audience,
}

impl Divided {
    /// Divides a problem, in panels of at most `width` columns.
    pub(super) fn new(problem: Arc<Problem>, width: u32, plan: &Plan) -> Self {
        let tiling = Tiling::new(&problem.structure, width, plan.problem, plan.shape);
        let audience = Audience::of(&tiling, plan.shape.nodes * plan.shape.threads);
        Self { problem, tiling, audience }
    }

    /// Checks the factor, whose tiles `read` reads, and reports the figures of the problem.
    pub(super) fn check(&self, read: impl FnMut(usize, Range<usize>, &mut Vec<f64>)) -> Report {
        let Self { problem, tiling, audience } = self;
        let verdict = check(&problem.matrix, &self.gathered(read));
        let mut report = Report::checked(verdict.passed(), || {
            let (row, error, bound) = (verdict.row + 1, verdict.error, verdict.bound);
            format!("row {row} of the solution has backward error {error:e}: expected at most {bound:e}")
        });
        report.checks = problem.matrix.order() as u64;
        let announcements: u32 = audience.expected.iter().sum();
        report
            .figure("rows", problem.matrix.order() as f64, Merge::Max)
            .figure("entries of the factor", problem.structure.entries() as f64, Merge::Max)
            .figure("fundamental supernodes", problem.structure.supernodes.len() as f64, Merge::Max)
            .figure("flops", problem.structure.flops() as f64, Merge::Max)
            .figure("domains", tiling.domains.len() as f64, Merge::Max)
            .figure("blocks", tiling.blocks.len() as f64, Merge::Max)
            .figure("announcements", f64::from(announcements), Merge::Max)
            .figure("worst backward error", verdict.error, Merge::Max)
    }

    /// The columns of the factor, put together out of its tiles. An entry that no tile has stays NaN and fails the check.
    fn gathered(&self, mut read: impl FnMut(usize, Range<usize>, &mut Vec<f64>)) -> Columns {
        let mut columns: Vec<(Vec<u32>, Vec<f64>)> = vec![Default::default(); self.problem.matrix.order()];
        let mut values = Vec::new();
        for tile in self.tiling.of_factor() {
            read(tile, 0..self.tiling.tiles[tile].len(), &mut values);
            let (rows, width) = (self.tiling.rows(tile), self.tiling.columns(tile).len());
            for (place, &column) in self.tiling.columns(tile).iter().enumerate() {
                let below = rows.partition_point(|&row| row < column);
                let (all_rows, all_values) = &mut columns[column as usize];
                all_rows.extend(&rows[below..]);
                all_values.extend(values[below * width..].iter().skip(place).step_by(width));
            }
        }
        Columns::of_columns(columns.iter().map(|(rows, values)| (&rows[..], values.clone())))
    }
}
