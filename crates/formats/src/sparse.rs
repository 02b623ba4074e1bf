//! The sparse matrix as a list of entries: the contents of a file, in its order.
//!
//! It must never know a file format, nor the use of the numbers.

use std::{collections::HashMap, fmt};

/// Part of a matrix that its list of entries holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// Every entry that may differ from zero.
    General,
    /// The lower triangle with the diagonal (`column <= row`); the rest mirrors it, a_ji = a_ij.
    Symmetric,
}

/// Whether the entries of a matrix carry numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// Each entry has the value stated.
    Real,
    /// Only positions are known; every [`Entry::value`] is 1, the usual reading of a pattern as numbers.
    Pattern,
}

/// A stored entry, indices counted from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// Row, `0..rows`.
    pub row: u32,
    /// Column, `0..columns`.
    pub column: u32,
    /// The number there: finite, perhaps an explicit zero; 1 in a pattern.
    pub value: f64,
}

/// A sparse matrix as coordinates.
///
/// Every reader of this crate upholds, and every user may rely on: indices are in range, no position occurs twice,
/// values are finite, a [`Symmetry::Symmetric`] matrix is square and lists no entry above its diagonal. Code that
/// builds one by hand makes the same promises.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseMatrix {
    /// Number of rows.
    pub rows: u32,
    /// Number of columns.
    pub columns: u32,
    /// Part of the matrix that is listed.
    pub symmetry: Symmetry,
    /// Whether the entries carry numbers.
    pub values: Values,
    /// The stored entries, in the order of the file.
    pub entries: Vec<Entry>,
}

impl SparseMatrix {
    /// Makes the matrix [`Symmetry::Symmetric`]: it keeps the entries of the lower triangle, in their order. A matrix
    /// that is symmetric already is returned unchanged.
    ///
    /// # Errors
    /// The shape if it is not square, else the first entry, in the order of the list, whose mirrored position has no
    /// exactly equal value.
    pub fn into_symmetric(mut self) -> Result<Self, Asymmetry> {
        if self.symmetry == Symmetry::Symmetric {
            return Ok(self);
        }
        if self.rows != self.columns {
            return Err(Asymmetry::Shape { rows: self.rows, columns: self.columns });
        }
        let positions = self.entries.iter().map(|entry| ((entry.row, entry.column), entry.value));
        let values: HashMap<_, _> = positions.collect();
        for &entry in &self.entries {
            let mirror = values.get(&(entry.column, entry.row)).copied();
            if mirror != Some(entry.value) {
                return Err(Asymmetry::Entry { entry, mirror });
            }
        }
        self.entries.retain(|entry| entry.column <= entry.row);
        self.symmetry = Symmetry::Symmetric;
        Ok(self)
    }
}

/// Reason why a matrix is not symmetric. Displays as the found and the expected value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Asymmetry {
    /// The matrix is not square.
    Shape {
        /// Number of rows.
        rows: u32,
        /// Number of columns.
        columns: u32,
    },
    /// An entry differs from the entry in the mirrored position.
    Entry {
        /// The entry.
        entry: Entry,
        /// The value in the mirrored position; `None` if nothing is stored there.
        mirror: Option<f64>,
    },
}

impl fmt::Display for Asymmetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Shape { rows, columns } => {
                write!(f, "{rows} rows and {columns} columns: expected a square matrix, to be symmetric")
            }
            Self::Entry { entry: Entry { row, column, value }, mirror } => {
                write!(f, "entry ({row}, {column}), counted from 0, is {value:?}: expected ")?;
                match mirror {
                    Some(mirror) => write!(f, "{mirror:?} as entry ({column}, {row})"),
                    None => write!(f, "an entry ({column}, {row}) too, of the same value"),
                }
            }
        }
    }
}

impl std::error::Error for Asymmetry {}
