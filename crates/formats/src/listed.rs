//! Entries of a matrix file with their places, and the entries among them that share a position.
//!
//! Where the readers of other packages agree, an entry that comes again is added to the first: SciPy, SuiteSparse and CSparse all
//! do so. It is refused where they do not agree: in a pattern, and where a symmetric file lists an entry and its mirror image.
//! This module must never know how a file is written.

use crate::{Entry, Symmetry, errors::Report, scan};

/// The kind of number that an entry has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Real,
    Integer,
    /// An integer without a sign.
    Unsigned,
    /// Entries without numbers.
    Pattern,
}

/// The entries of a file, and where each stands in it.
#[derive(Default)]
pub(crate) struct Listed {
    pub(crate) entries: Vec<Entry>,
    pub(crate) places: Vec<Place>,
}

/// Place of an entry in its file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// Offset of the first byte of the entry.
    pub(crate) offset: usize,
    /// Whether the file lists it above the diagonal of a symmetric matrix.
    pub(crate) mirrored: bool,
}

impl Listed {
    /// Makes room for `count` more entries.
    pub(crate) fn reserve(&mut self, count: usize) {
        self.entries.reserve(count);
        self.places.reserve(count);
    }

    /// Adds an entry that begins at byte `offset`, mirrored if it is above the diagonal of a symmetric matrix.
    pub(crate) fn push(&mut self, entry: Entry, offset: usize, symmetry: Symmetry) {
        let mirrored = symmetry == Symmetry::Symmetric && entry.column > entry.row;
        let Entry { row, column, value } = entry;
        self.entries.push(if mirrored { Entry { row: column, column: row, value } } else { entry });
        self.places.push(Place { offset, mirrored });
    }

    /// The indices of entries, by position: entries of one position stand together, in the order of the file.
    fn by_position(&self) -> Vec<usize> {
        let mut order: Vec<_> = (0..self.entries.len()).collect();
        order.sort_unstable_by_key(|&at| (self.entries[at].column, self.entries[at].row, at));
        order
    }

    fn same_position(&self, one: usize, other: usize) -> bool {
        let position = |at: usize| (self.entries[at].row, self.entries[at].column);
        position(one) == position(other)
    }
}

/// Adds each entry that comes again to the first of its position, or reports it.
///
/// `base` is the file's first index.
pub(crate) fn sum(listed: &mut Listed, kind: Kind, base: u32, report: &mut Report<'_>) {
    let mut again = Vec::new();
    let mut first = usize::MAX;
    for at in listed.by_position() {
        if first == usize::MAX || !listed.same_position(first, at) {
            first = at;
            continue;
        }
        if kind == Kind::Pattern || listed.places[at].mirrored != listed.places[first].mirrored {
            refuse(listed, (first, at), base, report);
            continue;
        }
        let (before, value) = (listed.entries[first].value, listed.entries[at].value);
        listed.entries[first].value = before + value;
        if !representable(before, value, kind) {
            let expected = "entries of one position whose sum can be represented";
            report.add(listed.places[at].offset, "value", format_args!("{before:?} + {value:?}"), expected);
        }
        again.push(at);
    }
    remove(listed, again);
}

/// Reports entries that come again in a format that does not allow it. `base` is the file's first index.
pub(crate) fn refuse_all(listed: &Listed, base: u32, report: &mut Report<'_>) {
    for pair in listed.by_position().windows(2) {
        if listed.same_position(pair[0], pair[1]) {
            refuse(listed, (pair[0], pair[1]), base, report);
        }
    }
}

fn representable(before: f64, value: f64, kind: Kind) -> bool {
    match kind {
        Kind::Real | Kind::Pattern => (before + value).is_finite(),
        // Neither is beyond 2^53, so both are exact as integers.
        Kind::Integer | Kind::Unsigned => {
            (before as i64 + value as i64).unsigned_abs() <= scan::LARGEST_INTEGER
        }
    }
}

fn refuse(listed: &Listed, (first, again): (usize, usize), base: u32, report: &mut Report<'_>) {
    let Place { offset, mirrored } = listed.places[again];
    let other = listed.places[first];
    report.add_with(offset, "entry", |report| {
        let (line, _) = report.place(other.offset);
        let Entry { row, column, .. } = listed.entries[again];
        let (row, column) = if mirrored { (column, row) } else { (row, column) };
        let expected = match mirrored == other.mirrored {
            true => format!("each once, this one is on line {line} too"),
            false => format!(
                "one triangle of a symmetric matrix, the mirror image is on line {line}; \
                 a file with both triangles is general"
            ),
        };
        (format!("({}, {})", u64::from(row) + u64::from(base), u64::from(column) + u64::from(base)), expected)
    });
}

/// Removes the entries of these indices; the others keep their order.
fn remove(listed: &mut Listed, mut again: Vec<usize>) {
    if again.is_empty() {
        return;
    }
    again.sort_unstable();
    let kept = |at: &usize| again.binary_search(at).is_err();
    let left: Vec<_> = (0..listed.entries.len()).filter(kept).collect();
    listed.entries = left.iter().map(|&at| listed.entries[at]).collect();
    listed.places = left.iter().map(|&at| listed.places[at]).collect();
}
