//! Incomplete Cholesky factorization with zero fill, IC(0).
//!
//! A ≈ L Lᵀ where L has the pattern of A's lower triangle: J. A. Meijerink and H. A. van der Vorst, *An
//! iterative solution method for linear systems of which the coefficient matrix is a symmetric M-matrix*,
//! Math. Comp. 31 (1977). For matrices that are no M-matrices a pivot may vanish; then A + α diag(A) is
//! factored instead: T. A. Manteuffel, *An incomplete factorization technique for positive definite linear
//! systems*, Math. Comp. 34 (1980). The row-wise order of work is that of Y. Saad, *Iterative Methods for
//! Sparse Linear Systems*, 2nd ed., section 10.3.
//!
//! This module must never know the use of the factor.

use std::fmt;

use formats::{Entry, SparseMatrix, Values};

pub use crate::kit::LowerTriangle;
use crate::kit::{stored_diagonal, strictly_lower};

/// The first shift that is tried, relative to the diagonal. Each further shift is twice the last.
const FIRST_SHIFT: f64 = 1e-3;
/// The number of shifts that are tried. The last exceeds 10^15, more than any sensible matrix needs.
const SHIFTS: u32 = 60;
/// A pivot below this share of its diagonal entry is rounding error and counts as zero.
const LEAST_PIVOT: f64 = f64::EPSILON;

/// An incomplete factor, and the shift that it needed.
#[derive(Clone, Debug, PartialEq)]
pub struct Factor {
    /// The factor L. Its diagonal is positive.
    pub lower: LowerTriangle,
    /// The α of A + α diag(A) that was factored; 0 if A itself was.
    pub shift: f64,
}

/// The reason why a matrix has no incomplete factor. Rows are counted from 0 here and from 1 in the text.
#[derive(Clone, Debug, PartialEq)]
pub enum FactorError {
    /// The matrix is not square.
    NotSquare {
        /// The number of rows.
        rows: u32,
        /// The number of columns.
        columns: u32,
    },
    /// A diagonal entry is not positive, so the matrix is not positive definite. An absent entry counts as 0.
    Diagonal {
        /// The row of the diagonal entry.
        row: usize,
        /// The value of the diagonal entry.
        value: f64,
    },
    /// No shift that was tried gave positive pivots.
    Breakdown {
        /// The row of the pivot that failed last.
        row: usize,
    },
}

impl fmt::Display for FactorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NotSquare { rows, columns } => {
                write!(f, "{rows} rows and {columns} columns: expected a square matrix")
            }
            Self::Diagonal { row, value } => {
                write!(f, "diagonal entry {value} in row {}: expected a positive one", row + 1)
            }
            Self::Breakdown { row } => {
                write!(f, "no positive pivot in row {}: expected a positive definite matrix", row + 1)
            }
        }
    }
}

impl std::error::Error for FactorError {}

/// Factors a matrix, shifting its diagonal as little as the doubling sequence 0, 0.001, 0.002, 0.004, …
/// allows.
///
/// Only the lower triangle is read: a general matrix is taken as symmetric, regardless of the values above its
/// diagonal. A pattern is given values that make it diagonally dominant, hence positive definite: -1 off the diagonal
/// and, stored or not, 1 + the number of the row's other entries on it.
///
/// # Errors
/// If the matrix is not square, has a diagonal entry that is not positive, or is too far from positive definite for any
/// shift to help.
pub fn factor(matrix: &SparseMatrix) -> Result<Factor, FactorError> {
    let lower = lower_triangle(matrix)?;
    let mut shift = 0.0;
    let mut failed = 0;
    for _ in 0..=SHIFTS {
        match incomplete_cholesky(lower.clone(), shift) {
            Ok(lower) => return Ok(Factor { lower, shift }),
            Err(row) => failed = row,
        }
        shift = if shift == 0.0 { FIRST_SHIFT } else { 2.0 * shift };
    }
    Err(FactorError::Breakdown { row: failed })
}

