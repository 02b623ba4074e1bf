//! Medit's ASCII meshes, `.mesh`.
//!
//! The format is that of P. J. Frey, *MEDIT: an interactive mesh visualization software*, Technical Report
//! 253, INRIA, 2001. Read are meshes of dimension 3: `Vertices` and `Tetrahedra`, which must be there, and the
//! `Triangles` with their references as marked faces. The mesh has each edge of its tetrahedra once, in ascending
//! order: a file's own `Edges` are only the marked ones among them. They are skipped by their number of lines, as are
//! `Corners`, `Ridges`, `Required…`, normals and tangents; references of vertices and tetrahedra are checked and
//! dropped. Elements of other shapes are refused, unless their number is 0.
//!
//! The format lets words and numbers stand anywhere; here each record is one line, as all writers known to us have it,
//! so that a mistake in one record cannot shift all others. Vertices come before the elements that refer to them, and
//! the file ends with `End`, so that every cut is noticed. Comments begin with `#`. We read it ourselves so as to
//! report all mistakes at once.
//!
//! This module must never know where the bytes came from.

use super::{
    elements::{self, Elements, Records},
    value::{Face, Mesh},
};
use crate::{
    Errors,
    errors::{Excerpt, Misfits, Report},
    points,
    scan::{self, Field, Fields, Lines},
};

/// First word of every file.
pub(crate) const FIRST_KEYWORD: &[u8] = b"MeshVersionFormatted";

/// Section that a keyword announces.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Vertices,
    Triangles,
    Tetrahedra,
    /// Records that a [`Mesh`] has no place for and can do without.
    Skipped,
    /// Elements that a [`Mesh`] has no place for and would be incomplete without.
    Refused,
    End,
}

/// The keywords read, and those known not to be.
const KEYWORDS: [(&str, Section); 26] = [
    ("Vertices", Section::Vertices),
    ("Triangles", Section::Triangles),
    ("Tetrahedra", Section::Tetrahedra),
    ("End", Section::End),
    ("Edges", Section::Skipped),
    ("Corners", Section::Skipped),
    ("Ridges", Section::Skipped),
    ("RequiredVertices", Section::Skipped),
    ("RequiredEdges", Section::Skipped),
    ("RequiredTriangles", Section::Skipped),
    ("RequiredTetrahedra", Section::Skipped),
    ("ParallelEdges", Section::Skipped),
    ("ParallelTriangles", Section::Skipped),
    ("Normals", Section::Skipped),
    ("NormalAtVertices", Section::Skipped),
    ("NormalAtTriangleVertices", Section::Skipped),
    ("Tangents", Section::Skipped),
    ("TangentAtVertices", Section::Skipped),
    ("TangentAtEdges", Section::Skipped),
    ("TangentAtEdgeVertices", Section::Skipped),
    ("Quadrilaterals", Section::Refused),
    ("Prisms", Section::Refused),
    ("Pyramids", Section::Refused),
    ("Hexahedra", Section::Refused),
    ("Hexaedra", Section::Refused), // Medit's own spelling
    ("TetrahedraP2", Section::Refused),
];

/// Reads a Medit mesh, called `name` in messages. The [module](self) describes the parts that are read.
///
/// # Errors
/// All mistakes of the file: an unknown version, dimension or keyword, sections missing, repeated or before the
/// vertices, too few or too many records, records of too few or too many fields, coordinates infinite or not a number,
/// nodes out of range or repeated within an element, elements that occur twice. Two records in a row with a wrong
/// number of fields end the reading of their section; a wrong first line or dimension ends the reading of the file.
pub fn read(name: &str, bytes: &[u8]) -> Result<Mesh, Errors> {
    let mut report = Report::new(bytes);
    let mut reader =
        Reader { lines: Lines::new(bytes, Some(b'#')), report: &mut report, parts: Parts::new() };
    let whole = reader.header().is_some() && reader.sections().is_some();
    let mesh = reader.parts.mesh().filter(|_| whole);
    report.finish_some(name, mesh)
}

/// Contents of the sections; `None` until the section has come.
struct Parts {
    points: Option<Vec<[f64; 3]>>,
    triangles: Option<Elements<3>>,
    tetrahedra: Option<Elements<4>>,
    /// Number of vertices to refer to, unreadable ones included.
    nodes: u32,
}

impl Parts {
    fn new() -> Self {
        Self { points: None, triangles: None, tetrahedra: None, nodes: 0 }
    }

