//! Reading a whole file: the banner, then sizes and entries as it says.
//!
//! It must never stop at the first mistake.

use super::array;
use crate::{
    Errors, SparseMatrix, Symmetry, Values,
    coordinates::{self, Layout},
    errors::{Excerpt, Report},
    listed::Kind,
    scan::{self, Field, Lines},
};

/// The first word of every file, and its spelling in the files of the Network Repository.
const BANNERS: [&[u8]; 2] = [b"%%MatrixMarket", b"%MatrixMarket"];

/// Form of a file's list of numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Listing {
    /// `coordinate`: entries with their positions.
    Entries,
    /// `array`: every number, column by column.
    Array,
}

/// Reads a Matrix Market file, called `name` in messages. See the [module](super) for the variants accepted.
///
/// # Errors
/// All that is wrong with the file: words of the banner, numbers of the size line, indices out of range,
/// values missing, malformed, infinite or not a number, text behind an entry, entries of a symmetric matrix
/// that are given in both triangles, entries of a pattern that are given twice, too few or too many entries.
/// Only a wrong banner or a missing size line end the reading early, since the rest has no meaning without
/// them.
pub fn read(name: &str, bytes: &[u8]) -> Result<SparseMatrix, Errors> {
    let mut report = Report::new(bytes);
    let matrix = read_reporting(bytes, &mut report);
    report.finish_some(name, matrix)
}

/// Whether the file claims to be of this format.
pub(crate) fn recognises(bytes: &[u8]) -> bool {
    Lines::new(bytes, None).next().is_some_and(|mut line| is_banner(line.take()))
}

fn is_banner(word: Field<'_>) -> bool {
    BANNERS.iter().any(|banner| word.text.eq_ignore_ascii_case(banner))
}

fn read_reporting(bytes: &[u8], report: &mut Report<'_>) -> Option<SparseMatrix> {
    let (listing, layout) = banner(bytes, report)?;
    // The banner is a comment too.
    let mut lines = Lines::new(bytes, Some(b'%'));
    if listing == Listing::Array {
        return array::read(&mut lines, layout, report);
    }
    let size = coordinates::size(&mut lines, layout.symmetry, report)?;
    let entries = coordinates::entries(&mut lines, layout, size, report).entries;
    let values = if layout.kind == Kind::Pattern { Values::Pattern } else { Values::Real };
    Some(SparseMatrix { rows: size.rows, columns: size.columns, symmetry: layout.symmetry, values, entries })
}

/// Reads the banner; `None`, with its mistakes reported, if the rest of the file cannot be understood.
fn banner(bytes: &[u8], report: &mut Report<'_>) -> Option<(Listing, Layout)> {
    let mut lines = Lines::new(bytes, None);
    let mut fields = lines.next().unwrap_or_else(|| Lines::new(bytes, None).any());
    let first = fields.take();
    if !is_banner(first) {
        report.add(first.offset, "banner", Excerpt(first.text), "%%MatrixMarket matrix coordinate …");
        return None;
    }
    let object = scan::choice(fields.take(), "object", &[("matrix", ())], report);
    let listings = [("coordinate", Listing::Entries), ("array", Listing::Array)];
    let listing = scan::choice(fields.take(), "format", &listings, report);
    let kinds = [
        ("real", Kind::Real),
        ("double", Kind::Real),
        ("integer", Kind::Integer),
        ("unsigned-integer", Kind::Unsigned),
        ("pattern", Kind::Pattern),
    ];
    // An array of positions without numbers has nothing in it.
    let known = if listing == Some(Listing::Array) { &kinds[..4] } else { &kinds };
    let kind = scan::choice(fields.take(), "field", known, report);
    let symmetry = symmetry(fields.take(), report);
    scan::end_of_line(fields, report);
    object?;
    Some((listing?, Layout { kind: kind?, symmetry: symmetry?, base: 1 }))
}

/// A banner that leaves this word out means a general matrix. A Hermitian matrix of real numbers is symmetric.
fn symmetry(field: Field<'_>, report: &mut Report<'_>) -> Option<Symmetry> {
    if field.text.is_empty() {
        return Some(Symmetry::General);
    }
    let symmetries = [
        ("general", Symmetry::General),
        ("symmetric", Symmetry::Symmetric),
        ("hermitian", Symmetry::Symmetric),
    ];
    scan::choice(field, "symmetry", &symmetries, report)
}
