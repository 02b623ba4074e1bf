//! What every value read keeps: the promises of its type.
//!
//! Nothing here may know which format the value was read from.

use std::collections::HashSet;

use formats::{SparseMatrix, Symmetry, Values, mesh::Mesh};

/// Panics unless a matrix keeps the promises of its type.
pub(crate) fn check_matrix(matrix: &SparseMatrix) {
    let SparseMatrix { rows, columns, symmetry, values, ref entries } = *matrix;
    let mut positions = HashSet::new();
    for entry in entries {
        assert!(entry.row < rows && entry.column < columns, "{entry:?} in {rows} x {columns}");
        assert!(entry.value.is_finite(), "{entry:?}");
        assert!(values == Values::Real || entry.value == 1.0, "{entry:?} in a pattern");
        assert!(symmetry == Symmetry::General || entry.column <= entry.row, "{entry:?} above the diagonal");
        assert!(positions.insert((entry.row, entry.column)), "{entry:?} twice");
    }
    assert!(symmetry == Symmetry::General || rows == columns, "{rows} x {columns}");
}

/// Panics unless a mesh keeps the promises of its type.
pub(crate) fn check_mesh(mesh: &Mesh) {
    assert!(mesh.points.iter().flatten().all(|coordinate| coordinate.is_finite()));
    check_elements(mesh.edges.iter().copied(), mesh);
    check_elements(mesh.tetrahedra.iter().copied(), mesh);
    check_elements(mesh.faces.iter().map(|face| face.nodes), mesh);
}

fn check_elements<const N: usize>(elements: impl Iterator<Item = [u32; N]>, mesh: &Mesh) {
    let mut seen = HashSet::new();
    for element in elements {
        let mut nodes = element;
        nodes.sort_unstable();
        assert!(nodes.iter().all(|&node| (node as usize) < mesh.points.len()), "{element:?} out of range");
        assert!(nodes.windows(2).all(|pair| pair[0] < pair[1]), "{element:?} repeats a node");
        assert!(seen.insert(nodes), "{element:?} twice");
    }
}
