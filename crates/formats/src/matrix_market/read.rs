//! Reading a whole file: the banner, then sizes and entries as it says.
//!
//! It must never stop at the first mistake.

use crate::{
    Errors, SparseMatrix, Symmetry, Values,
    coordinates::{self, Kind, Layout},
    errors::{Excerpt, Report},
    scan::{self, Field, Lines},
};

/// The first word of every file.
const BANNER: &[u8] = b"%%MatrixMarket";

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
    report.finish_some(name, matrix)
}

/// Whether the file says of itself that it is one of this format.
pub(crate) fn recognises(bytes: &[u8]) -> bool {
    bytes.get(..BANNER.len()).is_some_and(|start| start.eq_ignore_ascii_case(BANNER))
}

fn read_reporting(bytes: &[u8], report: &mut Report<'_>) -> Option<SparseMatrix> {
    let mut lines = Lines::new(bytes, Some(b'%'));
    let layout = banner(&mut lines, report)?;
    let size = coordinates::size(&mut lines, layout.symmetry, report)?;
    let entries = coordinates::entries(&mut lines, layout, size, report).entries;
    let values = if layout.kind == Kind::Pattern { Values::Pattern } else { Values::Real };
    Some(SparseMatrix { rows: size.rows, columns: size.columns, symmetry: layout.symmetry, values, entries })
}

/// Reads the banner; `None`, with its mistakes reported, if what follows cannot be understood.
fn banner(lines: &mut Lines<'_>, report: &mut Report<'_>) -> Option<Layout> {
    let mut fields = lines.any();
    let first = fields.take();
    if !first.text.eq_ignore_ascii_case(BANNER) {
        report.add(first.offset, "banner", Excerpt(first.text), "%%MatrixMarket matrix coordinate …");
        return None;
    }
    let object = scan::choice(fields.take(), "object", &[("matrix", ())], report);
    let format = scan::choice(fields.take(), "format", &[("coordinate", ())], report);
    let kinds = [("real", Kind::Real), ("integer", Kind::Integer), ("pattern", Kind::Pattern)];
    let kind = scan::choice(fields.take(), "field", &kinds, report);
    let symmetry = symmetry(fields.take(), report);
    scan::end_of_line(fields, report);
    object.and(format)?;
    Some(Layout { kind: kind?, symmetry: symmetry?, base: 1 })
}

/// A banner that leaves this word out means a general matrix.
fn symmetry(field: Field<'_>, report: &mut Report<'_>) -> Option<Symmetry> {
    if field.text.is_empty() {
        return Some(Symmetry::General);
    }
    let symmetries = [("general", Symmetry::General), ("symmetric", Symmetry::Symmetric)];
    scan::choice(field, "symmetry", &symmetries, report)
}
