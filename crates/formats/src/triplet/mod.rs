//! Bare triplets: lines of `row column value`, with a line of sizes or none.
//!
//! Three layouts circulate, none with a mark of its own:
//!
//! * [`read`]: no line of sizes, indices from 0. T. A. Davis, *Direct Methods for Sparse Linear Systems*, SIAM,
//!   2006, section 2.1 has such files (`cs_load`); they are called `.tri`. The size is one more than the
//!   greatest index, so empty rows and columns at the end cannot be known. Nor can a file cut off at the end
//!   of a line.
//! * [`read_sized`]: the files called `.tri` of CHOLMOD (T. A. Davis, *User Guide for CHOLMOD*, `cholmod_read_triplet`). The first
//!   line is `rows columns entries`, perhaps with a fourth number: 0 for all of a matrix, -1 or 1 for the lower or the upper triangle
//!   of a symmetric one. Without it, a square matrix with entries in one triangle only is symmetric. Indices count from 0 if one
//!   of them is 0, else from 1. Lines of two numbers are a pattern.
//! * [`read_headed`]: a first line `rows columns entries`, then all entries, indices from 1, as the
//!   `.mat.txt` files of the SPEX package: Matrix Market without its banner.
//!
//! [`read_either`] tells the first two apart by the content.
//!
//! In all of them, blank lines and lines that begin with `%` are skipped, an entry that comes again is added to the
//! first, and a cut inside the very last number cannot be told from a whole file. We read them ourselves so as
//! to report all mistakes at once.
//!
//! This module must never know where the bytes came from.

mod first_line;
mod sized;

use crate::{
    Errors, SparseMatrix, Symmetry, Values,
    coordinates::{self, Layout, Size},
    errors::{Excerpt, Report},
    listed::{Kind, Listed},
    scan::Lines,
};
use first_line::FirstLine;

pub use sized::read as read_sized;

/// Reads triplets without a line of sizes, called `name` in messages. Whether they are all of a matrix or one
/// triangle of a symmetric one, the file does not say: the caller does.
///
/// With [`Symmetry::Symmetric`] they may list either triangle; the matrix has the lower one.
///
/// # Errors
/// All that is wrong with the file: indices or values missing or malformed, values infinite or not a number,
/// text behind an entry. In a symmetric one also the first entry off the diagonal that is not in the same
/// triangle as those before it.
pub fn read(name: &str, bytes: &[u8], symmetry: Symmetry) -> Result<SparseMatrix, Errors> {
    let mut report = Report::new(bytes);
    let mut lines = Lines::new(bytes, Some(b'%'));
    let layout = Layout { kind: Kind::Real, symmetry: Symmetry::General, base: 0 };
    let any = Size { rows: u32::MAX, columns: u32::MAX, count: None, offset: 0 };
    let mut listed = coordinates::entries(&mut lines, layout, any, &mut report);
    if symmetry == Symmetry::Symmetric {
        check_triangle(&listed, layout.base, &mut report);
        to_lower_triangle(&mut listed);
    }
    report.finish(name, least(listed, symmetry))
}

/// Reads triplets with or without a line of sizes, called `name` in messages: [`read_sized`] or [`read`] of a symmetric
/// matrix, as the content says.
///
/// The first line states sizes if it has four integers, or three of which the third is the number of lines behind it.
/// It is an entry if a line behind it has a greater index, or the sizes have too little room for its number of entries.
///
/// # Errors
/// The errors of the layout's reader; and a first line that may be either.
pub fn read_either(name: &str, bytes: &[u8]) -> Result<SparseMatrix, Errors> {
    match FirstLine::of(bytes) {
        FirstLine::Sizes => read_sized(name, bytes),
        FirstLine::Entry => read(name, bytes, Symmetry::Symmetric),
        FirstLine::Either { offset, text, follow } => {
            let mut report = Report::new(bytes);
            let expected = format!(
                "the number of entries as third number if these are sizes ({follow} follow), \
                 or a decimal point in it if this is an entry"
            );
            report.add(offset, "first line", Excerpt(text), expected);
            report.finish_some(name, None)
        }
    }
}

/// Reads triplets under a line of sizes, called `name` in messages. The matrix is [`Symmetry::General`], with the
/// entries as stored; [`SparseMatrix::into_symmetric`] folds a matrix that has both triangles.
///
/// # Errors
/// As [`matrix_market::read`](crate::matrix_market::read), but for the banner; and a first line that is an entry.
pub fn read_headed(name: &str, bytes: &[u8]) -> Result<SparseMatrix, Errors> {
    let mut report = Report::new(bytes);
    let matrix = read_headed_reporting(bytes, &mut report);
    report.finish_some(name, matrix)
}

fn read_headed_reporting(bytes: &[u8], report: &mut Report<'_>) -> Option<SparseMatrix> {
    let mut lines = Lines::new(bytes, Some(b'%'));
    if let Some(line) = lines.clone().next().filter(|_| first_line::is_bare(bytes)) {
        let expected = "rows, columns and number of entries; triplets without them are called .tri";
        report.add(line.rest().offset, "size line", Excerpt(line.rest().text), expected);
        return None;
    }
    let symmetry = Symmetry::General;
    let size = coordinates::size(&mut lines, symmetry, report)?;
    let layout = Layout { kind: Kind::Real, symmetry, base: 1 };
    let entries = coordinates::entries(&mut lines, layout, size, report).entries;
    let Size { rows, columns, .. } = size;
    Some(SparseMatrix { rows, columns, symmetry, values: Values::Real, entries })
}

/// Reports the first entry that is not in the triangle of the first one off the diagonal.
fn check_triangle(listed: &Listed, base: u32, report: &mut Report<'_>) {
    let side = |at: &usize| listed.entries[*at].row.cmp(&listed.entries[*at].column);
    let mut off_diagonal = (0..listed.entries.len()).filter(|at| side(at).is_ne());
    let Some(first) = off_diagonal.next() else { return };
    let Some(other) = off_diagonal.find(|at| side(at) != side(&first)) else { return };
    report.add_with(listed.places[other].offset, "entry", |report| {
        let triangle = if side(&first).is_gt() { "lower" } else { "upper" };
        let (line, _) = report.place(listed.places[first].offset);
        let entry = listed.entries[other];
        let expected = format!("entries of the {triangle} triangle only, as the one on line {line}");
        let position = [entry.row, entry.column].map(|index| u64::from(index) + u64::from(base));
        (format!("({}, {})", position[0], position[1]), expected)
    });
}

fn to_lower_triangle(listed: &mut Listed) {
    for entry in &mut listed.entries {
        (entry.row, entry.column) = (entry.row.max(entry.column), entry.row.min(entry.column));
    }
}

/// The least matrix that has room for the entries.
fn least(listed: Listed, symmetry: Symmetry) -> SparseMatrix {
    let entries = listed.entries;
    let rows = entries.iter().map(|entry| entry.row + 1).max().unwrap_or(0);
    let columns = match symmetry {
        Symmetry::General => entries.iter().map(|entry| entry.column + 1).max().unwrap_or(0),
        Symmetry::Symmetric => rows, // the lower triangle has no greater column
    };
    SparseMatrix { rows, columns, symmetry, values: Values::Real, entries }
}
