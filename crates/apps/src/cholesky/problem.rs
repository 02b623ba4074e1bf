//! The problem: a symmetric positive definite matrix in the order of its elimination, and the structure of its factor.
//!
//! This module must never know which thread computes a value, nor where an entry lies.

use std::{fmt, io};

use formats::{Entry, SparseMatrix, Values};
use tempest::entry::{Packer, Portable, Unpacker};

use crate::kit::{LowerTriangle, stored_diagonal, strictly_lower};

use super::columns::Columns;
use super::order::{Order, permuted};
use super::reference;
use super::structure::Structure;

/// Excess of the invented diagonal over the number of entries of the fullest column, as in SPLASH-2.
const EXCESS: f64 = 0.1;

/// A matrix in the order of its elimination.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Problem {
    /// The lower triangle of the matrix by rows.
    pub(super) matrix: LowerTriangle,
    /// The lower triangle of the matrix by columns.
    pub(super) columns: Columns,
    /// The structure of the factor.
    pub(super) structure: Structure,
}

/// The arrays of the matrix. The structure of the factor is found again.
impl Portable for Problem {
    fn pack(&self, to: &mut Packer) -> io::Result<()> {
        let Self { matrix, columns, structure: _ } = self;
        matrix.pack(to)?;
        columns.pack(to)
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        let (matrix, columns) = (LowerTriangle::unpack(from)?, Columns::unpack(from)?);
        Some(Self { structure: Structure::of(&matrix), matrix, columns })
    }
}

/// The reason why a matrix has no Cholesky factor, or is rejected without a try. Rows are counted from 0 here and from
/// 1 in the text.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum NoFactor {
    /// The matrix has no rows.
    Empty,
    /// All entries stand on and below the diagonal, and the file does not say that the others mirror them.
    Triangle,
    /// A pivot is not positive: the matrix is not positive definite.
    Pivot {
        /// The number of the pivot in the order of elimination.
        pivot: usize,
        /// The row of the file that the pivot belongs to.
        row: usize,
    },
}

impl fmt::Display for NoFactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Empty => f.write_str("0 rows: expected at least 1"),
            Self::Triangle => f.write_str(
                "a triangular factor without its matrix: expected the symmetric matrix, of which cholesky computes the factor \
                 itself; a file of one triangle says `symmetric` in its header",
            ),
            Self::Pivot { pivot, row } => write!(
                f,
                "pivot {} of the elimination, row {} of the file, is not positive: expected a positive definite matrix",
                pivot + 1,
                row + 1
            ),
        }
    }
}

impl std::error::Error for NoFactor {}

impl Problem {
    /// Orders a matrix that is symmetric, finds the structure of its factor, and makes sure that it has one.
    ///
    /// # Errors
    /// [`NoFactor`] if the matrix has no rows or is not positive definite.
    pub(super) fn new(matrix: &SparseMatrix, order: Order) -> Result<Self, NoFactor> {
        if matrix.rows == 0 {
            return Err(NoFactor::Empty);
        }
        let given = lower_triangle(matrix);
        let order = order.of(&given);
        let matrix = permuted(&given, &order);
        let structure = Structure::of(&matrix);
        reference::factor(&matrix, &structure.counts)
            .map_err(|pivot| NoFactor::Pivot { pivot, row: order[pivot] as usize })?;
        Ok(Self { columns: Columns::of(&matrix), matrix, structure })
    }
}

/// The lower triangle of a symmetric matrix. A pattern has the values that SPLASH-2 gives it: -1 off the diagonal, and on it 0.1 more
/// than the number of entries of the fullest column. So it is diagonally dominant, hence positive definite.
fn lower_triangle(matrix: &SparseMatrix) -> LowerTriangle {
    let &SparseMatrix { rows, values, ref entries, .. } = matrix;
    let mut strict = strictly_lower(entries);
    match values {
        Values::Real => LowerTriangle::new(&strict, &stored_diagonal(rows, entries)),
        Values::Pattern => {
            strict.iter_mut().for_each(|entry| entry.value = -1.0);
            let diagonal = f64::from(fullest_column(rows, &strict)) + EXCESS;
            LowerTriangle::new(&strict, &vec![diagonal; rows as usize])
        }
    }
}

/// The number of entries of the fullest column of the whole, mirrored matrix, with the diagonal.
fn fullest_column(order: u32, strict: &[Entry]) -> u32 {
    let mut counts = vec![1; order as usize];
    for entry in strict {
        counts[entry.row as usize] += 1;
        counts[entry.column as usize] += 1;
    }
    counts.into_iter().max().unwrap_or(0)
}
