//! The banner and the size line: what a file says it holds.
//!
//! It must never know the entries.

use super::scan::{Field, Fields, Lines, unsigned};
use crate::{
    Symmetry,
    errors::{Excerpt, Report},
};

/// What stands behind the two indices of an entry.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Real,
    Integer,
    Pattern,
}

/// The first line.
#[derive(Clone, Copy)]
pub(super) struct Banner {
    pub(super) kind: Kind,
    pub(super) symmetry: Symmetry,
}

/// The first line that is neither banner, comment nor blank. A number that could not be read is replaced
/// by the weakest bound, so that the entries are checked all the same.
#[derive(Clone, Copy)]
pub(super) struct Size {
    pub(super) rows: u32,
    pub(super) columns: u32,
    /// How many entries follow, if that is known.
    pub(super) count: Option<u64>,
}

/// Reads the banner; `None`, with its mistakes reported, if what follows cannot be understood.
pub(super) fn banner(lines: &mut Lines<'_>, report: &mut Report<'_>) -> Option<Banner> {
    let mut fields = lines.any();
    let first = fields.take();
    if !first.text.eq_ignore_ascii_case(b"%%MatrixMarket") {
        report.add(first.offset, "banner", Excerpt(first.text), "%%MatrixMarket matrix coordinate …");
        return None;
    }
    let object = choice(fields.take(), "object", &[("matrix", ())], report);
    let format = choice(fields.take(), "format", &[("coordinate", ())], report);
    let kinds = [("real", Kind::Real), ("integer", Kind::Integer), ("pattern", Kind::Pattern)];
    let kind = choice(fields.take(), "field", &kinds, report);
    let symmetries = [("general", Symmetry::General), ("symmetric", Symmetry::Symmetric)];
    let symmetry = choice(fields.take(), "symmetry", &symmetries, report);
    end_of_line(fields, report);
    object.and(format)?;
    Some(Banner { kind: kind?, symmetry: symmetry? })
}

/// Reads the size line; `None`, reported, if there is none.
pub(super) fn size(lines: &mut Lines<'_>, symmetry: Symmetry, report: &mut Report<'_>) -> Option<Size> {
    let Some(mut fields) = lines.next() else {
        report.add(lines.offset(), "size line", "missing", "rows, columns and number of entries");
        return None;
    };
    let limit = u64::from(u32::MAX);
    let rows = bounded(fields.take(), "number of rows", limit, report);
    let columns_field = fields.take();
    let columns = bounded(columns_field, "number of columns", limit, report);
    if let (Symmetry::Symmetric, Some(rows), Some(columns)) = (symmetry, rows, columns)
        && rows != columns
    {
        let expected = format_args!("{rows} as rows, the matrix being symmetric");
        report.add(columns_field.offset, "number of columns", columns, expected);
    }
    let (rows, columns) = (rows.unwrap_or(limit), columns.unwrap_or(limit));
    let count = bounded(fields.take(), "number of entries", positions(rows, columns, symmetry), report);
    end_of_line(fields, report);
    let narrow = |number| u32::try_from(number).expect("bounded by u32::MAX above");
    Some(Size { rows: narrow(rows), columns: narrow(columns), count })
}

/// Reports what is left of a line, if anything.
pub(super) fn end_of_line(fields: Fields<'_>, report: &mut Report<'_>) {
    let rest = fields.rest();
    if !rest.text.is_empty() {
        report.add(rest.offset, "trailing text", Excerpt(rest.text), "the end of the line");
    }
}

/// How many entries a matrix of this size can list.
fn positions(rows: u64, columns: u64, symmetry: Symmetry) -> u64 {
    match symmetry {
        Symmetry::General => rows * columns,
        Symmetry::Symmetric => rows * (rows + 1) / 2,
    }
}

/// One of the words we read, or a report of which ones those are.
fn choice<T: Copy>(
    field: Field<'_>,
    what: &'static str,
    choices: &[(&str, T)],
    report: &mut Report<'_>,
) -> Option<T> {
    let known = choices.iter().find(|(word, _)| field.text.eq_ignore_ascii_case(word.as_bytes()));
    if known.is_none() {
        let words: Vec<_> = choices.iter().map(|&(word, _)| word).collect();
        report.add(field.offset, what, Excerpt(field.text), words.join(" or "));
    }
    known.map(|&(_, value)| value)
}

fn bounded(field: Field<'_>, what: &'static str, limit: u64, report: &mut Report<'_>) -> Option<u64> {
    let number = unsigned(field.text).filter(|&number| number <= limit);
    if number.is_none() {
        report.add(field.offset, what, Excerpt(field.text), format_args!("0..={limit}"));
    }
    number
}
