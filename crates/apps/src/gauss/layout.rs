//! The division of the rows: dealt out to the nodes, and a node's rows to its threads.
//!
//! This module must never know the content of a row.

use std::iter::StepBy;
use std::ops::Range;

use tempest::entry::BadPlan;
use tempest::{NodeId, Shape, ThreadId};

use crate::kit::one_for_each_thread;

/// The row stride, in elements, is a multiple of this: no two rows share a block or a line.
const ALIGNMENT: usize = 16;

/// The rows of a system, divided among the threads of a world. A row's elements stand in columns 0 to `size - 1`, and its right-hand
/// side in column `size`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Layout {
    /// The number of rows, and of unknowns.
    pub(super) size: usize,
    /// The row stride, in elements.
    pub(super) stride: usize,
    shape: Shape,
}

impl Layout {
    /// Divides a system of `size` rows.
    ///
    /// # Errors
    /// [`BadPlan`] if there are more threads than rows.
    pub(super) fn new(size: u32, shape: Shape) -> Result<Self, BadPlan> {
        one_for_each_thread("rows", ("size", size), shape)?;
        let size = size as usize;
        Ok(Self { size, stride: (size + 1).next_multiple_of(ALIGNMENT), shape })
    }

    fn nodes(&self) -> usize {
        self.shape.nodes as usize
    }

    /// The most rows that a node has.
    pub(super) fn most_rows(&self) -> usize {
        self.size.div_ceil(self.nodes())
    }

    /// The rows of a thread, ascending.
    pub(super) fn rows(&self, thread: ThreadId) -> StepBy<Range<usize>> {
        let first = thread.node.0 as usize + thread.index as usize * self.nodes();
        (first.min(self.size)..self.size).step_by(self.nodes() * self.shape.threads as usize)
    }

    /// The thread that has a row.
    pub(super) fn owner(&self, row: usize) -> ThreadId {
        let index = self.place(row) % self.shape.threads as usize;
        ThreadId { node: NodeId((row % self.nodes()) as u32), index: index as u32 }
    }

    /// The index of a row within its node.
    pub(super) fn place(&self, row: usize) -> usize {
        row / self.nodes()
    }

    /// The index of a row within its thread.
    pub(super) fn number(&self, row: usize) -> usize {
        self.place(row) / self.shape.threads as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_one_owner_and_a_number_there() {
        for (size, nodes, threads) in [(7, 3, 2), (672, 4, 3), (100, 64, 1), (9, 1, 1)] {
            let layout = Layout::new(size, Shape { nodes, threads }).unwrap();
            let mut rows = 0;
            for node in (0..nodes).map(NodeId) {
                for thread in (0..threads).map(|index| ThreadId { node, index }) {
                    for (number, row) in layout.rows(thread).enumerate() {
                        assert_eq!((layout.owner(row), layout.number(row)), (thread, number));
                        assert!(layout.place(row) < layout.most_rows());
                        rows += 1;
                    }
                }
            }
            assert_eq!(rows, size);
        }
    }
}