    fn mesh(self) -> Option<Mesh> {
        let tetrahedra = self.tetrahedra?.nodes;
        let triangles = self.triangles.unwrap_or_else(Elements::new);
        let faces = triangles.nodes.into_iter().zip(triangles.markers);
        let faces = faces.map(|(nodes, marker)| Face { nodes, marker }).collect();
        Some(Mesh { points: self.points?, edges: edges(&tetrahedra), tetrahedra, faces })
    }
}

/// The edges of tetrahedra, each once: lesser node first, in ascending order.
fn edges(tetrahedra: &[[u32; 4]]) -> Vec<[u32; 2]> {
    let edge = |a: u32, b: u32| [a.min(b), a.max(b)];
    let six =
        |&[a, b, c, d]: &[u32; 4]| [edge(a, b), edge(a, c), edge(a, d), edge(b, c), edge(b, d), edge(c, d)];
    let mut edges: Vec<_> = tetrahedra.iter().flat_map(six).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

struct Reader<'a, 'r> {
    lines: Lines<'a>,
    report: &'r mut Report<'a>,
    parts: Parts,
}

impl<'a> Reader<'a, '_> {
    /// Reads version and dimension; `None`, reported, if the rest of the file cannot be understood.
    fn header(&mut self) -> Option<()> {
        self.setting("version", FIRST_KEYWORD, 1..=4, "1..=4")?;
        self.setting("dimension", b"Dimension", 3..=3, "3, the only one read")
    }

    /// Reads a keyword and its number.
    fn setting(
        &mut self,
        what: &'static str,
        keyword: &[u8],
        range: std::ops::RangeInclusive<u64>,
        expected: &'static str,
    ) -> Option<()> {
        let mut line = self.next_line();
        let found = line.take();
        if found.text != keyword {
            self.report.add(found.offset, "keyword", Excerpt(found.text), Excerpt(keyword));
            return None;
        }
        let number = self.number_behind(&mut line);
        if !scan::unsigned(number.text).is_some_and(|number| range.contains(&number)) {
            self.report.add(number.offset, what, Excerpt(number.text), expected);
            return None;
        }
        scan::end_of_line(line, self.report);
        Some(())
    }

    /// The next line with data, an empty one at the end of the file.
    fn next_line(&mut self) -> Fields<'a> {
        self.lines.next().unwrap_or_else(|| self.lines.any())
    }

    /// The number that belongs to a keyword: on its line, or else on the next.
    fn number_behind(&mut self, line: &mut Fields<'a>) -> Field<'a> {
        let field = line.take();
        if !field.text.is_empty() {
            return field;
        }
        *line = self.next_line();
        line.take()
    }

    /// Reads all sections up to `End`; `None` if something is missing, and reported.
    fn sections(&mut self) -> Option<()> {
        loop {
            let Some(mut line) = self.lines.next() else {
                let at = self.lines.offset();
                self.report.add(at, "keyword", "missing", "End; is the file truncated?");
                return None;
            };
            let keyword = line.take();
            let Some(section) = section(keyword.text) else {
                self.unknown(keyword);
                continue;
            };
            if section == Section::End {
                return self.end(line, keyword);
            }
            let stated = self.count(&mut line);
            self.section(section, keyword, stated);
        }
    }

    /// Checks that no text stands behind `End`, and that all sections have been read.
    fn end(&mut self, line: Fields<'_>, keyword: Field<'_>) -> Option<()> {
        scan::end_of_line(line, self.report);
        if let Some(line) = self.lines.next() {
            let rest = line.rest();
            self.report.add(
                rest.offset,
                "trailing text",
                Excerpt(rest.text),
                "the end of the file behind End",
            );
        }
        let Parts { points, tetrahedra, .. } = &self.parts;
        for (name, missing) in [("Vertices", points.is_none()), ("Tetrahedra", tetrahedra.is_none())] {
            if missing {
                self.report.add(keyword.offset, "section", format_args!("{name} missing"), "it before End");
            }
        }
        Some(())
    }

    /// Reports an unknown keyword, and skips its records.
    fn unknown(&mut self, keyword: Field<'_>) {
        let words = KEYWORDS.map(|(word, _)| word).join(", ");
        self.report.add(keyword.offset, "keyword", Excerpt(keyword.text), format_args!("one of {words}"));
        while self.record(usize::MAX, 0).is_some() {}
    }

    /// Reads the number of records, and where it stands.
    fn count(&mut self, line: &mut Fields<'a>) -> Option<usize> {
        let field = self.number_behind(line);
        let count = scan::bounded(field, "number of records", u64::from(u32::MAX), self.report);
        scan::end_of_line(*line, self.report);
        count.map(|count| count as usize)
    }

    /// The next line, if it can be a record: a keyword is none, nor is a word once all records have been
    /// `seen`.
    fn record(&mut self, stated: usize, seen: usize) -> Option<Fields<'a>> {
        let mut ahead = self.lines.clone();
        let line = ahead.next()?;
        let word = { line }.take().text;
        let letter = word.first().is_some_and(u8::is_ascii_alphabetic);
        if section(word).is_some() || letter && seen >= stated {
            return None;
        }
        self.lines = ahead;
        Some(line)
    }

    /// Reads the records of a section and checks their number.
    fn section(&mut self, section: Section, keyword: Field<'_>, stated: Option<usize>) {
        self.check_order(section, keyword);
        if let Some(count) = stated.filter(|&count| section == Section::Refused && count > 0) {
            let found = format!("{} of {count} records", Excerpt(keyword.text));
            self.report.add(keyword.offset, "section", found, "none: only meshes of tetrahedra are read");
        }
        let mut records = Vec::new();
        let mut surplus = None;
        while let Some(line) = self.record(stated.unwrap_or(0), records.len()) {
            if Some(records.len()) == stated {
                surplus = Some(line.rest().offset);
            }
            records.push(line);
        }
        if let Some(count) = stated.filter(|&count| count != records.len()) {
            let at = surplus.unwrap_or_else(|| self.next_offset());
            let (line, _) = self.report.place(keyword.offset);
            let expected = format!("{count} as the section, line {line}, says");
            self.report.add(at, "number of records", records.len(), expected);
        }
        match section {
            Section::Vertices => self.vertices(&records, stated),
            Section::Triangles => self.parts.triangles = Some(self.elements("triangle", &records)),
            Section::Tetrahedra => self.parts.tetrahedra = Some(self.elements("tetrahedron", &records)),
            Section::Skipped | Section::Refused | Section::End => {}
        }
    }

    /// Reports a section that comes a second time, or before the vertices it refers to.
    fn check_order(&mut self, section: Section, keyword: Field<'_>) {
        let Parts { points, triangles, tetrahedra, .. } = &self.parts;
        let (again, needs_points) = match section {
            Section::Vertices => (points.is_some(), false),
            Section::Triangles => (triangles.is_some(), true),
            Section::Tetrahedra => (tetrahedra.is_some(), true),
            Section::Skipped | Section::Refused | Section::End => (false, false),
        };
        if again {
            self.report.add(keyword.offset, "section", Excerpt(keyword.text), "each once");
        } else if needs_points && points.is_none() {
            self.report.add(keyword.offset, "section", Excerpt(keyword.text), "Vertices before it");
        }
    }

    /// Offset of the next line with data, or of the end of the file.
    fn next_offset(&self) -> usize {
        let mut ahead = self.lines.clone();
        let next = ahead.next().map(|line| line.rest().offset);
        next.unwrap_or(ahead.offset())
    }

    /// Gives the records of `fields` fields to `take`; reports the others.
    fn each(
        &mut self,
        what: &'static str,
        fields: usize,
        records: &[Fields<'a>],
        mut take: impl FnMut(Fields<'a>, &mut Report<'a>),
    ) {
        let mut misfits = Misfits::default();
        for &line in records {
            let fits = points::has_fields(line, fields, what, self.report);
            if fits {
                take(line, self.report);
            }
            if !misfits.go_on(fits) {
                return;
            }
        }
    }

    fn vertices(&mut self, records: &[Fields<'a>], stated: Option<usize>) {
        let mut points = Vec::with_capacity(records.len());
        self.each("vertex", 4, records, |mut line, report| {
            let point = points::point(&mut line, report);
            let reference = elements::integer(line.take(), report);
            points.extend(point.filter(|_| reference.is_some()));
        });
        self.parts.points = Some(points);
        // Number and records may differ, which has been reported; references to either are then not blamed.
        self.parts.nodes = u32::try_from(stated.unwrap_or(0).max(records.len())).unwrap_or(u32::MAX);
    }

    fn elements<const N: usize>(&mut self, what: &'static str, records: &[Fields<'a>]) -> Elements<N> {
        // Without vertices, which has been reported, any node may be meant.
        let nodes = if self.parts.points.is_some() { self.parts.nodes } else { u32::MAX };
        let layout = Records { base: 1, nodes };
        let mut elements = Elements::new();
        self.each(what, N + 1, records, |line, report| elements.read(line, layout, true, report));
        elements.report_duplicates(what, layout.base, self.report);
        elements
    }
}

fn section(word: &[u8]) -> Option<Section> {
    KEYWORDS.iter().find(|(keyword, _)| keyword.as_bytes() == word).map(|&(_, section)| section)
}
