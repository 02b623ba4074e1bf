//! The triangles of a surface of Bézier patches.
//!
//! A patch is evaluated on a lattice of points, and each square of the lattice becomes two triangles. The normal of the surface goes
//! along with each corner. Where the edge of a patch is one point, as at the pole of a lid, triangles without area are left out, and
//! a corner where the surface has no normal gets that of its triangle.
//!
//! This module must never know how triangles are found by a ray, nor where they are kept.

use formats::bezier::Patch;

use super::vector::{Bounds, Vector, add, cross, dot, length, scale, subtract, unit};

/// The words of a triangle in the global address space.
pub(super) const WORDS: usize = 18;

/// The words of a triangle that say where it is: the first ones.
pub(super) const SHAPE_WORDS: usize = 9;

/// Position of a triangle: a corner, and the edges from there to the other two.
pub(super) type Shape = [Vector; 3];

/// A triangle: where it is, and the normals of the surface at its corners.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Triangle {
    pub(super) shape: Shape,
    pub(super) normals: [Vector; 3],
}

/// A point of a surface and the normal there, of length 1 if there is one.
#[derive(Clone, Copy)]
struct Sample {
    point: Vector,
    normal: Option<Vector>,
}

impl Triangle {
    /// The triangle as words of the global address space.
    pub(super) fn words(&self) -> [u64; WORDS] {
        let numbers = self.shape.as_flattened().iter().chain(self.normals.as_flattened());
        let mut words = [0; WORDS];
        words.iter_mut().zip(numbers).for_each(|(word, number)| *word = number.to_bits());
        words
    }

    /// The corners.
    pub(super) fn corners(&self) -> [Vector; 3] {
        let [corner, one, other] = self.shape;
        [corner, add(corner, one), add(corner, other)]
    }

    /// The triangle of three corners, unless it has no area: at most `least`.
    fn new([a, b, c]: [Sample; 3], least: f64) -> Option<Self> {
        let (one, other) = (subtract(b.point, a.point), subtract(c.point, a.point));
        let across = cross(one, other);
        let flat = (length(across) > least).then(|| unit(across))?;
        let normals = [a, b, c].map(|corner| corner.normal.unwrap_or(flat));
        Some(Self { shape: [a.point, one, other], normals })
    }
}

/// Cuts patches into triangles: each side into `steps` steps. `bounds` is the box around all control points.
pub(super) fn triangles(patches: &[Patch], steps: u32, bounds: Bounds) -> Vec<Triangle> {
    // The rounded area of a triangle without area is far below this, and any other area far above.
    let least = 1e-12 * bounds.radius() * bounds.radius();
    let mut all = Vec::new();
    for patch in patches {
        let at = |index: u32| f64::from(index) / f64::from(steps);
        let row = |v| (0..=steps).map(|u| sample(patch, at(u), at(v), least)).collect();
        let lattice: Vec<Vec<Sample>> = (0..=steps).map(row).collect();
        for (row, next) in lattice.iter().zip(&lattice[1..]) {
            for (low, high) in row.windows(2).zip(next.windows(2)) {
                let halves = [[low[0], low[1], high[1]], [low[0], high[1], high[0]]];
                all.extend(halves.into_iter().filter_map(|corners| Triangle::new(corners, least)));
            }
        }
    }
    all
}

/// The point of a patch at two parameters from 0 to 1, and the normal there.
fn sample(patch: &Patch, u: f64, v: f64, least: f64) -> Sample {
    let (across, along) = (bernstein(u), bernstein(v));
    let (across_slope, along_slope) = (slopes(u), slopes(v));
    let sum = |row: [f64; 4], column: [f64; 4]| {
        let places = patch.control.iter().zip(row).flat_map(|(points, row)| {
            points.iter().zip(column).map(move |(point, column)| scale(*point, row * column))
        });
        places.fold([0.0; 3], add)
    };
    let normal = cross(sum(along, across_slope), sum(along_slope, across));
    let exists = length(normal) > least;
    Sample { point: sum(along, across), normal: exists.then(|| unit(normal)) }
}

/// The four polynomials of Bernstein of degree 3.
fn bernstein(t: f64) -> [f64; 4] {
    let s = 1.0 - t;
    [s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t]
}

/// The derivatives of the four polynomials of Bernstein of degree 3.
fn slopes(t: f64) -> [f64; 4] {
    let s = 1.0 - t;
    [-3.0 * s * s, 3.0 * s * s - 6.0 * s * t, 6.0 * s * t - 3.0 * t * t, 3.0 * t * t]
}

