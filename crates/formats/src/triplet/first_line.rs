//! Whether the first line of triplets states sizes or is an entry.
//!
//! It must never know how entries are read: a line that is no entry counts as one all the same, so that the reader
//! of the layout names it.

use crate::scan::{self, Fields, Lines};

/// The part that the first line of a file has.
pub(super) enum FirstLine<'a> {
    /// `rows columns entries`, perhaps with a fourth number.
    Sizes,
    /// `row column value`, or no line at all.
    Entry,
    /// The line may be either.
    Either {
        /// Offset of its first byte.
        offset: usize,
        /// The line.
        text: &'a [u8],
        /// The number of lines behind it.
        follow: u64,
    },
}

impl<'a> FirstLine<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        let mut lines = Lines::new(bytes, Some(b'%'));
        let Some(first) = lines.next() else { return Self::Entry };
        let Some([rows, columns, entries]) = integers(first) else { return Self::Entry };
        if first.count() == 4 && is_symmetry(first) {
            return Self::Sizes;
        }
        let behind = Behind::of(lines);
        let room = rows.saturating_mul(columns);
        if first.count() != 3 || entries > room || behind.lines > 0 && room == 0 {
            return Self::Entry;
        }
        if entries == behind.lines {
            return Self::Sizes;
        }
        // Counted from 0, the greatest index is one less than the size.
        let least = |greatest: u64| greatest + u64::from(behind.zero);
        if least(behind.row) > rows || least(behind.column) > columns {
            return Self::Entry;
        }
        let rest = first.rest();
        Self::Either { offset: rest.offset, text: rest.text, follow: behind.lines }
    }
}

/// Whether the first line can be nothing but an entry: its third number has a point or an exponent.
pub(super) fn is_bare(bytes: &[u8]) -> bool {
    let first = Lines::new(bytes, Some(b'%')).next();
    first.is_some_and(|line| is_entry(line) && integers(line).is_none())
}

/// Whether a line has two indices and a number.
fn is_entry(mut line: Fields<'_>) -> bool {
    let [row, column, value] = [line.take(), line.take(), line.take()].map(|field| field.text);
    line.count() == 0
        && scan::unsigned(row).and(scan::unsigned(column)).is_some()
        && scan::real(value).is_some()
}

/// The first three numbers of a line, if they are integers without a sign.
fn integers(mut line: Fields<'_>) -> Option<[u64; 3]> {
    let [rows, columns, entries] = [(); 3].map(|()| scan::unsigned(line.take().text));
    Some([rows?, columns?, entries?])
}

/// Whether the fourth field is a number, which an entry does not have.
fn is_symmetry(mut line: Fields<'_>) -> bool {
    let [.., fourth] = [(); 4].map(|()| line.take());
    scan::integer(fourth.text).is_some()
}

/// The lines behind the first: how many there are, and the indices that can be read.
#[derive(Default)]
struct Behind {
    lines: u64,
    row: u64,
    column: u64,
    /// Whether an index is 0.
    zero: bool,
}

impl Behind {
    fn of(lines: Lines<'_>) -> Self {
        let mut behind = Self::default();
        for mut line in lines {
            behind.lines += 1;
            let [row, column] = [(); 2].map(|()| scan::unsigned(line.take().text));
            behind.row = behind.row.max(row.unwrap_or(0));
            behind.column = behind.column.max(column.unwrap_or(0));
            behind.zero |= row == Some(0) || column == Some(0);
        }
        behind
    }
}

/// Whether an entry counts from 0, as far as indices can be read.
pub(super) fn counts_from_zero(lines: Lines<'_>) -> bool {
    Behind::of(lines).zero
}
