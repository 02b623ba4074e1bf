//! The parts of elimination that all styles of gauss share: the permutation, and strips of a row. This module must never know where
//! rows are.

use std::ops::Range;

/// The columns that a loop takes at a time in a model, which interleaves the accesses of a strip with its computation.
pub(super) const STRIP: usize = 64;

/// Divides a range of columns into strips of `length`.
pub(super) fn strips(range: Range<usize>, length: usize) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(length).map(move |start| start..end.min(start.saturating_add(length)))
}

/// Subtracts the multiple of a pivot row's elements from a row's.
#[inline]
pub(super) fn subtract(row: &mut [f64], factor: f64, pivot: &[f64]) {
    row.iter_mut().zip(pivot).for_each(|(element, pivot)| *element -= factor * pivot);
}

/// The rows in the order of the columns whose pivots they are, as a sequential elimination would exchange them. Each thread keeps
/// its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Permutation {
    rows: Vec<u32>,
    /// By row: its position.
    positions: Vec<u32>,
}

impl Permutation {
    /// All rows at their own positions.
    pub(super) fn new(size: usize) -> Self {
        let rows: Vec<u32> = (0..size as u32).collect();
        Self { positions: rows.clone(), rows }
    }

    /// The row at a position.
    pub(super) fn row(&self, position: usize) -> usize {
        self.rows[position] as usize
    }

    /// The position of a row.
    pub(super) fn position(&self, row: usize) -> usize {
        self.positions[row] as usize
    }

    /// Exchanges the rows at two positions.
    pub(super) fn exchange(&mut self, one: usize, other: usize) {
        self.rows.swap(one, other);
        for position in [one, other] {
            self.positions[self.rows[position] as usize] = position as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_where_they_were_exchanged_to() {
        let mut permutation = Permutation::new(4);
        permutation.exchange(0, 2);
        permutation.exchange(2, 3);
        assert_eq!([0, 1, 2, 3].map(|position| permutation.row(position)), [2, 1, 3, 0]);
        assert_eq!([0, 1, 2, 3].map(|row| permutation.position(row)), [3, 1, 0, 2]);
    }

    #[test]
    fn strips_are_all_columns() {
        assert_eq!(strips(5..140, 64).collect::<Vec<_>>(), [5..69, 69..133, 133..140]);
        assert!(strips(5..140, usize::MAX).eq(std::iter::once(5..140)));
        assert_eq!(strips(5..5, 64).next(), None);
    }
}
