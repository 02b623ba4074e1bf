//! Bare triplets: lines of `row column value`, with one line of sizes or none.
//!
//! Two layouts circulate with the Harwell-Boeing matrices, neither with a specification:
//!
//! * [`read`]: no header, indices from 0. T. A. Davis, *Direct Methods for Sparse Linear Systems*, SIAM,
//!   2006, section 2.1 has such files (`cs_load`); ours are called `.tri`. The size is one more than the
//!   greatest index, so empty rows and columns at the end cannot be known. Nor can a file cut off at the end
//!   of a line.
//! * [`read_headed`]: a first line `rows columns entries`, then all entries, indices from 1, as the
//!   `.mat.txt` files of the SPEX package: Matrix Market without its banner.
//!
//! In both, blank lines and lines that begin with `%` are skipped, and a cut inside the very last number
//! cannot be told from a whole file. We read them ourselves so as to report all mistakes at once.
//!
//! This module must never know where the bytes came from.

use crate::{
    Errors, SparseMatrix, Symmetry, Values,
    coordinates::{self, Kind, Layout, Listed, Size},
    errors::Report,
    scan::Lines,
};

/// Reads triplets without a header, called `name` in messages. Whether they are all of a matrix or one
/// triangle of a symmetric one, the file does not say: the caller does.
///
/// With [`Symmetry::Symmetric`] they may list either triangle; the matrix has the lower one.
///
/// # Errors
/// All that is wrong with the file: indices or values missing or malformed, values infinite or not a number,
/// text behind an entry, duplicate entries. In a symmetric one also the first entry off the diagonal that is
/// not in the same triangle as those before it.
pub fn read(name: &str, bytes: &[u8], symmetry: Symmetry) -> Result<SparseMatrix, Errors> {
    let mut report = Report::new(bytes);
    let mut lines = Lines::new(bytes, Some(b'%'));
    let layout = Layout { kind: Kind::Real, symmetry: Symmetry::General, base: 0 };
    let any = Size { rows: u32::MAX, columns: u32::MAX, count: None };
    let mut listed = coordinates::entries(&mut lines, layout, any, &mut report);
    if symmetry == Symmetry::Symmetric {
        check_triangle(&listed, &mut report);
        for entry in &mut listed.entries {
            (entry.row, entry.column) = (entry.row.max(entry.column), entry.row.min(entry.column));
        }
    }
    report.finish(name, sized(listed, symmetry))
}

/// Reads triplets under a line of sizes, called `name` in messages. The matrix is [`Symmetry::General`], with
/// the entries as stored; [`SparseMatrix::into_symmetric`] folds one that has both triangles.
///
/// # Errors
/// As [`matrix_market::read`](crate::matrix_market::read), but for what concerns its banner.
pub fn read_headed(name: &str, bytes: &[u8]) -> Result<SparseMatrix, Errors> {
    let mut report = Report::new(bytes);
    let matrix = read_headed_reporting(bytes, &mut report);
    report.finish_some(name, matrix)
}

fn read_headed_reporting(bytes: &[u8], report: &mut Report<'_>) -> Option<SparseMatrix> {
    let mut lines = Lines::new(bytes, Some(b'%'));
    let symmetry = Symmetry::General;
    let Size { rows, columns, count } = coordinates::size(&mut lines, symmetry, report)?;
    let layout = Layout { kind: Kind::Real, symmetry, base: 1 };
    let entries = coordinates::entries(&mut lines, layout, Size { rows, columns, count }, report).entries;
    Some(SparseMatrix { rows, columns, symmetry, values: Values::Real, entries })
}

/// Reports the first entry that is not in the triangle of the first one off the diagonal.
fn check_triangle(listed: &Listed, report: &mut Report<'_>) {
    let side = |at: &usize| listed.entries[*at].row.cmp(&listed.entries[*at].column);
    let mut off_diagonal = (0..listed.entries.len()).filter(|at| side(at).is_ne());
    let Some(first) = off_diagonal.next() else { return };
    let Some(other) = off_diagonal.find(|at| side(at) != side(&first)) else { return };
    report.add_with(listed.offsets[other], "entry", |report| {
        let triangle = if side(&first).is_gt() { "lower" } else { "upper" };
        let (line, _) = report.place(listed.offsets[first]);
        let entry = listed.entries[other];
        let expected = format!("entries of the {triangle} triangle only, as the one on line {line}");
        (format!("({}, {})", entry.row, entry.column), expected)
    });
}

/// The least matrix that has room for the entries.
fn sized(listed: Listed, symmetry: Symmetry) -> SparseMatrix {
    let entries = listed.entries;
    let rows = entries.iter().map(|entry| entry.row + 1).max().unwrap_or(0);
    let columns = match symmetry {
        Symmetry::General => entries.iter().map(|entry| entry.column + 1).max().unwrap_or(0),
        Symmetry::Symmetric => rows, // the lower triangle has no greater column
    };
    SparseMatrix { rows, columns, symmetry, values: Values::Real, entries }
}