/// A way through space from a point, in a direction of length 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ray {
    pub(super) from: Vector,
    pub(super) direction: Vector,
}

impl Ray {
    /// The point at a distance.
    pub(super) fn at(&self, distance: f64) -> Vector {
        add(self.from, scale(self.direction, distance))
    }
}

/// Result of the search for the point where a ray meets a triangle.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Meeting {
    /// The ray passes the first edge, or is parallel to the triangle.
    PastFirst,
    /// The ray passes the second edge or the third.
    PastOthers,
    /// The ray's line meets the triangle at a distance, where the second and third corner have these shares.
    At(f64, [f64; 2]),
}

/// The point where a ray meets a triangle (T. Möller and B. Trumbore, *Fast, minimum storage ray/triangle intersection*, Journal of
/// Graphics Tools 2, 1997).
pub(super) fn meet(ray: &Ray, &[corner, one, other]: &Shape) -> Meeting {
    let across = cross(ray.direction, other);
    let determinant = dot(one, across);
    let inverse = 1.0 / determinant;
    let from = subtract(ray.from, corner);
    let second = dot(from, across) * inverse;
    // A share that is no number, for a ray parallel to the triangle, is not in the range.
    if !(0.0..=1.0).contains(&second) {
        return Meeting::PastFirst;
    }
    let along = cross(from, one);
    let third = dot(ray.direction, along) * inverse;
    if third.is_nan() || third < 0.0 || second + third > 1.0 {
        return Meeting::PastOthers;
    }
    Meeting::At(dot(other, along) * inverse, [second, third])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A patch over the unit square, a third between points, lifted by a paraboloid in one direction.
    fn patch(height: impl Fn(usize, usize) -> f64) -> Patch {
        let mut control = [[[0.0; 3]; 4]; 4];
        for (row, points) in control.iter_mut().enumerate() {
            for (column, point) in points.iter_mut().enumerate() {
                *point = [column as f64 / 3.0, row as f64 / 3.0, height(row, column)];
            }
        }
        Patch { control }
    }

    const UNIT: Bounds = Bounds { least: [0.0; 3], greatest: [1.0; 3] };

    #[test]
    fn a_flat_patch_is_a_lattice_of_triangles() {
        let flat = triangles(&[patch(|_, _| 0.0)], 4, UNIT);
        assert_eq!(flat.len(), 32);
        let area: f64 =
            flat.iter().map(|triangle| length(cross(triangle.shape[1], triangle.shape[2])) / 2.0).sum();
        assert!((area - 1.0).abs() < 1e-12, "{area}");
        let upright = |normal: &Vector| (normal[2] - 1.0).abs() < 1e-12;
        assert!(flat.iter().all(|triangle| triangle.normals.iter().all(upright)));
    }

    #[test]
    fn an_edge_that_is_one_point_gives_no_triangle_without_area() {
        let mut pole = patch(|row, _| row as f64);
        pole.control[0] = [[0.5, 0.0, 0.0]; 4];
        let triangles = triangles(&[pole], 4, UNIT);
        assert_eq!(triangles.len(), 32 - 4);
        let all = triangles.iter().flat_map(|triangle| triangle.normals);
        assert!(all.map(length).all(|length| (length - 1.0).abs() < 1e-12));
    }

    #[test]
    fn a_ray_meets_a_triangle_or_passes_an_edge() {
        let shape = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let down = |x, y| meet(&Ray { from: [x, y, 2.0], direction: [0.0, 0.0, -1.0] }, &shape);
        assert_eq!(down(0.25, 0.5), Meeting::At(2.0, [0.25, 0.5]));
        assert_eq!(down(-0.1, 0.5), Meeting::PastFirst);
        assert_eq!(down(0.5, -0.1), Meeting::PastOthers);
        assert_eq!(down(0.6, 0.6), Meeting::PastOthers);
        let along = Ray { from: [0.0, 0.0, 2.0], direction: [1.0, 0.0, 0.0] };
        assert_eq!(meet(&along, &shape), Meeting::PastFirst);
        let within = Ray { from: [-1.0, 0.5, 0.0], direction: [1.0, 0.0, 0.0] };
        assert!(!matches!(meet(&within, &shape), Meeting::At(..)));
    }
}
