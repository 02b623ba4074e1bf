//! A mesh of tetrahedra as a value, of any format.
//!
//! It must never know its spelling in a file.

/// A mesh of tetrahedra with a marked surface.
///
/// Every reader of this crate upholds, and every user may rely on: coordinates are finite, nodes are in range, the
/// nodes of an edge, tetrahedron or face differ from each other, and no edge, tetrahedron or face occurs twice, in any
/// order of its nodes. Nothing is said about orientation, nor whether all faces lie on tetrahedra.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// The nodes: x, y, z.
    pub points: Vec<[f64; 3]>,
    /// The edges, by the indices of their nodes.
    pub edges: Vec<[u32; 2]>,
    /// The tetrahedra, by the indices of their nodes.
    pub tetrahedra: Vec<[u32; 4]>,
    /// The marked triangles, usually of the boundary.
    pub faces: Vec<Face>,
}

/// A marked triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Face {
    /// Indices of the nodes.
    pub nodes: [u32; 3],
    /// Kind of boundary; the meaning is the mesh's own.
    pub marker: i32,
}
