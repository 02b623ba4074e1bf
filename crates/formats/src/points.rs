//! Points, a line of three coordinates each: common to all formats of shapes.
//!
//! It must never know which format it reads, nor the shapes on the points.

use crate::{
    errors::{Excerpt, Report},
    scan::{self, Fields},
};

/// Whether a line has `count` fields; reported if not.
pub(crate) fn has_fields(
    line: Fields<'_>,
    count: usize,
    what: &'static str,
    report: &mut Report<'_>,
) -> bool {
    let found = line.count();
    if found != count {
        report.add(line.trimmed().rest().offset, what, format_args!("of {found} numbers"), count);
    }
    found == count
}

/// Three coordinates.
pub(crate) fn point(line: &mut Fields<'_>, report: &mut Report<'_>) -> Option<[f64; 3]> {
    let [x, y, z] = [(); 3].map(|()| {
        let field = line.take();
        let coordinate = scan::real(field.text);
        if coordinate.is_none() {
            report.add(field.offset, "coordinate", Excerpt(field.text), "a finite number");
        }
        coordinate
    });
    Some([x?, y?, z?])
}
