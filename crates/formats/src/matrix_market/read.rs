//! Reading a whole file: header, entries, and what must hold between them.
//!
//! It must never stop at the first mistake.

use super::{
    header::{self, Banner, Kind, Size},
    scan::{self, Field, Fields, Lines},
};
use crate::{
    Entry, Errors, SparseMatrix, Symmetry, Values,
    errors::{Excerpt, Report},
};

/// The least bytes an entry takes, "1 1\n": bounds what is set aside on a file's word alone.
const LEAST_ENTRY_BYTES: usize = 4;

/// Reads a Matrix Market coordinate file, called `name` in messages. See the [module](super) for the
/// variants accepted.
///
/// # Errors
/// All that is wrong with the file: words of the banner, numbers of the size line, indices out of range,
/// values missing, malformed, infinite or not a number, text behind an entry, entries above the diagonal of
/// a symmetric matrix, duplicate entries, too few or too many entries. Only a wrong banner or a missing size
/// line end the reading early, since the rest has no meaning without them.
pub fn read(name: &str, bytes: &[u8]) -> Result<SparseMatrix, Errors> {
    let mut report = Report::new(bytes);
    let matrix = read_reporting(bytes, &mut report);
    // Either something was reported or there is a matrix; `finish` tells, and drops the placeholder.
    report.finish(name, matrix).map(|matrix| matrix.expect("a file without mistakes gives a matrix"))
}

fn read_reporting(bytes: &[u8], report: &mut Report<'_>) -> Option<SparseMatrix> {
    let mut lines = Lines::new(bytes);
    let banner = header::banner(&mut lines, report)?;
    let size = header::size(&mut lines, banner.symmetry, report)?;
    let entries = entries(&mut lines, banner, size, report);
    Some(SparseMatrix {
        rows: size.rows,
        columns: size.columns,
        symmetry: banner.symmetry,
        values: if banner.kind == Kind::Pattern { Values::Pattern } else { Values::Real },
        entries,
    })
}

/// Reads all entries and checks their number and that no two share a position.
fn entries(lines: &mut Lines<'_>, banner: Banner, size: Size, report: &mut Report<'_>) -> Vec<Entry> {
    let mut seen = 0_u64;
    let mut surplus = None;
    let mut entries = Vec::new();
    let mut offsets = Vec::new();
    let likely = size.count.map_or(0, |count| usize::try_from(count).unwrap_or(usize::MAX));
    entries.reserve(likely.min(lines.remaining() / LEAST_ENTRY_BYTES + 1));
    offsets.reserve(entries.capacity());
    for line in lines.by_ref() {
        let offset = line.rest().offset;
        if Some(seen) == size.count {
            surplus = Some(offset);
        }
        seen += 1;
        if let Some(entry) = entry(line, banner, size, report) {
            entries.push(entry);
            offsets.push(offset);
        }
    }
    if let Some(count) = size.count.filter(|&count| count != seen) {
        let hint = if seen < count { "; is the file truncated?" } else { "" };
        let expected = format_args!("{count} as the size line says{hint}");
        report.add(surplus.unwrap_or(lines.offset()), "number of entries", seen, expected);
    }
    report_duplicates(&entries, &offsets, report);
    entries
}

/// One entry; `None`, with all its mistakes reported, if it is not one.
fn entry(mut fields: Fields<'_>, banner: Banner, size: Size, report: &mut Report<'_>) -> Option<Entry> {
    let row = index(fields.take(), "row index", size.rows, report);
    let column_field = fields.take();
    let column = index(column_field, "column index", size.columns, report);
    if let (Symmetry::Symmetric, Some(row), Some(column)) = (banner.symmetry, row, column)
        && column > row
    {
        let expected = format_args!("1..={}, a symmetric file listing the lower triangle only", row + 1);
        report.add(column_field.offset, "column index", column + 1, expected);
    }
    let value = value(&mut fields, banner.kind, report);
    header::end_of_line(fields, report);
    Some(Entry { row: row?, column: column?, value: value? })
}

/// An index, from 1 in the file to 0 in memory.
fn index(field: Field<'_>, what: &'static str, limit: u32, report: &mut Report<'_>) -> Option<u32> {
    let index = scan::unsigned(field.text)
        .and_then(|index| u32::try_from(index).ok())
        .filter(|&index| index <= limit)
        .and_then(|index| index.checked_sub(1));
    if index.is_none() {
        report.add(field.offset, what, Excerpt(field.text), format_args!("1..={limit}"));
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

/// Sorts positions, so that equal ones meet. `offsets` are the places of the `entries`.
fn report_duplicates(entries: &[Entry], offsets: &[usize], report: &mut Report<'_>) {
    let position = |entry: &Entry| (entry.column, entry.row);
    let mut sorted: Vec<_> = entries.iter().map(position).zip(offsets.iter().copied()).collect();
    sorted.sort_unstable();
    for pair in sorted.windows(2) {
        let [(earlier, first), ((column, row), again)] = [pair[0], pair[1]];
        if earlier == (column, row) {
            report.add_with(again, "entry", |report| {
                let (line, _) = report.place(first);
                let found = format!("({}, {})", row + 1, column + 1);
                (found, format!("each once, this one is on line {line} too"))
            });
        }
    }
}
