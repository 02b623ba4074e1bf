//! A sparse lower triangular matrix. This module must never know the use of the matrix.

use formats::Entry;
use tempest::entry::{Frozen, portable};

/// A lower triangular matrix by rows: columns ascend and the diagonal comes last.
#[derive(Clone, Debug, PartialEq)]
pub struct LowerTriangle {
    pub(crate) row_start: Frozen<usize>,
    pub(crate) columns: Frozen<u32>,
    pub(crate) values: Frozen<f64>,
}

portable!(LowerTriangle { row_start, columns, values });

impl LowerTriangle {
    /// Joins the entries below the diagonal, sorted by row and column, with the diagonal.
    pub(crate) fn new(strict: &[Entry], diagonal: &[f64]) -> Self {
        let stored = strict.len() + diagonal.len();
        let (mut columns, mut values) = (Vec::with_capacity(stored), Vec::with_capacity(stored));
        let mut row_start = vec![0];
        let mut rest = strict;
        for (row, &value) in diagonal.iter().enumerate() {
            let (own, others) = rest.split_at(rest.partition_point(|entry| entry.row as usize == row));
            rest = others;
            columns.extend(own.iter().map(|entry| entry.column).chain([own_index(row)]));
            values.extend(own.iter().map(|entry| entry.value).chain([value]));
            row_start.push(columns.len());
        }
        Self { row_start: row_start.into(), columns: columns.into(), values: values.into() }
    }

    /// The number of rows, which is the number of columns too.
    pub fn order(&self) -> usize {
        self.row_start.len() - 1
    }

    /// A row: the columns and the values left of the diagonal, and the value on the diagonal.
    pub fn row(&self, row: usize) -> (&[u32], &[f64], f64) {
        let (start, diagonal) = (self.row_start[row], self.row_start[row + 1] - 1);
        (&self.columns[start..diagonal], &self.values[start..diagonal], self.values[diagonal])
    }
}

fn own_index(row: usize) -> u32 {
    u32::try_from(row).expect("a matrix has at most u32::MAX rows")
}

/// The entries below the diagonal, sorted by row and column.
pub(crate) fn strictly_lower(entries: &[Entry]) -> Vec<Entry> {
    let mut strict: Vec<_> = entries.iter().filter(|entry| entry.column < entry.row).copied().collect();
    strict.sort_unstable_by_key(|entry| (entry.row, entry.column));
    strict
}

/// The entries on the diagonal, indexed by row. An absent entry is 0.
pub(crate) fn stored_diagonal(order: u32, entries: &[Entry]) -> Vec<f64> {
    let mut diagonal = vec![0.0; order as usize];
    for entry in entries.iter().filter(|entry| entry.row == entry.column) {
        diagonal[entry.row as usize] = entry.value;
    }
    diagonal
}
