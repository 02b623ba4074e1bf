//! The triangular system L x = b as a graph.
//!
//! Node i is the unknown x_i; an edge i → k is a nonzero L_ki below the diagonal. A node may be computed when
//! an update L_ki x_i has arrived along every incoming edge; one edge costs 2 floating-point operations.
//!
//! This module must never know how the updates travel, the order in which they are applied, or which processor owns
//! which row.

use formats::SparseMatrix;
use tempest::entry::{Frozen, portable};

use super::factor::{Factor, FactorError, LowerTriangle, factor};

/// A lower triangular system. Entries below the diagonal are stored by columns, as the program uses them.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The diagonal L_ii; all entries are positive.
    pub diagonal: Frozen<f64>,
    /// The number of edges that come into each node.
    pub in_degree: Frozen<u32>,
    /// The right-hand side b = L x, computed in doubles for x_i = 1 + (i mod 7)/8. It needs no seed, and neighbours
    /// differ.
    pub rhs: Frozen<f64>,
    /// The relative shift of the diagonal that the factorization needed: [`Factor::shift`].
    pub shift: f64,
    pub(super) column_start: Frozen<usize>,
    rows: Frozen<u32>,
    values: Frozen<f64>,
}

portable!(Problem { diagonal, in_degree, rhs, shift, column_start, rows, values });

impl Problem {
    /// Factors the matrix and states the system L x = b.
    ///
    /// # Errors
    /// [`FactorError`] if the matrix has no incomplete factor.
    pub fn new(matrix: &SparseMatrix) -> Result<Self, FactorError> {
        factor(matrix).map(|factor| Self::from_factor(&factor))
    }

    /// States the system L x = b of a given factor.
    pub fn from_factor(factor: &Factor) -> Self {
        let lower = &factor.lower;
        let order = 0..lower.order();
        let column_start = column_starts(lower);
        let (rows, values) = columns(lower, &column_start);
        let problem = Self {
            diagonal: order.clone().map(|row| lower.row(row).2).collect(),
            in_degree: order.clone().map(|row| lower.row(row).0.len() as u32).collect(),
            rhs: Frozen::default(),
            shift: factor.shift,
            column_start: column_start.into(),
            rows: rows.into(),
            values: values.into(),
        };
        let rhs = problem.times(&order.map(intended).collect::<Vec<_>>()).into();
        Self { rhs, ..problem }
    }

    /// The number of unknowns.
    pub fn order(&self) -> usize {
        self.diagonal.len()
    }

    /// The number of edges: entries of L below the diagonal.
    pub fn edges(&self) -> usize {
        self.rows.len()
    }

    /// The outgoing edges of a node: all pairs (k, L_ki), k ascending.
    pub fn edges_from(&self, node: usize) -> impl ExactSizeIterator<Item = (u32, f64)> + '_ {
        let range = self.column_start[node]..self.column_start[node + 1];
        self.rows[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    /// The number of nodes on the longest chain of dependences. No number of processors can shorten it.
    pub fn critical_path(&self) -> usize {
        let mut length = vec![1; self.order()];
        for i in 0..self.order() {
            for (k, _) in self.edges_from(i) {
                length[k as usize] = length[k as usize].max(length[i] + 1);
            }
        }
        length.into_iter().max().unwrap_or(0)
    }

    /// The product L x.
    fn times(&self, x: &[f64]) -> Vec<f64> {
        let mut product: Vec<_> = self.diagonal.iter().zip(x).map(|(value, x)| value * x).collect();
        for (i, &x) in x.iter().enumerate() {
            self.edges_from(i).for_each(|(k, value)| product[k as usize] += value * x);
        }
        product
    }
}

/// The solution x_i that the right-hand side is made for.
pub(super) fn intended(row: usize) -> f64 {
    1.0 + (row % 7) as f64 / 8.0
}

/// The rows and the values of the entries below the diagonal, sorted into columns, which begin at `starts`. Each column is ascending, as
/// the rows are visited in order.
fn columns(lower: &LowerTriangle, starts: &[usize]) -> (Vec<u32>, Vec<f64>) {
    let edges = starts[lower.order()];
    let (mut rows, mut values) = (vec![0; edges], vec![0.0; edges]);
    let mut next = starts.to_vec();
    for row in 0..lower.order() {
        let (columns, of_row, _) = lower.row(row);
        for (&column, &value) in columns.iter().zip(of_row) {
            let at = &mut next[column as usize];
            (rows[*at], values[*at]) = (row as u32, value);
            *at += 1;
        }
    }
    (rows, values)
}

/// The offset of each column when the entries below the diagonal are stored by columns.
fn column_starts(lower: &LowerTriangle) -> Vec<usize> {
    let mut starts = vec![0; lower.order() + 1];
    for row in 0..lower.order() {
        lower.row(row).0.iter().for_each(|&column| starts[column as usize + 1] += 1);
    }
    for column in 0..lower.order() {
        starts[column + 1] += starts[column];
    }
    starts
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::kit::matrices::{STIFFNESS, input};

    pub(in crate::iccg) fn problem(name: &str) -> Problem {
        Problem::new(&input(name)).unwrap()
    }

    #[test]
    fn degrees_columns_and_edges_agree() {
        let problem = problem(STIFFNESS);
        let mut incoming = vec![0; problem.order()];
        for i in 0..problem.order() {
            let targets: Vec<_> = problem.edges_from(i).map(|(k, _)| k).collect();
            assert!(targets.is_sorted() && targets.iter().all(|&k| k as usize > i));
            targets.iter().for_each(|&k| incoming[k as usize] += 1);
        }
        assert_eq!(incoming, *problem.in_degree);
        assert_eq!(problem.edges(), 42_943 - 2_003);
    }

    #[test]
    fn critical_paths() {
        let text = "%%MatrixMarket matrix coordinate pattern symmetric\n5 5 4\n2 1\n4 2\n5 1\n5 3\n";
        let matrix = formats::matrix_market::read("chain", text.as_bytes()).unwrap();
        assert_eq!(Problem::new(&matrix).unwrap().critical_path(), 3);
        let empty = "%%MatrixMarket matrix coordinate pattern symmetric\n0 0 0\n";
        let matrix = formats::matrix_market::read("empty", empty.as_bytes()).unwrap();
        let problem = Problem::new(&matrix).unwrap();
        assert_eq!(problem.critical_path(), 0);
        assert!(problem.check(&[]).passed());
    }
}
