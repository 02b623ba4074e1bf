//! The scene: a surface on a square floor with the pattern of a chessboard, two lamps, and the eye that looks at them.
//!
//! All places are relative to the box around the surface, so any surface is seen whole. The study shows no picture; the scene is ours.
//!
//! This module must never know where triangles are kept, nor how a ray finds them.

use formats::bezier::Patch;

use super::grid::Grid;
use super::surface::{Ray, Triangle, triangles};
use super::vector::{Bounds, Vector, add, cross, scale, subtract, unit};

/// The most triangles.
const MOST: usize = 1 << 20;

/// The extents of a surface that can be computed with: products of four lengths are numbers.
const EXTENTS: [f64; 2] = [1e-30, 1e30];

/// The eye from the middle of the box, in radii of the box.
const EYE: Vector = [0.75, -2.1, 1.1];

/// Half of the width of the image, at distance 1 from the eye.
const HALF: f64 = 0.45;

/// Half of the side of the floor, in radii.
const FLOOR: f64 = 1.4;

/// The side of a field of the floor, in radii.
const FIELD: f64 = 0.35;

/// The colours of the floor's fields.
const FIELDS: [Vector; 2] = [[0.85, 0.82, 0.75], [0.25, 0.3, 0.35]];

/// The colour of the surface.
const GLAZE: Vector = [0.8, 0.45, 0.25];

/// The colour of a ray that meets no object.
pub(super) const SKY: Vector = [0.35, 0.45, 0.6];

/// The share of light that comes from everywhere.
pub(super) const AMBIENT: f64 = 0.15;

/// A point from which light comes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lamp {
    pub(super) at: Vector,
    pub(super) power: f64,
}

/// A material: its colour, and the share of light that it throws back as a mirror, which is how much it glosses too.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Material {
    pub(super) colour: Vector,
    pub(super) mirror: f64,
}

/// The material of the surface.
pub(super) const GLAZED: Material = Material { colour: GLAZE, mirror: 0.25 };

/// The scene without its triangles: the part that every node has.
#[derive(Debug)]
pub(super) struct Scene {
    pub(super) grid: Grid,
    pub(super) lamps: [Lamp; 2],
    /// The least distance at which a ray meets anything: nearer, it would meet the surface that it leaves.
    pub(super) near: f64,
    middle: Vector,
    radius: f64,
    /// The height of the floor.
    floor: f64,
    eye: Vector,
    /// The directions of the view: to the middle, right, and up.
    view: [Vector; 3],
}

impl Scene {
    /// The scene around a surface, and the triangles of the surface.
    ///
    /// # Errors
    /// The surface cannot be cut into triangles; the text says why.
    pub(super) fn around(patches: &[Patch], steps: u32, cells: u32) -> Result<(Self, Vec<Triangle>), String> {
        let most = patches.len() as u64 * 2 * u64::from(steps) * u64::from(steps);
        if most > MOST as u64 {
            let patches = patches.len();
            return Err(format!(
                "{patches} patches of {steps} steps: expected at most {MOST} triangles, with fewer --input steps"
            ));
        }
        let points = patches.iter().flat_map(|patch| patch.control.as_flattened().iter().copied());
        let control = Bounds::around(points);
        let [least, greatest] = EXTENTS;
        let expected = format!("expected one that reaches from {least:e} to {greatest:e}");
        if !(least..=greatest).contains(&control.radius()) {
            return Err(format!("a surface without extent, or beyond any: {expected}"));
        }
        let triangles = triangles(patches, steps, control);
        if triangles.is_empty() {
            return Err(format!("a surface without area: {expected} in two directions"));
        }
        let bounds = Bounds::around(triangles.iter().flat_map(Triangle::corners));
        Ok((Self::of(bounds, Grid::over(&triangles, cells)), triangles))
    }

    fn of(bounds: Bounds, grid: Grid) -> Self {
        let (middle, radius) = (bounds.middle(), bounds.radius());
        let place = |from: Vector| add(middle, scale(from, radius));
        let eye = place(EYE);
        let ahead = unit(subtract(middle, eye));
        let right = unit(cross(ahead, [0.0, 0.0, 1.0]));
        let lamp = |at, power| Lamp { at: place(at), power };
        Self {
            grid,
            lamps: [lamp([-1.5, -2.0, 3.0], 0.6), lamp([2.5, -1.5, 2.0], 0.4)],
            near: 1e-6 * radius,
            middle,
            radius,
            // A little below the surface, whose own bottom is flat.
            floor: bounds.least[2] - 1e-3 * radius,
            eye,
            view: [ahead, right, cross(right, ahead)],
        }
    }

    /// The ray from the eye through a pixel of an image of `size` times `size` pixels, row 0 at the top.
    pub(super) fn through(&self, [x, y]: [u32; 2], size: u32) -> Ray {
        let place = |pixel: u32| ((f64::from(pixel) + 0.5) / f64::from(size) * 2.0 - 1.0) * HALF;
        let [ahead, right, up] = self.view;
        let direction = subtract(add(ahead, scale(right, place(x))), scale(up, place(y)));
        Ray { from: self.eye, direction: unit(direction) }
    }

    /// The distance at which a ray meets the floor.
    pub(super) fn floor_at(&self, ray: &Ray) -> Option<f64> {
        let at = (self.floor - ray.from[2]) / ray.direction[2];
        if at.is_nan() || at.is_infinite() || at < self.near {
            return None;
        }
        let point = ray.at(at);
        let off = |axis: usize| (point[axis] - self.middle[axis]).abs();
        (off(0).max(off(1)) <= FLOOR * self.radius).then_some(at)
    }

    /// The material of the floor at a point.
    pub(super) fn floor_of(&self, point: Vector) -> Material {
        let field = |axis: usize| ((point[axis] - self.middle[axis]) / (FIELD * self.radius)).floor();
        let is_odd = (field(0) + field(1)) as i64 & 1 == 1;
        Material { colour: FIELDS[usize::from(is_odd)], mirror: 0.0 }
    }
}