/// The lower triangle of A with its own values.
fn lower_triangle(matrix: &SparseMatrix) -> Result<LowerTriangle, FactorError> {
    let &SparseMatrix { rows, columns, values, ref entries, .. } = matrix;
    if rows != columns {
        return Err(FactorError::NotSquare { rows, columns });
    }
    let mut strict = strictly_lower(entries);
    let diagonal = match values {
        Values::Real => stored_diagonal(rows, entries),
        Values::Pattern => {
            strict.iter_mut().for_each(|entry| entry.value = -1.0);
            dominant_diagonal(rows, &strict)
        }
    };
    if let Some(row) = diagonal.iter().position(|&value| value <= 0.0) {
        return Err(FactorError::Diagonal { row, value: diagonal[row] });
    }
    Ok(LowerTriangle::new(&strict, &diagonal))
}

/// For a pattern: the diagonal that makes each row diagonally dominant, 1 + the number of the row's other entries in
/// the whole, mirrored matrix.
fn dominant_diagonal(order: u32, strict: &[Entry]) -> Vec<f64> {
    let mut diagonal = vec![1.0; order as usize];
    for entry in strict {
        diagonal[entry.row as usize] += entry.value.abs();
        diagonal[entry.column as usize] += entry.value.abs();
    }
    diagonal
}

/// Turns the lower triangle of A into that of L, row by row; `Err` is the row whose pivot failed.
///
/// L_ij = (A_ij - Σ_k<j L_ik L_jk) / L_jj. The row under work is spread out in an array of zeros, so that
/// the sum over the pattern common to rows i and j is a walk along row j.
fn incomplete_cholesky(matrix: LowerTriangle, shift: f64) -> Result<LowerTriangle, usize> {
    let (mut spread, mut values) = (vec![0.0; matrix.order()], matrix.values.to_vec());
    for i in 0..matrix.order() {
        let start = matrix.row_start[i];
        let end = matrix.row_start[i + 1] - 1;
        let (above, own) = values.split_at_mut(start);
        let columns = &matrix.columns[start..end];
        let mut squares = 0.0;
        for (value, &column) in own.iter_mut().zip(columns) {
            let j = column as usize;
            let (j_start, j_end) = (matrix.row_start[j], matrix.row_start[j + 1] - 1);
            let common = dot(&matrix.columns[j_start..j_end], &above[j_start..j_end], &spread);
            *value = (*value - common) / above[j_end];
            spread[j] = *value;
            squares += *value * *value;
        }
        let diagonal = own[end - start] * (1.0 + shift);
        let pivot = diagonal - squares;
        // A pivot that is not a number must fail too.
        if !(pivot > LEAST_PIVOT * diagonal && pivot.is_finite()) {
            return Err(i);
        }
        own[end - start] = pivot.sqrt();
        columns.iter().for_each(|&column| spread[column as usize] = 0.0);
    }
    Ok(LowerTriangle { values: values.into(), ..matrix })
}

