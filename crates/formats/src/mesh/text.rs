//! Mesh text: all parts of a mesh, one after the other, under one line of counts.
//!
//! The format is this project's own. Lines that begin with `#` are comments, blank lines mean nothing. The
//! first other line is `nodes edges tetrahedra faces`, the counts of the four parts that follow in this
//! order, one record a line: `x y z`, `i j`, `i j k l`, `i j k marker`. Indices count from 0; markers are
//! integers.
//!
//! The last newline is optional, so a file cut inside the very last number cannot be told from a whole one;
//! every other cut is an error.
//!
//! This module must never know where the bytes came from.

use std::fmt::{self, Write};

use super::{
    elements::{Elements, Records},
    value::{Face, Mesh},
};
use crate::{
    Errors,
    errors::{Excerpt, Misfits, Report},
    points,
    scan::{self, Fields, Lines},
};

/// Least bytes of a point, "0 0 0\n": bounds the memory reserved for a count that a file only claims.
const LEAST_POINT_BYTES: usize = 6;

/// A kind of record, with its names in messages.
struct Part {
    one: &'static str,
    number: &'static str,
    fields: usize,
}

const POINT: Part = Part { one: "point", number: "number of nodes", fields: 3 };
const EDGE: Part = Part { one: "edge", number: "number of edges", fields: 2 };
const TETRAHEDRON: Part = Part { one: "tetrahedron", number: "number of tetrahedra", fields: 4 };
const FACE: Part = Part { one: "face", number: "number of faces", fields: 4 };

/// Reads a mesh text file, called `name` in messages.
///
/// # Errors
/// All that is wrong with the file: counts missing or malformed, lines of too few or too many fields,
/// coordinates infinite or not a number, nodes out of range or repeated within an element, elements that
/// occur twice, too few or too many records. A wrong line of counts, and two lines in a row with a wrong
/// number of fields, end the reading.
pub fn read(name: &str, bytes: &[u8]) -> Result<Mesh, Errors> {
    let mut report = Report::new(bytes);
    let mesh = read_reporting(bytes, &mut report);
    report.finish_some(name, mesh)
}

fn read_reporting(bytes: &[u8], report: &mut Report<'_>) -> Option<Mesh> {
    let mut lines = Lines::new(bytes, Some(b'#'));
    let [nodes, edges, tetrahedra, faces] = counts(&mut lines, report)?;
    let mut points = Vec::with_capacity((nodes as usize).min(lines.remaining() / LEAST_POINT_BYTES + 1));
    part(&mut lines, &POINT, nodes, report, |mut line, report| {
        points.extend(points::point(&mut line, report));
    })?;
    let records = Records { base: 0, nodes };
    let edges = elements::<2>(&mut lines, &EDGE, edges, records, report)?;
    let tetrahedra = elements::<4>(&mut lines, &TETRAHEDRON, tetrahedra, records, report)?;
    let faces = elements::<3>(&mut lines, &FACE, faces, records, report)?;
    if let Some(line) = lines.next() {
        let rest = line.rest();
        report.add(rest.offset, "trailing text", Excerpt(rest.text), "the end of the file");
    }
    let faces = faces.nodes.into_iter().zip(faces.markers).map(|(nodes, marker)| Face { nodes, marker });
    Some(Mesh { points, edges: edges.nodes, tetrahedra: tetrahedra.nodes, faces: faces.collect() })
}

/// Reads the line of counts; `None`, reported, if it does not tell them all.
fn counts(lines: &mut Lines<'_>, report: &mut Report<'_>) -> Option<[u32; 4]> {
    let Some(mut line) = lines.next() else {
        let expected = "the numbers of nodes, edges, tetrahedra and faces";
        report.add(lines.offset(), "line of counts", "missing", expected);
        return None;
    };
    let counts = [POINT, EDGE, TETRAHEDRON, FACE].map(|part| {
        let count = scan::bounded(line.take(), part.number, u64::from(u32::MAX), report)?;
        u32::try_from(count).ok()
    });
    scan::end_of_line(line, report);
    let [nodes, edges, tetrahedra, faces] = counts;
    Some([nodes?, edges?, tetrahedra?, faces?])
}

/// Gives `count` lines to `take`, except lines of a wrong number of fields; `None`, reported, if the reading cannot go
/// on.
fn part<'a>(
    lines: &mut Lines<'a>,
    part: &Part,
    count: u32,
    report: &mut Report<'_>,
    mut take: impl FnMut(Fields<'a>, &mut Report<'_>),
) -> Option<()> {
    let mut misfits = Misfits::default();
    for done in 0..count {
        let Some(line) = lines.next() else {
            let expected = format!("{count} as the line of counts says; is the file truncated?");
            report.add(lines.offset(), part.number, done, expected);
            return None;
        };
        let fits = points::has_fields(line, part.fields, part.one, report);
        if fits {
            take(line, report);
        }
        if !misfits.go_on(fits) {
            return None;
        }
    }
    Some(())
}

fn elements<const N: usize>(
    lines: &mut Lines<'_>,
    what: &Part,
    count: u32,
    records: Records,
    report: &mut Report<'_>,
) -> Option<Elements<N>> {
    let mut elements = Elements::new();
    let marked = what.fields > N;
    part(lines, what, count, report, |line, report| elements.read(line, records, marked, report))?;
    elements.report_duplicates(what.one, records.base, report);
    Some(elements)
}

/// The mesh as mesh text. [`read`] of it gives an equal mesh, if this one keeps the promises of its type and
/// has at most [`u32::MAX`] of everything.
pub fn write(mesh: &Mesh) -> String {
    let mut text = String::new();
    write_to(&mut text, mesh).expect("a String takes all that is written");
    text
}

fn write_to(text: &mut String, mesh: &Mesh) -> fmt::Result {
    let Mesh { points, edges, tetrahedra, faces } = mesh;
    writeln!(text, "{} {} {} {}", points.len(), edges.len(), tetrahedra.len(), faces.len())?;
    for [x, y, z] in points {
        writeln!(text, "{x:?} {y:?} {z:?}")?;
    }
    for [i, j] in edges {
        writeln!(text, "{i} {j}")?;
    }
    for [i, j, k, l] in tetrahedra {
        writeln!(text, "{i} {j} {k} {l}")?;
    }
    for Face { nodes: [i, j, k], marker } in faces {
        writeln!(text, "{i} {j} {k} {marker}")?;
    }
    Ok(())
}
