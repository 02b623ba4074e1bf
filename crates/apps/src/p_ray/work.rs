//! The work of p-ray that a model charges. This module must never know where triangles are kept.
//!
//! It is counted in the loops: an addition, a multiplication, a comparison, a division or a square root of real numbers
//! is one floating-point operation. The words of a triangle are loads where they are first used; the rest of a ray's
//! data stays in registers.

use tempest::Operations;

/// A pixel: the direction of its ray out of three vectors, made of length 1; and its colour, packed and stored.
pub(super) const PIXEL: Operations = Operations::NONE.flops(40).integers(12).stores(1);

/// The beginning of a ray: the floor, where it enters and leaves the grid, its first cell and its first walls.
pub(super) const RAY: Operations = Operations::NONE.flops(61).integers(16).loads(12);

/// A step to the next cell: the nearest of three walls, the wall behind it, the cell's index and where its numbers stand.
pub(super) const CELL: Operations = Operations::NONE.flops(5).integers(8).loads(2);

/// The search for a triangle by its number: the number, its owner, its slot in the cache and the slot's present object.
pub(super) const FIND: Operations = Operations::NONE.integers(6).loads(2);

/// The test of a triangle up to its first edge: a cross product, two dot products, a difference, a division.
pub(super) const FIRST_EDGE: Operations = Operations::NONE.flops(26).integers(2).loads(9);

/// The test of a triangle up to its other edges: a cross product and a dot product.
pub(super) const OTHER_EDGES: Operations = Operations::NONE.flops(18).integers(2);

/// The distance of the point where a ray meets a triangle, and the comparison with the nearest found.
pub(super) const DISTANCE: Operations = Operations::NONE.flops(9).integers(4);

/// The surface where a ray meets it: the point; the normal out of the three corners' normals, made of length 1, on the
/// side of the ray; the direction that a mirror throws back; and the colour's share of the pixel.
pub(super) const SURFACE: Operations = Operations::NONE.flops(57).integers(4).loads(9);

/// The light of a lamp: its direction and distance, and the cosine of the angle at which it falls in.
pub(super) const LAMP: Operations = Operations::NONE.flops(19).integers(4).loads(4);

/// The colour that a lamp adds: diffuse and glossy.
pub(super) const SHINE: Operations = Operations::NONE.flops(22).integers(2);

/// The entry of a triangle in a cache: its number, and where it is read from and to.
pub(super) const ACCOUNT: Operations = Operations::NONE.integers(4).stores(1);