fn dot(columns: &[u32], values: &[f64], spread: &[f64]) -> f64 {
    columns.iter().zip(values).map(|(&column, value)| value * spread[column as usize]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::matrices::{BUS, JAGMESH, STIFFNESS, input};
    use formats::Symmetry;

    fn matrix(rows: u32, values: Values, entries: &[(u32, u32, f64)]) -> SparseMatrix {
        let entries = entries.iter().map(|&(row, column, value)| Entry { row, column, value }).collect();
        SparseMatrix { rows, columns: rows, symmetry: Symmetry::Symmetric, values, entries }
    }

    fn entry(lower: &LowerTriangle, row: usize, column: usize) -> Option<f64> {
        let (columns, values, diagonal) = lower.row(row);
        if row == column {
            return Some(diagonal);
        }
        columns.iter().position(|&at| at as usize == column).map(|at| values[at])
    }

    /// (L Lᵀ)_ij by definition.
    fn product(lower: &LowerTriangle, i: usize, j: usize) -> f64 {
        (0..=j).filter_map(|k| Some(entry(lower, i, k)? * entry(lower, j, k)?)).sum()
    }

    #[test]
    fn a_full_triangle_is_factored_exactly() {
        // [4 2 -2; 2 5 1; -2 1 6] = L Lᵀ with L = [2; 1 2; -1 1 2]
        let entries = [(2, 2, 6.0), (0, 0, 4.0), (1, 0, 2.0), (2, 1, 1.0), (1, 1, 5.0), (2, 0, -2.0)];
        let factor = factor(&matrix(3, Values::Real, &entries)).unwrap();
        assert_eq!(factor.shift, 0.0);
        assert_eq!(factor.lower.row(0), (&[][..], &[][..], 2.0));
        assert_eq!(factor.lower.row(1), (&[0][..], &[1.0][..], 2.0));
        assert_eq!(factor.lower.row(2), (&[0, 1][..], &[-1.0, 1.0][..], 2.0));
    }

    /// The defining property of IC(0): L Lᵀ equals the shifted A wherever A has an entry.
    #[test]
    fn the_product_agrees_with_the_matrix_on_its_pattern() {
        for name in [BUS, STIFFNESS] {
            let matrix = input(name);
            let Factor { lower, shift } = factor(&matrix).unwrap();
            for Entry { row, column, value } in matrix.entries.iter().step_by(7) {
                let (i, j) = (*row as usize, *column as usize);
                let expected = if i == j { value * (1.0 + shift) } else { *value };
                let scale = (product(&lower, i, i) * product(&lower, j, j)).sqrt();
                assert!((product(&lower, i, j) - expected).abs() <= 1e-13 * scale, "{name} ({i}, {j})");
            }
        }
    }

    #[test]
    fn patterns_become_dominant() {
        let lower =
            lower_triangle(&matrix(3, Values::Pattern, &[(0, 0, 1.0), (1, 0, 1.0), (2, 0, 1.0)])).unwrap();
        assert_eq!(lower.row(0), (&[][..], &[][..], 3.0));
        assert_eq!(lower.row(2), (&[0][..], &[-1.0][..], 2.0));
        assert_eq!(factor(&input(JAGMESH)).unwrap().shift, 0.0);
    }

    #[test]
    fn a_general_matrix_counts_by_its_lower_triangle() {
        let mut general = matrix(2, Values::Real, &[(0, 0, 4.0), (1, 0, 2.0), (0, 1, 99.0), (1, 1, 5.0)]);
        general.symmetry = Symmetry::General;
        assert_eq!(factor(&general).unwrap().lower.row(1), (&[0][..], &[1.0][..], 2.0));
    }

    #[test]
    fn an_indefinite_matrix_is_shifted_just_enough() {
        let indefinite = matrix(2, Values::Real, &[(0, 0, 1.0), (1, 0, 1.1), (1, 1, 1.0)]);
        // (1 + α)² > 1.21 first holds for α = 0.128.
        assert_eq!(factor(&indefinite).unwrap().shift, 0.128);
    }

    #[test]
    fn hopeless_matrices_are_refused() {
        let missing = matrix(2, Values::Real, &[(0, 0, 1.0), (1, 0, 1.0)]);
        assert_eq!(factor(&missing), Err(FactorError::Diagonal { row: 1, value: 0.0 }));
        let far = matrix(2, Values::Real, &[(0, 0, 1e-200), (1, 0, 1.0), (1, 1, 1e-200)]);
        assert_eq!(factor(&far), Err(FactorError::Breakdown { row: 1 }));
        let mut wide = missing;
        wide.columns = 3;
        let error = factor(&wide).unwrap_err();
        assert_eq!(error.to_string(), "2 rows and 3 columns: expected a square matrix");
    }
}
