//! The division of the rows among nodes and threads: blocks of consecutive rows, as equal as may be.
//!
//! This module must never know the content of a row.

use std::ops::Range;

use tempest::entry::BadPlan;
use tempest::{NodeId, Shape, ThreadId};

use crate::kit::{Division, one_for_each_thread};

/// The row stride, in elements, is a multiple of this: no two rows share a block or a line.
const ALIGNMENT: usize = 16;

/// The rows of a square mesh, divided among the threads of a world.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Layout {
    /// The points of a side.
    pub(super) size: usize,
    /// The row stride, in elements.
    pub(super) stride: usize,
    division: Division,
}

fn indices(numbers: Range<u32>) -> Range<usize> {
    numbers.start as usize..numbers.end as usize
}

impl Layout {
    /// Divides a mesh of `size` rows.
    ///
    /// # Errors
    /// [`BadPlan`] if there are more threads than rows.
    pub(super) fn new(size: u32, shape: Shape) -> Result<Self, BadPlan> {
        one_for_each_thread("rows", ("size", size), shape)?;
        let division = Division::new(size, shape);
        let size = size as usize;
        Ok(Self { size, stride: size.next_multiple_of(ALIGNMENT), division })
    }

    /// The rows of a thread.
    pub(super) fn rows(&self, thread: ThreadId) -> Range<usize> {
        indices(self.division.of_thread(thread))
    }

    /// The rows of a node.
    pub(super) fn rows_of(&self, node: NodeId) -> Range<usize> {
        indices(self.division.of_node(node))
    }

    /// The rows of the node that has most.
    pub(super) fn most_rows(&self) -> usize {
        self.division.most_of_a_node() as usize
    }

    /// The node that has a row.
    pub(super) fn owner(&self, row: usize) -> NodeId {
        self.division.node_of(row as u32)
    }

    /// The interior columns, which are also the interior rows.
    pub(super) fn interior(&self) -> Range<usize> {
        1..self.size - 1
    }
}

/// The columns that a loop takes at a time: a model interleaves the accesses of a strip with its computation.
pub(super) const STRIP: usize = 16;

/// The columns of a range in strips, in order or backwards.
pub(super) fn strips(range: Range<usize>) -> impl DoubleEndedIterator<Item = Range<usize>> {
    let Range { start, end } = range;
    (start / STRIP..end.div_ceil(STRIP))
        .map(move |strip| (strip * STRIP).max(start)..((strip + 1) * STRIP).min(end))
        .filter(|columns| !columns.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_node_with_most_rows_has_no_more_than_that() {
        for (size, nodes, threads) in [(7, 3, 2), (768, 4, 3), (100, 64, 1), (9, 1, 1)] {
            let layout = Layout::new(size, Shape { nodes, threads }).unwrap();
            let most = (0..nodes).map(|node| layout.rows_of(NodeId(node)).len()).max();
            assert_eq!(most, Some(layout.most_rows()));
        }
    }

    #[test]
    fn strips_are_all_columns_in_either_order() {
        let columns: Vec<_> = strips(1..39).flatten().collect();
        assert_eq!(columns, (1..39).collect::<Vec<_>>());
        assert_eq!(strips(1..39).next_back(), Some(32..39));
        assert_eq!(strips(1..1).next(), None);
    }
}
