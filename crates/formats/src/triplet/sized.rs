//! Triplets under a line of sizes, as CHOLMOD reads them.
//!
//! It must never know whether the file has such a line: the caller does.

use super::{first_line::counts_from_zero, to_lower_triangle};
use crate::{
    Errors, SparseMatrix, Symmetry, Values,
    coordinates::{self, Layout, Size},
    errors::{Excerpt, Report},
    listed::{Kind, Listed},
    scan::{self, Field, Lines},
};

/// The triangle that the fourth number of the line of sizes tells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stated {
    /// All of the matrix: the number 0 or none.
    General,
    Lower,
    Upper,
}

/// Reads triplets under a line of sizes of three or four numbers, called `name` in messages. See the [module](super).
///
/// # Errors
/// All that is wrong with the file: numbers of the line of sizes, indices out of range, values missing, malformed, infinite or not
/// a number, text behind an entry, entries outside of the stated triangle, entries of a pattern that come again, too few or too
/// many entries.
pub fn read(name: &str, bytes: &[u8]) -> Result<SparseMatrix, Errors> {
    let mut report = Report::new(bytes);
    let matrix = read_reporting(bytes, &mut report);
    report.finish_some(name, matrix)
}

fn read_reporting(bytes: &[u8], report: &mut Report<'_>) -> Option<SparseMatrix> {
    let mut lines = Lines::new(bytes, Some(b'%'));
    let Some(mut first) = lines.next() else {
        report.add(lines.offset(), "size line", "missing", "rows, columns and number of entries");
        return None;
    };
    let [rows, columns, count, fourth] = [(); 4].map(|()| first.take());
    scan::end_of_line(first, report);
    let stated = stated(fourth, report);
    let one_triangle = stated.is_some_and(|stated| stated != Stated::General);
    let symmetry = if one_triangle { Symmetry::Symmetric } else { Symmetry::General };
    let size = coordinates::checked_size(rows, columns, count, symmetry, report);
    let kind =
        if lines.clone().next().is_some_and(|line| line.count() == 2) { Kind::Pattern } else { Kind::Real };
    let base = u32::from(!counts_from_zero(lines.clone()));
    let layout = Layout { kind, symmetry: Symmetry::General, base };
    let mut listed = coordinates::entries(&mut lines, layout, size, report);
    let symmetry = match stated {
        Some(Stated::General) => Symmetry::General,
        Some(triangle) => {
            check_stated(&listed, triangle, base, report);
            Symmetry::Symmetric
        }
        None => inferred(&listed, size),
    };
    if symmetry == Symmetry::Symmetric {
        to_lower_triangle(&mut listed);
    }
    let values = if kind == Kind::Pattern { Values::Pattern } else { Values::Real };
    Some(SparseMatrix { rows: size.rows, columns: size.columns, symmetry, values, entries: listed.entries })
}

/// Reads the fourth number; `None` if there is none, or it was reported.
fn stated(field: Field<'_>, report: &mut Report<'_>) -> Option<Stated> {
    match field.text {
        b"" => None,
        b"0" => Some(Stated::General),
        b"-1" => Some(Stated::Lower),
        b"1" => Some(Stated::Upper),
        other => {
            let expected =
                "0 (all entries), -1 (the lower triangle of a symmetric matrix) or 1 (the upper one)";
            report.add(field.offset, "triangle", Excerpt(other), expected);
            None
        }
    }
}

/// Reports the first entry outside of the triangle that the line of sizes tells.
fn check_stated(listed: &Listed, stated: Stated, base: u32, report: &mut Report<'_>) {
    let outside = listed.entries.iter().position(|entry| match stated {
        Stated::General => false,
        Stated::Lower => entry.column > entry.row,
        Stated::Upper => entry.column < entry.row,
    });
    let Some(at) = outside else { return };
    let entry = listed.entries[at];
    let position = [entry.row, entry.column].map(|index| u64::from(index) + u64::from(base));
    let triangle = if stated == Stated::Lower { "lower" } else { "upper" };
    let expected = format!("entries of the {triangle} triangle only, as the line of sizes says");
    report.add(
        listed.places[at].offset,
        "entry",
        format_args!("({}, {})", position[0], position[1]),
        expected,
    );
}

/// A square matrix with entries in one triangle only is symmetric.
fn inferred(listed: &Listed, size: Size) -> Symmetry {
    let entries = || listed.entries.iter();
    let one_triangle =
        entries().all(|entry| entry.column <= entry.row) || entries().all(|entry| entry.column >= entry.row);
    if size.rows == size.columns && one_triangle { Symmetry::Symmetric } else { Symmetry::General }
}
