//! The rows of the square matrix that the points are, and their places in memory. This module must never know how points travel.
//!
//! Each thread has consecutive rows, in memory of its node. Rows are padded so that the rows of a thread are whole
//! pages where their number divides a page, and by a line of a cache at least, so that the points of a column do not
//! all fall on the same few lines of a cache. (S. C. Woo, M. Ohara, E. Torrie, J. P. Singh and A. Gupta, *The SPLASH-2
//! Programs: Characterization and Methodological Considerations*, ISCA 1995.)

use std::ops::Range;

use tempest::{NodeId, Shape, ThreadId};

use crate::kit::Division;

/// The points of a longest line of a cache, of 128 bytes.
const LINE: usize = 8;

/// The points of a page of 4096 bytes.
const PAGE: usize = 256;

/// The rows and columns of a tile: points are moved a tile at a time, which caches hold.
pub(super) const TILE: usize = 16;

/// The words of a point.
pub(super) const WORDS: usize = 2;

/// A square matrix of points whose rows are divided among threads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    division: Division,
    /// The words from the beginning of a row to the beginning of the next.
    row: usize,
}

impl Layout {
    /// The layout of a matrix with `side` rows.
    pub(super) fn new(side: u32, shape: Shape) -> Self {
        let division = Division::new(side, shape);
        let rows = (division.most_of_a_node().div_ceil(shape.threads)) as usize;
        let padding = (PAGE / rows).max(LINE);
        Self { division, row: (side as usize + padding) * WORDS }
    }

    /// The points of a row.
    pub(super) fn side(&self) -> usize {
        self.division.size() as usize
    }

    /// The number of threads in all.
    pub(super) fn threads(&self) -> u64 {
        let Shape { nodes, threads } = self.division.shape();
        u64::from(nodes) * u64::from(threads)
    }

    /// The rows of a thread.
    pub(super) fn rows(&self, thread: ThreadId) -> Range<usize> {
        wide(self.division.of_thread(thread))
    }

    /// The rows of a node.
    pub(super) fn rows_of(&self, node: NodeId) -> Range<usize> {
        wide(self.division.of_node(node))
    }

    /// The node that has a row.
    pub(super) fn node_of(&self, row: usize) -> NodeId {
        self.division.node_of(row as u32)
    }

    /// The most rows of a node.
    pub(super) fn most_rows(&self) -> usize {
        self.division.most_of_a_node() as usize
    }

    /// The most words of a node's rows.
    pub(super) fn most_words(&self) -> usize {
        self.most_rows() * self.row
    }

    /// The place of a point among the words of the node that has its row.
    pub(super) fn place(&self, row: usize, column: usize) -> usize {
        (row - self.rows_of(self.node_of(row)).start) * self.row + column * WORDS
    }

    /// All threads in the order in which `thread` exchanges tiles with them: the next one first and itself last.
    pub(super) fn after(&self, thread: ThreadId) -> impl Iterator<Item = ThreadId> {
        self.division.after(thread)
    }

    /// The points that one transposition moves from a node to another.
    pub(super) fn moved(&self) -> usize {
        let nodes = self.division.shape().nodes;
        let own: usize = (0..nodes).map(|node| self.rows_of(NodeId(node)).len().pow(2)).sum();
        self.side().pow(2) - own
    }
}

/// Divides a range into runs of at most [`TILE`].
pub(super) fn tiles(all: Range<usize>) -> impl Iterator<Item = Range<usize>> + Clone {
    let end = all.end;
    all.step_by(TILE).map(move |first| first..end.min(first + TILE))
}

fn wide(rows: Range<u32>) -> Range<usize> {
    rows.start as usize..rows.end as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_of_each_thread_are_whole_pages_in_the_configuration_of_the_study() {
        let layout = Layout::new(1024, Shape { nodes: 8, threads: 8 });
        assert_eq!(layout.rows(ThreadId { node: NodeId(1), index: 2 }), 160..176);
        // 16 rows of 1024 points and 16 points of padding.
        assert_eq!((layout.place(160, 0) * 8) % 4096, 0);
        assert_eq!(layout.place(161, 1) - layout.place(160, 0), 2 * (1024 + 16 + 1));
        assert_eq!(layout.moved(), 1024 * 1024 * 7 / 8);
    }

    #[test]
    fn tiles_cover_a_range_once() {
        assert_eq!(tiles(5..40).collect::<Vec<_>>(), [5..21, 21..37, 37..40]);
        assert_eq!(tiles(3..3).count(), 0);
    }
}
