//! The division of the rows among nodes and threads: blocks of consecutive rows, as equal as may be.
//!
//! This module must never know what a row holds.

use std::ops::Range;

use tempest::entry::BadPlan;
use tempest::{NodeId, Shape, ThreadId};

/// The elements from the beginning of a row to that of the next are a multiple of this: no two rows share a block or a line.
const ALIGNMENT: usize = 16;

/// The rows of a square mesh, divided among the threads of a world.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Layout {
    /// The points of a side.
    pub(super) size: usize,
    /// The elements from the beginning of a row to that of the next.
    pub(super) stride: usize,
    shape: Shape,
}

impl Layout {
    /// Divides a mesh of `size` rows.
    ///
    /// # Errors
    /// [`BadPlan`] if there are more threads than rows.
    pub(super) fn new(size: u32, shape: Shape) -> Result<Self, BadPlan> {
        let Shape { nodes, threads } = shape;
        let all = u64::from(nodes) * u64::from(threads);
        if all > u64::from(size) {
            return Err(format!(
                "{size} rows for {nodes} nodes of {threads} threads: expected at least one for each thread, --input size={all}"
            )
            .into());
        }
        let size = size as usize;
        Ok(Self { size, stride: size.next_multiple_of(ALIGNMENT), shape })
    }

    /// The first row of a thread, by its number among all threads.
    fn first(&self, thread: usize) -> usize {
        thread * self.size / (self.shape.nodes * self.shape.threads) as usize
    }

    /// The rows of a thread.
    pub(super) fn rows(&self, thread: ThreadId) -> Range<usize> {
        let number = (thread.node.0 * self.shape.threads + thread.index) as usize;
        self.first(number)..self.first(number + 1)
    }

    /// The rows of a node.
    pub(super) fn rows_of(&self, node: NodeId) -> Range<usize> {
        let number = |node: u32| (node * self.shape.threads) as usize;
        self.first(number(node.0))..self.first(number(node.0 + 1))
    }

    /// The rows of the node that has most.
    pub(super) fn most_rows(&self) -> usize {
        (0..self.shape.nodes).map(|node| self.rows_of(NodeId(node)).len()).max().unwrap_or(0)
    }

    /// The node that has a row.
    pub(super) fn owner(&self, row: usize) -> NodeId {
        let estimate = (row * self.shape.nodes as usize / self.size) as u32;
        let near = estimate.saturating_sub(1)..(estimate + 2).min(self.shape.nodes);
        let owner = near.map(NodeId).find(|&node| self.rows_of(node).contains(&row));
        owner.unwrap_or_else(|| panic!("row {row} of {}", self.size))
    }

    /// The interior columns, which are also the interior rows.
    pub(super) fn interior(&self) -> Range<usize> {
        1..self.size - 1
    }
}

/// The columns that a loop takes at a time: a model interleaves the accesses of so many points with their computation.
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
    fn every_row_has_one_owner() {
        for (size, nodes, threads) in [(7, 3, 2), (768, 4, 3), (100, 64, 1), (9, 1, 1)] {
            let shape = Shape { nodes, threads };
            let layout = Layout::new(size, shape).unwrap();
            let all = (0..nodes)
                .flat_map(|node| (0..threads).map(move |index| ThreadId { node: NodeId(node), index }));
            let rows: Vec<_> = all.flat_map(|thread| layout.rows(thread)).collect();
            assert_eq!(rows, (0..size as usize).collect::<Vec<_>>());
            for node in (0..nodes).map(NodeId) {
                assert!(layout.rows_of(node).all(|row| layout.owner(row) == node), "{node}");
            }
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
