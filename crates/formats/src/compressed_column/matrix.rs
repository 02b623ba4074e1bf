//! The parts behind the header, pointers, row indices and values, and the conditions between them.
//!
//! It must never know how numbers stand on cards.

use super::{
    fortran::{self, Format, Slot},
    header::Header,
    section::{self, Naming, Section},
};
use crate::{
    Entry, SparseMatrix, Symmetry, Values,
    coordinates::Size,
    errors::{Excerpt, Report},
    listed::{self, Kind, Listed},
    scan::{self, Lines},
};

const POINTERS: Naming =
    Naming { one: "column pointer", number: "number of column pointers", expected: "an integer" };
const INDICES: Naming = Naming { one: "row index", number: "number of row indices", expected: "an integer" };
const VALUES: Naming = Naming { one: "value", number: "number of values", expected: "a finite number" };

/// Reads everything behind the header; `None` only if mistakes have been reported.
pub(super) fn read(lines: &mut Lines<'_>, header: &Header, report: &mut Report<'_>) -> Option<SparseMatrix> {
    let Header { kind, symmetry, size, .. } = *header;
    let count = size.count?;
    let positive = |text: &[u8], _: &Slot| scan::unsigned(text);
    let pointers =
        section::read(lines, u64::from(size.columns) + 1, &header.pointers, POINTERS, positive, report)?;
    let pointers_right = check_pointers(&pointers, size, report);
    let indices = section::read(lines, count, &header.indices, INDICES, positive, report)?;
    let rows = check_indices(&indices, size.rows, report);
    let values = match &header.values {
        Some(format) => read_values(lines, (count, kind), format, report)?.numbers,
        None => vec![Some(1.0); rows.len()], // no more than the file had indices
    };
    finish_file(lines, header.right_hand_sides, report);
    let columns = pointers_right.then(|| columns(&pointers));
    let listed = assemble(columns?.as_slice(), &rows, &values, |at| indices.offset(at));
    check_triangle(&listed, symmetry, report);
    listed::refuse_all(&listed, 1, report);
    let values = if kind == Kind::Pattern { Values::Pattern } else { Values::Real };
    let Size { rows, columns, .. } = size;
    Some(SparseMatrix { rows, columns, symmetry, values, entries: listed.entries })
}

fn read_values(
    lines: &mut Lines<'_>,
    (count, kind): (u64, Kind),
    format: &Format,
    report: &mut Report<'_>,
) -> Option<Section<f64>> {
    if kind != Kind::Real {
        let naming = Naming { expected: "an integer of at most 2^53", ..VALUES };
        let integer = |text: &[u8], _: &Slot| scan::integer(text);
        return section::read(lines, count, format, naming, integer, report);
    }
    let with_point = format.slots().any(|slot| slot.implied_point);
    let expected = if with_point { "a finite number with its decimal point" } else { VALUES.expected };
    let naming = Naming { expected, ..VALUES };
    let parse = |text: &[u8], slot: &Slot| fortran::real(text, slot.implied_point, slot.scale);
    section::read(lines, count, format, naming, parse, report)
}

/// Whether the pointers are all there, begin at 1, never descend, and end behind the last entry.
fn check_pointers(pointers: &Section<u64>, size: Size, report: &mut Report<'_>) -> bool {
    let last = size.columns as usize; // there is a pointer more than columns
    let behind = size.count.map_or(u64::MAX, |count| count + 1);
    let mut right = pointers.numbers.len() > last;
    let mut least = 1;
    for (at, &pointer) in pointers.numbers.iter().enumerate() {
        let Some(pointer) = pointer else {
            right = false;
            continue;
        };
        let (least_here, most_here) = if at == 0 { (1, 1) } else { (least, behind) };
        let fits = (least_here..=most_here).contains(&pointer) && (at != last || pointer == behind);
        if !fits {
            right = false;
            report.add_with(pointers.offset(at), POINTERS.one, |_| {
                let expected = match at {
                    0 => "1".to_owned(),
                    _ if at == last => format!("{behind}, one more than there are entries"),
                    _ => format!("{least_here}..={most_here}"),
                };
                (pointer.to_string(), expected)
            });
        }
        // A pointer beyond all entries sets no bound for the next one, so that the next is not blamed for it.
        least = if pointer <= most_here { pointer } else { least };
    }
    right
}

/// The rows, counted from 0; `None` for rows with a reported mistake.
fn check_indices(indices: &Section<u64>, rows: u32, report: &mut Report<'_>) -> Vec<Option<u32>> {
    let mut checked = Vec::with_capacity(indices.numbers.len());
    for (at, &index) in indices.numbers.iter().enumerate() {
        let row = index.and_then(|index| {
            let row = index.checked_sub(1).and_then(|row| u32::try_from(row).ok());
            let row = row.filter(|&row| row < rows);
            if row.is_none() {
                report.add(indices.offset(at), INDICES.one, index, format_args!("1..={rows}"));
            }
            row
        });
        checked.push(row);
    }
    checked
}

/// Right pointers, counted from 0.
fn columns(pointers: &Section<u64>) -> Vec<usize> {
    pointers.numbers.iter().flatten().map(|&pointer| pointer as usize - 1).collect()
}

/// Reports text behind the matrix. Right-hand sides are skipped, however many cards of them there are.
fn finish_file(lines: &mut Lines<'_>, right_hand_sides: u64, report: &mut Report<'_>) {
    if right_hand_sides > 0 {
        return;
    }
    if let Some(line) = lines.next() {
        let rest = line.rest();
        report.add(rest.offset, "trailing text", Excerpt(rest.text), "the end of the file");
    }
}

/// Makes entries of those positions whose numbers are known.
fn assemble(
    columns: &[usize],
    rows: &[Option<u32>],
    values: &[Option<f64>],
    offset: impl Fn(usize) -> usize,
) -> Listed {
    let mut listed = Listed::default();
    listed.reserve(rows.len());
    for (column, bounds) in (0_u32..).zip(columns.windows(2)) {
        for at in bounds[0]..bounds[1].min(rows.len()) {
            // An unknown value has been reported: its position is checked all the same.
            let value = values.get(at).copied().flatten().unwrap_or(0.0);
            if let Some(&Some(row)) = rows.get(at) {
                listed.push(Entry { row, column, value }, offset(at), Symmetry::General);
            }
        }
    }
    listed
}

fn check_triangle(listed: &Listed, symmetry: Symmetry, report: &mut Report<'_>) {
    if symmetry == Symmetry::General {
        return;
    }
    for (entry, place) in listed.entries.iter().zip(&listed.places) {
        if entry.row < entry.column {
            report.add_with(place.offset, INDICES.one, |_| {
                let least = entry.column + 1;
                let expected = "a symmetric file listing the lower triangle only";
                ((entry.row + 1).to_string(), format!("at least {least} as its column, {expected}"))
            });
        }
    }
}
