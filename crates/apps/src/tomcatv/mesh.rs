//! The coordinates of a node in segments: its own rows, and a ghost row before and behind them.
//!
//! This module must never know how ghost rows are filled.

use std::ops::Range;

use tempest::{Access, FinalState, Segment, Setup, Thread};

use super::generated;
use super::layout::Layout;
use super::sweep::Coordinates;

/// The coordinates of a node.
pub(super) struct Mesh {
    layout: Layout,
    /// The node's own rows.
    pub(super) rows: Range<usize>,
    /// By coordinate: the ghost row before, the own rows, the ghost row behind.
    axes: [Segment<f64>; 2],
}

/// A row on another node that is beside a border of this one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    /// Before the node's first row.
    Before,
    /// Behind the node's last row.
    Behind,
}

impl Side {
    pub(super) const BOTH: [Self; 2] = [Self::Before, Self::Behind];
}

impl Mesh {
    /// The coordinates at first. Ghost rows are filled.
    pub(super) fn new(layout: Layout, initial: &generated::Mesh, setup: &mut Setup<'_>) -> Self {
        let rows = layout.rows_of(setup.node());
        let axes =
            ["tomcatv.x", "tomcatv.y"].map(|name| setup.segment(name, (rows.len() + 2) * layout.stride, 0.0));
        let mesh = Self { layout, rows, axes };
        let with_ghosts = mesh.rows.start.saturating_sub(1)..(mesh.rows.end + 1).min(layout.size);
        for row in with_ghosts {
            for (axis, initial) in mesh.axes.iter().zip(initial) {
                axis.cells().write(setup, mesh.at(row, 0), &initial[row * layout.size..][..layout.size]);
            }
        }
        mesh
    }

    /// The place of a point among the words of a coordinate.
    fn at(&self, row: usize, column: usize) -> usize {
        (row + 1 - self.rows.start) * self.layout.stride + column
    }

    /// A coordinate, for transfers and deposits, and for handlers.
    pub(super) fn axis(&self, axis: usize) -> &Segment<f64> {
        &self.axes[axis]
    }

    /// The row beside a border; none at the border of the mesh.
    pub(super) fn ghost(&self, side: Side) -> Option<usize> {
        match side {
            Side::Before => self.rows.start.checked_sub(1),
            Side::Behind => (self.rows.end < self.layout.size).then_some(self.rows.end),
        }
    }

    /// The own row beside a border.
    pub(super) fn border(&self, side: Side) -> usize {
        match side {
            Side::Before => self.rows.start,
            Side::Behind => self.rows.end - 1,
        }
    }

    /// The place of the first word of an own row.
    pub(super) fn own(&self, row: usize) -> u32 {
        self.at(row, 0) as u32
    }

    /// The place of the first word of a ghost row of the node whose rows are `rows`. `row` belongs to this node.
    pub(super) fn ghost_of(&self, rows: &Range<usize>, row: usize) -> u32 {
        ((row + 1 - rows.start) * self.layout.stride) as u32
    }

    /// Takes a ghost row out of the cache of the thread's processor if an interface fills it that does not do that.
    pub(super) fn forget(&self, thread: &Thread<'_>, row: usize) {
        if thread.is_coherent() {
            return;
        }
        for axis in &self.axes {
            thread.touch(axis.place(self.own(row)), self.layout.size, Access::Purge);
        }
        thread.drain();
    }

    /// The own rows of both coordinates, without a charge.
    pub(super) fn results(&self, end: &FinalState<'_>) -> [Vec<f64>; 2] {
        self.axes.each_ref().map(|axis| {
            let mut values = vec![0.0; self.rows.len() * self.layout.size];
            for (row, values) in self.rows.clone().zip(values.chunks_mut(self.layout.size)) {
                axis.cells().read(end, self.at(row, 0), values);
            }
            values
        })
    }
}

impl Coordinates for Mesh {
    fn read(&self, thread: &Thread<'_>, axis: usize, row: usize, from: usize, values: &mut [f64]) {
        thread.words(&self.axes[axis]).read(self.at(row, from), values);
    }

    fn write(&self, thread: &Thread<'_>, axis: usize, row: usize, from: usize, values: &[f64]) {
        thread.words(&self.axes[axis]).write(self.at(row, from), values);
    }
}
