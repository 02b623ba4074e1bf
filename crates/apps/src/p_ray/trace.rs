//! The tracing of rays: the colour of a pixel.
//!
//! A ray finds the nearest object that it meets. From there a ray goes to each lamp: where it meets an object, there is
//! shadow. The surface is glazed, so one more ray goes where a mirror would throw it, up to the requested depth. (T.
//! Whitted, *An improved illumination model for shaded display*, Communications of the ACM 23, 1980.)
//!
//! This module must never know where triangles are kept: it asks for them by their numbers.

use tempest::Operations;

use super::scene::{AMBIENT, GLAZED, Lamp, Material, SKY, Scene};
use super::surface::{Meeting, Ray, Shape, Triangle, meet};
use super::vector::{Vector, add, blend, dot, length, mirrored, scale, subtract, unit};
use super::work::{CELL, DISTANCE, FIND, FIRST_EDGE, LAMP, OTHER_EDGES, PIXEL, RAY, SHINE, SURFACE};

/// The greatest value of a channel of a pixel.
const FULL: f64 = 65_535.0;

/// The bits of a pixel that has been computed: as a channel of opacity they stand above blue, green and red.
const OPAQUE: u64 = 0xffff << 48;

/// The triangles of a scene, and the account of work.
pub(super) trait Objects {
    /// Position of a triangle.
    fn shape(&mut self, number: u32) -> Shape;

    /// The normals at the corners of a triangle.
    fn normals(&mut self, number: u32) -> [Vector; 3];

    /// Notes work that has been done.
    fn work(&mut self, done: Operations);

    /// Notes that a ray begins.
    fn ray(&mut self);
}

/// Triangles that are all at hand, without account, for the sequential reference.
pub(super) struct Whole<'a>(pub(super) &'a [Triangle]);

impl Objects for Whole<'_> {
    fn shape(&mut self, number: u32) -> Shape {
        self.0[number as usize].shape
    }

    fn normals(&mut self, number: u32) -> [Vector; 3] {
        self.0[number as usize].normals
    }

    fn work(&mut self, _: Operations) {}

    fn ray(&mut self) {}
}

/// The nearest object that a ray meets.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Hit {
    at: f64,
    what: What,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum What {
    Floor,
    /// A triangle, and the shares of its second and third corner.
    Triangle(u32, [f64; 2]),
}

/// A point of an object that a ray meets.
struct Spot {
    point: Vector,
    /// The normal on the side from which the ray comes.
    normal: Vector,
    /// The direction in which a mirror throws the ray.
    mirrored: Vector,
    material: Material,
}

/// The rays of one image, and their demands on objects.
pub(super) struct Tracer<'s, O> {
    pub(super) scene: &'s Scene,
    pub(super) objects: O,
    /// Pixels of a side.
    pub(super) size: u32,
    /// The most rays that follow each other by mirrors.
    pub(super) reflections: u32,
}

