//! Matrices as lines of `row column value`, under a line of sizes: what several formats have in common.
//!
//! It must never know which format it reads, nor stop at the first mistake.

use crate::{
    Entry, Symmetry,
    errors::{Excerpt, Report},
    scan::{self, Field, Fields, Lines},
};

/// The least bytes an entry takes, "1 1\n": bounds what is set aside on a file's word alone.
const LEAST_ENTRY_BYTES: usize = 4;

/// What stands behind the two indices of an entry.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Real,
    Integer,
    Pattern,
}

/// How entries are written.
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
    /// How many entries follow, if that is known.
    pub(crate) count: Option<u64>,
}

/// The entries of a file and the byte that each begins at.
#[derive(Default)]
pub(crate) struct Listed {
    pub(crate) entries: Vec<Entry>,
    pub(crate) offsets: Vec<usize>,
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

/// Reads the numbers of rows, columns and entries, and checks what must hold between them.
pub(crate) fn checked_size(
    rows: Field<'_>,
    columns: Field<'_>,
    count: Field<'_>,
    symmetry: Symmetry,
    report: &mut Report<'_>,
) -> Size {
    let limit = u64::from(u32::MAX);
    let row_count = scan::bounded(rows, "number of rows", limit, report);
    let column_count = scan::bounded(columns, "number of columns", limit, report);
    if let (Symmetry::Symmetric, Some(rows), Some(found)) = (symmetry, row_count, column_count)
        && rows != found
    {
        let expected = format!("{rows} as rows, the matrix being symmetric");
        report.add(columns.offset, "number of columns", found, expected);
    }
    let (rows, columns) = (row_count.unwrap_or(limit), column_count.unwrap_or(limit));
    let count = scan::bounded(count, "number of entries", positions(rows, columns, symmetry), report);
    let narrow = |number| u32::try_from(number).expect("bounded by u32::MAX above");
    Size { rows: narrow(rows), columns: narrow(columns), count }
}

/// How many entries a matrix of this size can list.
fn positions(rows: u64, columns: u64, symmetry: Symmetry) -> u64 {
    match symmetry {
        Symmetry::General => rows * columns,
        Symmetry::Symmetric => rows * (rows + 1) / 2,
    }
}

/// Reads all entries, to the end of the file, and checks their number and that no two share a position.
pub(crate) fn entries(lines: &mut Lines<'_>, layout: Layout, size: Size, report: &mut Report<'_>) -> Listed {
    let mut seen = 0_u64;
    let mut surplus = None;
    let mut listed = Listed::default();
    let likely = size.count.map_or(0, |count| usize::try_from(count).unwrap_or(usize::MAX));
    listed.entries.reserve(likely.min(lines.remaining() / LEAST_ENTRY_BYTES + 1));
    listed.offsets.reserve(listed.entries.capacity());
    for line in lines.by_ref() {
        let offset = line.rest().offset;
        if Some(seen) == size.count {
            surplus = Some(offset);
        }
        seen += 1;
        if let Some(entry) = entry(line, layout, size, report) {
            listed.entries.push(entry);
            listed.offsets.push(offset);
        }
    }
    if let Some(count) = size.count.filter(|&count| count != seen) {
        let hint = if seen < count { "; is the file truncated?" } else { "" };
        let expected = format!("{count} as the size line says{hint}");
        report.add(surplus.unwrap_or(lines.offset()), "number of entries", seen, expected);
    }
    report_duplicates(&listed, layout.base, report);
    listed
}

/// One entry; `None`, with all its mistakes reported, if it is not one.
fn entry(mut fields: Fields<'_>, layout: Layout, size: Size, report: &mut Report<'_>) -> Option<Entry> {
    let base = layout.base;
    let row = index(fields.take(), "row index", base, size.rows, report);
    let column_field = fields.take();
    let column = index(column_field, "column index", base, size.columns, report);
    if let (Symmetry::Symmetric, Some(row), Some(column)) = (layout.symmetry, row, column)
        && column > row
    {
        let last = row + base;
        let expected = format!("{base}..={last}, a symmetric file listing the lower triangle only");
        report.add(column_field.offset, "column index", column + base, expected);
    }
    let value = value(&mut fields, layout.kind, report);
    scan::end_of_line(fields, report);
    Some(Entry { row: row?, column: column?, value: value? })
}

/// One of `limit` indices, from `base` in the file to 0 in memory.
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
    if kind == Kind::Pattern {
        return Some(1.0);
    }
    let field = fields.take();
    let (value, expected) = if kind == Kind::Integer {
        (scan::integer(field.text), "an integer of at most 2^53")
    } else {
        (scan::real(field.text), "a finite number")
    };
    if value.is_none() {
        report.add(field.offset, "value", Excerpt(field.text), expected);
    }
    value
}

/// Sorts positions, so that equal ones meet. `base` is what the file counts indices from.
pub(crate) fn report_duplicates(listed: &Listed, base: u32, report: &mut Report<'_>) {
    let positions = listed.entries.iter().map(|entry| (entry.column, entry.row));
    let mut sorted: Vec<_> = positions.zip(listed.offsets.iter().copied()).collect();
    sorted.sort_unstable();
    for pair in sorted.windows(2) {
        let [(earlier, first), ((column, row), again)] = [pair[0], pair[1]];
        if earlier == (column, row) {
            report.add_with(again, "entry", |report| {
                let (line, _) = report.place(first);
                let found = format!("({}, {})", row + base, column + base);
                (found, format!("each once, this one is on line {line} too"))
            });
        }
    }
}
