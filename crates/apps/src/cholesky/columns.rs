//! A lower triangular matrix by columns. This module must never know the use of the matrix.

use tempest::entry::{Frozen, portable};

use crate::kit::LowerTriangle;

/// A lower triangular matrix by columns: rows ascend and the diagonal comes first.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Columns {
    pub(super) start: Frozen<usize>,
    pub(super) rows: Frozen<u32>,
    pub(super) values: Frozen<f64>,
}

portable!(Columns { start, rows, values });

impl Columns {
    /// The matrix of these arrays: `start` has the place of the first entry of each column, and the number of entries.
    pub(super) fn new(start: Vec<usize>, rows: Vec<u32>, values: Vec<f64>) -> Self {
        Self { start: start.into(), rows: rows.into(), values: values.into() }
    }

    /// Joins columns, each of its rows and values, the diagonal first.
    pub(super) fn of_columns<'c>(columns: impl Iterator<Item = (&'c [u32], Vec<f64>)>) -> Self {
        let (mut start, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
        for (of_column, their_values) in columns {
            rows.extend(of_column);
            values.extend(their_values);
            start.push(rows.len());
        }
        Self::new(start, rows, values)
    }

    /// The rows and the values of a column, the diagonal first.
    pub(super) fn column(&self, column: usize) -> (&[u32], &[f64]) {
        let range = self.start[column]..self.start[column + 1];
        (&self.rows[range.clone()], &self.values[range])
    }

    /// The number of columns, which is the number of rows too.
    pub(super) fn order(&self) -> usize {
        self.start.len() - 1
    }

    /// The lower triangle of a matrix, by columns.
    pub(super) fn of(matrix: &LowerTriangle) -> Self {
        let mut start = vec![0; matrix.order() + 1];
        matrix.columns.iter().for_each(|&column| start[column as usize + 1] += 1);
        for column in 0..matrix.order() {
            start[column + 1] += start[column];
        }
        let (mut rows, mut values) = (vec![0; matrix.columns.len()], vec![0.0; matrix.columns.len()]);
        let mut next = start.clone();
        for row in 0..matrix.order() {
            let (columns, of_row, diagonal) = matrix.row(row);
            let diagonal = (row as u32, diagonal);
            for (column, value) in columns.iter().copied().zip(of_row.iter().copied()).chain([diagonal]) {
                let at = &mut next[column as usize];
                (rows[*at], values[*at]) = (row as u32, value);
                *at += 1;
            }
        }
        Self::new(start, rows, values)
    }
}