impl<O: Objects> Tracer<'_, O> {
    /// The value of a pixel: 16 bits each for red, green and blue, red the lowest, and above them 16 bits that are all
    /// set.
    pub(super) fn pixel(&mut self, at: [u32; 2]) -> u64 {
        self.objects.work(PIXEL);
        let colour = self.colour(self.scene.through(at, self.size));
        let channel = |value: f64| (value.clamp(0.0, 1.0) * FULL + 0.5) as u64;
        let [red, green, blue] = colour.map(channel);
        OPAQUE | blue << 32 | green << 16 | red
    }

    /// The colour that a ray brings to the eye.
    fn colour(&mut self, mut ray: Ray) -> Vector {
        let (mut colour, mut share) = ([0.0; 3], 1.0);
        for reflection in 0..=self.reflections {
            let Some(hit) = self.nearest(&ray) else { return add(colour, scale(SKY, share)) };
            let spot = self.spot(&ray, hit);
            let mirror = if reflection < self.reflections { spot.material.mirror } else { 0.0 };
            colour = add(colour, scale(self.lit(&spot), share * (1.0 - mirror)));
            if mirror == 0.0 {
                break;
            }
            share *= mirror;
            ray = Ray { from: spot.point, direction: spot.mirrored };
        }
        colour
    }

    /// The nearest object that a ray meets.
    pub(super) fn nearest(&mut self, ray: &Ray) -> Option<Hit> {
        self.begin();
        let floor = self.scene.floor_at(ray).map(|at| Hit { at, what: What::Floor });
        let mut nearest = floor;
        let (scene, objects) = (self.scene, &mut self.objects);
        let within = floor.map_or(f64::INFINITY, |hit| hit.at);
        scene.grid.walk(ray, within, |numbers, leave| {
            objects.work(CELL);
            for &number in numbers {
                let Some((at, shares)) = meets(objects, ray, number) else { continue };
                if at > scene.near && nearest.is_none_or(|hit| at < hit.at) {
                    nearest = Some(Hit { at, what: What::Triangle(number, shares) });
                }
            }
            // Behind this cell there is nothing nearer.
            nearest.is_none_or(|hit| hit.at > leave)
        });
        nearest
    }

    /// Whether an object is between a point and a place in a direction at a distance.
    fn is_shadowed(&mut self, ray: &Ray, distance: f64) -> bool {
        self.begin();
        if self.scene.floor_at(ray).is_some_and(|at| at < distance) {
            return true;
        }
        let (scene, objects) = (self.scene, &mut self.objects);
        let mut is_shadowed = false;
        scene.grid.walk(ray, distance, |numbers, _| {
            objects.work(CELL);
            let mut blocks = |&number: &u32| {
                meets(objects, ray, number).is_some_and(|(at, _)| at > scene.near && at < distance)
            };
            is_shadowed = numbers.iter().any(&mut blocks);
            !is_shadowed
        });
        is_shadowed
    }

    fn begin(&mut self) {
        self.objects.work(RAY);
        self.objects.ray();
    }

    fn spot(&mut self, ray: &Ray, Hit { at, what }: Hit) -> Spot {
        self.objects.work(SURFACE);
        let point = ray.at(at);
        let (normal, material) = match what {
            What::Floor => ([0.0, 0.0, 1.0], self.scene.floor_of(point)),
            What::Triangle(number, [second, third]) => {
                let normals = self.objects.normals(number);
                (unit(blend(normals, [1.0 - second - third, second, third])), GLAZED)
            }
        };
        let faces = dot(ray.direction, normal) <= 0.0;
        let normal = if faces { normal } else { scale(normal, -1.0) };
        Spot { point, normal, mirrored: mirrored(ray.direction, normal), material }
    }

    /// The light that a spot throws towards the eye, without its reflection.
    fn lit(&mut self, spot: &Spot) -> Vector {
        let (mut diffuse, mut gloss) = (AMBIENT, 0.0);
        for Lamp { at, power } in self.scene.lamps {
            self.objects.work(LAMP);
            let way = subtract(at, spot.point);
            let distance = length(way);
            let ray = Ray { from: spot.point, direction: scale(way, 1.0 / distance) };
            let cosine = dot(ray.direction, spot.normal);
            if cosine <= 0.0 || self.is_shadowed(&ray, distance) {
                continue;
            }
            self.objects.work(SHINE);
            diffuse += power * cosine;
            // The 32nd power.
            let shine = (0..5).fold(dot(ray.direction, spot.mirrored).max(0.0), |shine, _| shine * shine);
            gloss += power * spot.material.mirror * shine;
        }
        scale(spot.material.colour, diffuse).map(|channel| channel + gloss)
    }
}

/// The distance at which a ray's line meets a triangle, and the shares of its second and third corner.
fn meets(objects: &mut impl Objects, ray: &Ray, number: u32) -> Option<(f64, [f64; 2])> {
    let shape = objects.shape(number);
    match meet(ray, &shape) {
        Meeting::PastFirst => objects.work(FIND.and(FIRST_EDGE)),
        Meeting::PastOthers => objects.work(FIND.and(FIRST_EDGE).and(OTHER_EDGES)),
        Meeting::At(at, shares) => {
            objects.work(FIND.and(FIRST_EDGE).and(OTHER_EDGES).and(DISTANCE));
            return Some((at, shares));
        }
    }
    None
}
