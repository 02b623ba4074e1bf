//! The grid of threads of cannon: rows and columns of threads, and the square torus of blocks that they have. This module must never
//! know how blocks travel.

use std::ops::Range;

/// Threads in rows and columns, and on them a square of blocks. A thread has a rectangle of consecutive blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Grid {
    /// Rows of threads, at most as many as columns.
    pub(super) rows: usize,
    /// Columns of threads.
    pub(super) columns: usize,
    /// Rows and columns of blocks: the least common multiple of both.
    pub(super) side: usize,
}

impl Grid {
    /// The grid of `threads` threads that is nearest to a square.
    pub(super) fn of(threads: usize) -> Self {
        let rows = (1..=threads.isqrt()).rev().find(|rows| threads.is_multiple_of(*rows)).unwrap_or(1);
        let columns = threads / rows;
        let side = (columns..).step_by(columns).find(|side| side.is_multiple_of(rows)).unwrap_or(columns);
        Self { rows, columns, side }
    }

    /// Rows of blocks of a thread.
    pub(super) fn high(&self) -> usize {
        self.side / self.rows
    }

    /// Columns of blocks of a thread.
    pub(super) fn wide(&self) -> usize {
        self.side / self.columns
    }

    /// The rows of blocks of a thread.
    pub(super) fn rows_of(&self, thread: usize) -> Range<usize> {
        let first = thread / self.columns * self.high();
        first..first + self.high()
    }

    /// The columns of blocks of a thread.
    pub(super) fn columns_of(&self, thread: usize) -> Range<usize> {
        let first = thread % self.columns * self.wide();
        first..first + self.wide()
    }

    /// The thread that has a block.
    pub(super) fn owner(&self, (row, column): (usize, usize)) -> usize {
        row / self.high() * self.columns + column / self.wide()
    }

    /// The left neighbour in the same row; the row wraps around.
    pub(super) fn left(&self, thread: usize) -> usize {
        let (row, column) = (thread / self.columns, thread % self.columns);
        row * self.columns + (column + self.columns - 1) % self.columns
    }

    /// The upper neighbour in the same column; the column wraps around.
    pub(super) fn above(&self, thread: usize) -> usize {
        let all = self.rows * self.columns;
        (thread + all - self.columns) % all
    }

    /// Place where the block of the left factor in a row and column is multiplied first: shifted left by its row.
    pub(super) fn skewed_left(&self, (row, column): (usize, usize)) -> (usize, usize) {
        (row, (column + self.side - row) % self.side)
    }

    /// Place where the block of the right factor in a row and column is multiplied first: shifted up by its column.
    pub(super) fn skewed_up(&self, (row, column): (usize, usize)) -> (usize, usize) {
        ((row + self.side - column) % self.side, column)
    }

    /// The slot of a thread that has, at a step, the left factor's block in a row and column of the thread's. Each row is a ring with
    /// one slot more than blocks: when all shift left by one, the block that comes fills it, and the others stay in their slots.
    pub(super) fn left_slot(&self, step: usize, (row, column): (usize, usize)) -> usize {
        let ring = self.wide() + 1;
        row * ring + (step + column) % ring
    }

    /// The slot of a thread that has, at a step, the right factor's block in a row and column of the thread's. Each column is a ring.
    pub(super) fn right_slot(&self, step: usize, (row, column): (usize, usize)) -> usize {
        let ring = self.high() + 1;
        column * ring + (step + row) % ring
    }

    /// The slots of a thread for the left factor, and for the right one.
    pub(super) fn slots(&self) -> (usize, usize) {
        (self.high() * (self.wide() + 1), self.wide() * (self.high() + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_as_square_as_they_can_be() {
        let grid = |threads| {
            let Grid { rows, columns, side } = Grid::of(threads);
            (rows, columns, side)
        };
        assert_eq!([1, 8, 16].map(grid), [(1, 1, 1), (2, 4, 4), (4, 4, 4)]);
        assert_eq!([6, 7, 15].map(grid), [(2, 3, 6), (1, 7, 7), (3, 5, 15)]);
    }

    #[test]
    fn every_block_is_one_of_its_owner() {
        for threads in 1..20 {
            let grid = Grid::of(threads);
            for block in (0..grid.side).flat_map(|row| (0..grid.side).map(move |column| (row, column))) {
                let owner = grid.owner(block);
                assert!(grid.rows_of(owner).contains(&block.0) && grid.columns_of(owner).contains(&block.1));
                assert!(owner < threads);
            }
        }
    }

    #[test]
    fn neighbours_have_the_next_blocks() {
        for grid in (1..20).map(Grid::of) {
            for thread in 0..grid.rows * grid.columns {
                let (row, column) = (grid.rows_of(thread).start, grid.columns_of(thread).start);
                let before = |index: usize| (index + grid.side - 1) % grid.side;
                assert_eq!(grid.left(thread), grid.owner((row, before(column))));
                assert_eq!(grid.above(thread), grid.owner((before(row), column)));
            }
        }
    }

    /// Compares the blocks at each place of the torus, as they are skewed and shifted.
    #[test]
    fn blocks_that_meet_are_factors_of_one_term_and_all_terms_come_once() {
        let grid = Grid::of(6);
        let all = || (0..grid.side).flat_map(|row| (0..grid.side).map(move |column| (row, column)));
        for place in all() {
            let mut terms: Vec<usize> = (0..grid.side)
                .map(|step| {
                    let shifted = |(row, column): (usize, usize), (up, left): (usize, usize)| {
                        ((row + up) % grid.side, (column + left) % grid.side)
                    };
                    let left = all().find(|block| grid.skewed_left(*block) == shifted(place, (0, step)));
                    let right = all().find(|block| grid.skewed_up(*block) == shifted(place, (step, 0)));
                    let (left, right) = (left.unwrap(), right.unwrap());
                    assert_eq!((left.0, left.1, right.1), (place.0, right.0, place.1));
                    left.1
                })
                .collect();
            terms.sort_unstable();
            assert!(terms.into_iter().eq(0..grid.side));
        }
    }

    #[test]
    fn a_block_stays_in_its_slot_until_it_leaves() {
        let grid = Grid::of(6);
        assert_eq!((grid.high(), grid.wide(), grid.slots()), (3, 2, (9, 8)));
        for step in 0..10 {
            assert_eq!(grid.left_slot(step, (2, 1)), grid.left_slot(step + 1, (2, 0)));
            assert_eq!(grid.right_slot(step, (2, 1)), grid.right_slot(step + 1, (1, 1)));
            // An arriving block overwrites neither a leaving nor a staying one.
            let comes = grid.left_slot(step + 1, (1, 1));
            assert!((0..2).all(|column| grid.left_slot(step, (1, column)) != comes));
        }
    }
}
