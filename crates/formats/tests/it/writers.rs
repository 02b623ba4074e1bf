//! Writers of the formats that the crate only reads, so that what is written can be read back.
//!
//! Nothing here may know how the readers work.

use std::fmt::Write;

use formats::{Entry, SparseMatrix, Symmetry, Values, mesh::Mesh};

/// Panics as nothing that is written to a string can fail.
const FITS: &str = "a String takes all that is written";

/// A matrix, its entries sorted by column, as a Harwell-Boeing file or, without the fifth count on the second
/// card, a Rutherford-Boeing one. Integers are given just the columns they need, so that they touch each
/// other.
pub(crate) fn compressed_columns(matrix: &SparseMatrix, rutherford: bool) -> String {
    let SparseMatrix { rows, columns, symmetry, values, ref entries } = *matrix;
    let mut pointers = vec![0_u64; columns as usize + 2];
    for entry in entries {
        pointers[entry.column as usize + 2] += 1;
    }
    pointers[1] = 1;
    for column in 2..pointers.len() {
        pointers[column] += pointers[column - 1];
    }
    let pointers: Vec<_> = pointers[1..].iter().map(ToString::to_string).collect();
    let indices: Vec<_> = entries.iter().map(|entry| (u64::from(entry.row) + 1).to_string()).collect();
    let pointer_width = widest(&pointers);
    let index_width = widest(&indices);
    let kind = if values == Values::Pattern { 'P' } else { 'R' };
    let symmetry = if symmetry == Symmetry::Symmetric { 'S' } else { 'U' };
    let value_format = if values == Values::Pattern { "" } else { "(3E25.16)" };
    let counts = if rutherford { "" } else { "             0" };
    let [pointer_format, index_format] = [format!("(7I{pointer_width})"), format!("(16I{index_width})")];
    let mut text = format!("{:72}{:8}\n", "A title", "KEY");
    writeln!(text, "{0:14}{0:14}{0:14}{0:14}{counts}", 0).expect(FITS);
    writeln!(text, "{kind}{symmetry}A{:11}{rows:14}{columns:14}{:14}{:14}", "", entries.len(), 0)
        .expect(FITS);
    writeln!(text, "{pointer_format:16}{index_format:16}{value_format:20}").expect(FITS);
    cards(&mut text, &pointers, 7, pointer_width);
    cards(&mut text, &indices, 16, index_width);
    if values == Values::Real {
        let values: Vec<_> = entries.iter().map(|entry| format!("{:.16E}", entry.value)).collect();
        cards(&mut text, &values, 3, 25);
    }
    text
}

fn widest(numbers: &[String]) -> usize {
    numbers.iter().map(String::len).max().unwrap_or(1)
}

fn cards(text: &mut String, numbers: &[String], repeat: usize, width: usize) {
    for card in numbers.chunks(repeat) {
        for number in card {
            write!(text, "{number:>width$}").expect(FITS);
        }
        text.push('\n');
    }
}

/// The entries alone, one a line, indices from `base`.
pub(crate) fn triplets(entries: &[Entry], base: u32) -> String {
    entries
        .iter()
        .map(|entry| format!("{} {} {:?}\n", entry.row + base, entry.column + base, entry.value))
        .collect()
}

/// A matrix as triplets under a line of sizes.
pub(crate) fn headed_triplets(matrix: &SparseMatrix) -> String {
    let sizes = format!("{} {} {}\n", matrix.rows, matrix.columns, matrix.entries.len());
    sizes + &triplets(&matrix.entries, 1)
}

/// A mesh, but for its edges, as a Medit file, with sections that readers skip.
pub(crate) fn medit(mesh: &Mesh) -> String {
    let mut text = format!("MeshVersionFormatted 2\n\nDimension\n3\n\nVertices\n{}\n", mesh.points.len());
    for [x, y, z] in &mesh.points {
        writeln!(text, "{x:?} {y:?} {z:?} 0").expect(FITS);
    }
    writeln!(text, "Corners 1\n1\n\nTriangles\n{}", mesh.faces.len()).expect(FITS);
    for face in &mesh.faces {
        let [i, j, k] = face.nodes.map(|node| node + 1);
        writeln!(text, "{i} {j} {k} {}", face.marker).expect(FITS);
    }
    writeln!(text, "Edges\n0\nTetrahedra\n{}", mesh.tetrahedra.len()).expect(FITS);
    for tetrahedron in &mesh.tetrahedra {
        let [i, j, k, l] = tetrahedron.map(|node| node + 1);
        writeln!(text, "{i} {j} {k} {l} 7").expect(FITS);
    }
    text + "# the end\nEnd\n"
}
