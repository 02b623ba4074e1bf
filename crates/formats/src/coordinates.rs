//! Matrices as lines of `row column value`, under a line of sizes: the common part of several formats.
//!
//! It must never know which format it reads, nor stop at the first mistake.

use crate::{
    Entry, Symmetry,
    errors::{Excerpt, Report},
    listed::{self, Kind, Listed},
    scan::{self, Field, Fields, Lines},
};

/// Least bytes of an entry, "1 1\n": bounds the memory reserved for a count that a file only claims.
const LEAST_ENTRY_BYTES: usize = 4;

/// Layout of entries.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) kind: Kind,
    pub(crate) symmetry: Symmetry,
    /// The index of the first row and column: 0 or 1.
    pub(crate) base: u32,
}

/// The line of sizes. A number that could not be read is replaced by the weakest bound, so that the entries
/// are checked all the same.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    pub(crate) rows: u32,
    pub(crate) columns: u32,
    /// Number of entries that follow, if it is known.
    pub(crate) count: Option<u64>,
    /// The byte at which a file states its sizes.
    pub(crate) offset: usize,
}

/// Reads the line of sizes; `None`, reported, if there is none.
pub(crate) fn size(lines: &mut Lines<'_>, symmetry: Symmetry, report: &mut Report<'_>) -> Option<Size> {
    let Some(mut fields) = lines.next() else {
        report.add(lines.offset(), "size line", "missing", "rows, columns and number of entries");
        return None;
    };
    let [rows, columns, count] = [fields.take(), fields.take(), fields.take()];
    let size = checked_size(rows, columns, count, symmetry, report);
    scan::end_of_line(fields, report);
    Some(size)
}

/// Reads the numbers of rows, columns and entries, and checks that they go together.
pub(crate) fn checked_size(
    rows: Field<'_>,
    columns: Field<'_>,
    count: Field<'_>,
    symmetry: Symmetry,
    report: &mut Report<'_>,
) -> Size {
    let offset = rows.offset;
    let [rows, columns] =
        dimensions(rows, columns, symmetry, report).map(|number| number.unwrap_or(u32::MAX));
    let most = positions(u64::from(rows), u64::from(columns), symmetry);
    let count = scan::bounded(count, "number of entries", most, report);
    Size { rows, columns, count, offset }
}

/// Reads the numbers of rows and columns; `None`, reported, if they are not known or do not go together.
pub(crate) fn checked_dimensions(
    rows: Field<'_>,
    columns: Field<'_>,
    symmetry: Symmetry,
    report: &mut Report<'_>,
) -> Option<(u32, u32)> {
    let [rows, columns] = dimensions(rows, columns, symmetry, report);
    rows.zip(columns).filter(|(rows, columns)| symmetry == Symmetry::General || rows == columns)
}

/// Reads the numbers of rows and columns; `None` for each that could not be read.
fn dimensions(
    rows: Field<'_>,
    columns: Field<'_>,
    symmetry: Symmetry,
    report: &mut Report<'_>,
) -> [Option<u32>; 2] {
    let limit = u64::from(u32::MAX);
    let row_count = scan::bounded(rows, "number of rows", limit, report);
    let column_count = scan::bounded(columns, "number of columns", limit, report);
    if let (Symmetry::Symmetric, Some(rows), Some(found)) = (symmetry, row_count, column_count)
        && rows != found
    {
        let expected = format!("{rows} as rows, the matrix being symmetric");
        report.add(columns.offset, "number of columns", found, expected);
    }
    [row_count, column_count].map(|number| number.and_then(|number| u32::try_from(number).ok()))
}

/// The number of positions that a matrix of this size can list.
pub(crate) fn positions(rows: u64, columns: u64, symmetry: Symmetry) -> u64 {
    match symmetry {
        Symmetry::General => rows * columns,
        Symmetry::Symmetric => rows * (rows + 1) / 2,
    }
}

/// Reads all entries, to the end of the file, checks their number, and merges entries of equal position.
///
/// Entries of a symmetric matrix come out in its lower triangle, whichever triangle lists them.
pub(crate) fn entries(lines: &mut Lines<'_>, layout: Layout, size: Size, report: &mut Report<'_>) -> Listed {
    let mut seen = 0_u64;
    let mut surplus = None;
    let mut listed = Listed::default();
    let likely = size.count.map_or(0, |count| usize::try_from(count).unwrap_or(usize::MAX));
    listed.reserve(likely.min(lines.remaining() / LEAST_ENTRY_BYTES + 1));
    for line in lines.by_ref() {
        let offset = line.rest().offset;
        if Some(seen) == size.count {
            surplus = Some(offset);
        }
        seen += 1;
        if let Some(entry) = entry(line, layout, size, report) {
            listed.push(entry, offset, layout.symmetry);
        }
    }
    if let Some(count) = size.count.filter(|&count| count != seen) {
        let hint = if seen < count { "; is the file truncated?" } else { "" };
        let (line, _) = report.place(size.offset);
        let expected = format!("{count} as the size line, line {line}, says{hint}");
        report.add(surplus.unwrap_or(lines.offset()), "number of entries", seen, expected);
    }
    listed::sum(&mut listed, layout.kind, layout.base, report);
    listed
}

/// Reads an entry; `None`, with all its mistakes reported, if it has any.
fn entry(mut fields: Fields<'_>, layout: Layout, size: Size, report: &mut Report<'_>) -> Option<Entry> {
    let base = layout.base;
    let row = index(fields.take(), "row index", base, size.rows, report);
    let column = index(fields.take(), "column index", base, size.columns, report);
    let value = value(&mut fields, layout.kind, report);
    scan::end_of_line(fields, report);
    Some(Entry { row: row?, column: column?, value: value? })
}

/// Reads an index below `limit`, from `base` in the file to 0 in memory.
pub(crate) fn index(
    field: Field<'_>,
    what: &'static str,
    base: u32,
    limit: u32,
    report: &mut Report<'_>,
) -> Option<u32> {
    let index = scan::unsigned(field.text)
        .and_then(|index| index.checked_sub(u64::from(base)))
        .and_then(|index| u32::try_from(index).ok())
        .filter(|&index| index < limit);
    if index.is_none() {
        let last = (u64::from(base) + u64::from(limit)).saturating_sub(1);
        report.add(field.offset, what, Excerpt(field.text), format_args!("{base}..={last}"));
    }
    index
}

fn value(fields: &mut Fields<'_>, kind: Kind, report: &mut Report<'_>) -> Option<f64> {
    match kind {
        Kind::Pattern => Some(1.0),
        Kind::Real | Kind::Integer | Kind::Unsigned => number(fields.take(), kind, report),
    }
}

/// The number in a field, of a kind that has numbers.
pub(crate) fn number(field: Field<'_>, kind: Kind, report: &mut Report<'_>) -> Option<f64> {
    let (value, expected) = match kind {
        Kind::Real | Kind::Pattern => (scan::real(field.text), "a finite number"),
        Kind::Integer => (scan::integer(field.text), "an integer of at most 2^53"),
        Kind::Unsigned => {
            (scan::integer(field.text).filter(|value| *value >= 0.0), "an integer of 0 to 2^53")
        }
    };
    if value.is_none() {
        report.add(field.offset, "value", Excerpt(field.text), expected);
    }
    value
}
