//! Files of the format `array`: every number of a matrix, column by column, one a line.
//!
//! Numbers that are 0 become no entries: an array does not say which of its positions belong to a pattern. This
//! module must never know the banner.

use crate::{
    Entry, SparseMatrix, Symmetry, Values,
    coordinates::{self, Layout},
    errors::Report,
    scan::{self, Lines},
};

/// Reads all behind the banner; `None` only if mistakes have been reported.
pub(super) fn read(lines: &mut Lines<'_>, layout: Layout, report: &mut Report<'_>) -> Option<SparseMatrix> {
    let Layout { kind, symmetry, .. } = layout;
    let ((rows, columns), size_line) = size(lines, symmetry, report)?;
    let count = coordinates::positions(u64::from(rows), u64::from(columns), symmetry);
    let mut entries = Vec::new();
    let (mut row, mut column) = (0, 0);
    for done in 0..count {
        let Some(mut line) = lines.next() else {
            let expected =
                format!("{count} as the size line, line {size_line}, says; is the file truncated?");
            report.add(lines.offset(), "number of values", done, expected);
            return None;
        };
        let value = coordinates::number(line.take(), kind, report);
        scan::end_of_line(line, report);
        entries.extend(value.filter(|value| *value != 0.0).map(|value| Entry { row, column, value }));
        row += 1;
        if row == rows {
            column += 1;
            row = if symmetry == Symmetry::Symmetric { column } else { 0 };
        }
    }
    if let Some(line) = lines.next() {
        let seen = count + 1 + lines.count() as u64;
        report.add(
            line.rest().offset,
            "number of values",
            seen,
            format_args!("{count} as the size line, line {size_line}, says"),
        );
    }
    Some(SparseMatrix { rows, columns, symmetry, values: Values::Real, entries })
}

/// Reads the numbers of rows and columns, and tells their line; `None`, reported, if they are not known or do not go together.
fn size(lines: &mut Lines<'_>, symmetry: Symmetry, report: &mut Report<'_>) -> Option<((u32, u32), usize)> {
    let Some(mut fields) = lines.next() else {
        report.add(lines.offset(), "size line", "missing", "rows and columns");
        return None;
    };
    let [rows, columns] = [fields.take(), fields.take()];
    let size = coordinates::checked_dimensions(rows, columns, symmetry, report);
    scan::end_of_line(fields, report);
    Some((size?, report.place(rows.offset).0))
}
