//! The sparse matrix as a list of entries: what a file says, in the order it says it.
//!
//! It must never know a file format, nor what its numbers are used for.

/// Which entries of a matrix its list holds.
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

/// One stored entry, indices counted from 0.
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
/// Every reader of this crate upholds, and every user may rely on: indices are in range, no position
/// occurs twice, values are finite, a [`Symmetry::Symmetric`] matrix is square and lists no entry above
/// its diagonal. Whoever builds one by hand makes the same promises.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseMatrix {
    /// Number of rows.
    pub rows: u32,
    /// Number of columns.
    pub columns: u32,
    /// Which entries are listed.
    pub symmetry: Symmetry,
    /// Whether the entries carry numbers.
    pub values: Values,
    /// The stored entries, in the order of the file.
    pub entries: Vec<Entry>,
}
