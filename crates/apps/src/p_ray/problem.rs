//! The problem of p-ray: the inputs, the scene that is made of them, and its image as one thread renders it.
//!
//! This module must never know how triangles travel.

use std::sync::{Arc, OnceLock};

use formats::bezier::Patch;
use tempest::entry::{File, Inputs};

use super::balance::Balance;
use super::scene::Scene;
use super::surface::Triangle;
use super::trace::{Tracer, Whole};

/// The inputs of p-ray.
#[derive(Clone, Debug, Inputs)]
pub(super) struct Options {
    /// the surface that is seen: bicubic Bézier patches (.bpt)
    #[input(default = "teapot")]
    pub(super) scene: Arc<File>,
    /// pixels of a side of the image; the study has 512
    #[input(default = 128, range = 1..=4096)]
    pub(super) size: u32,
    /// steps into which a side of a patch is cut; a square of two steps is two triangles
    #[input(default = 8, range = 1..=64)]
    pub(super) steps: u32,
    /// cells of the grid over the triangles, along its longest side
    #[input(default = 32, range = 1..=256)]
    pub(super) cells: u32,
    /// rays that follow each other by mirrors
    #[input(default = 1, range = 0..=8)]
    pub(super) reflections: u32,
    /// triangles of other nodes that a thread keeps; no fewer than an object has
    #[input(default = 1024, range = 1..=1 << 20)]
    pub(super) cache: u32,
    /// triangles of an object, which is read as a whole and has one owner; with 128 it is a patch of 8 steps
    #[input(default = 1, range = 1..=1 << 20)]
    pub(super) object: u32,
    /// pixels that are stored together as soon as they are rendered; 0: a whole line
    #[input(default = 0, range = 0..=4096)]
    pub(super) span: u32,
    /// how lines are dealt out: dealt (to all threads in turn) or counter (a thread takes the next one that nobody has)
    #[input(default = "dealt")]
    pub(super) balance: Balance,
}

/// A scene, and its image.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) asked: Options,
    pub(super) scene: Scene,
    pub(super) triangles: Vec<Triangle>,
    image: OnceLock<Vec<u64>>,
}

impl Problem {
    /// Makes the scene around a surface.
    ///
    /// # Errors
    /// The surface cannot be cut into triangles; the text says why.
    pub(super) fn new(asked: Options, patches: &[Patch]) -> Result<Self, String> {
        let (scene, triangles) = Scene::around(patches, asked.steps, asked.cells)?;
        Ok(Self { asked, scene, triangles, image: OnceLock::new() })
    }

    /// The image by lines, as one thread renders it that has all triangles. It is rendered when first asked for.
    pub(super) fn image(&self) -> &[u64] {
        self.image.get_or_init(|| {
            let Options { size, reflections, .. } = self.asked;
            let objects = Whole(&self.triangles);
            let mut tracer = Tracer { scene: &self.scene, objects, size, reflections };
            let line = |y| (0..size).map(move |x| [x, y]);
            (0..size).flat_map(line).map(|at| tracer.pixel(at)).collect()
        })
    }

    /// The triangles of an object: never more than there are.
    pub(super) fn object(&self) -> u32 {
        self.asked.object.min(self.triangles.len() as u32)
    }

    /// The pixels that are stored together: never more than a line has.
    pub(super) fn span(&self) -> usize {
        match self.asked.span {
            0 => self.asked.size as usize,
            span => span.min(self.asked.size) as usize,
        }
    }

    /// The number of objects.
    pub(super) fn objects(&self) -> u32 {
        (self.triangles.len() as u32).div_ceil(self.object())
    }

    /// The objects of other nodes that a thread keeps: never more than there are, and one at least.
    pub(super) fn cache(&self) -> u32 {
        (self.asked.cache / self.object()).clamp(1, self.objects())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use tempest::entry::Given;

    use super::*;
    use crate::p_ray::scene::SKY;

    /// Newell's tea pot.
    pub(in crate::p_ray) const TEAPOT: &[u8] = include_bytes!("../../../../inputs/teapot.bpt");

    /// The bytes of a surface, and inputs.
    pub(in crate::p_ray) fn given(bytes: &[u8], inputs: &[(&str, &str)]) -> Given {
        let mut given = Given::default();
        given.files.insert("scene".into(), File { name: "pot.bpt".into(), bytes: bytes.into() });
        given.values.extend(inputs.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())));
        given
    }

    fn problem(inputs: &[(&str, &str)]) -> Problem {
        let asked = Options::from_given(&given(TEAPOT, inputs)).unwrap();
        Problem::new(asked, &formats::bezier::read("teapot", TEAPOT).unwrap()).unwrap()
    }

    /// Red, green and blue from 0 to 1.
    fn colour(problem: &Problem, [x, y]: [u32; 2]) -> [f64; 3] {
        let pixel = problem.image()[(y * problem.asked.size + x) as usize];
        assert_eq!(pixel >> 48, 0xffff);
        [0, 16, 32].map(|shift| f64::from((pixel >> shift) as u16) / 65_535.0)
    }

    #[test]
    fn the_pot_stands_in_the_middle_on_the_floor_under_the_sky() {
        let problem = problem(&[("size", "64"), ("reflections", "0")]);
        let is_sky = |colour: [f64; 3]| colour.iter().zip(SKY).all(|(one, other)| (one - other).abs() < 1e-4);
        for corner in [[0, 0], [63, 0], [32, 2]] {
            assert!(is_sky(colour(&problem, corner)), "{corner:?}");
        }
        // The pot is red before it is blue, by 3.2; no field of the floor is, by more than 1.14.
        let is_pot = |[red, _, blue]: [f64; 3]| red > 2.0 * blue && red > 0.1;
        assert!(is_pot(colour(&problem, [32, 32])), "{:?}", colour(&problem, [32, 32]));
        let all = (0..64).flat_map(|y| (0..64).map(move |x| [x, y]));
        let pots = all.clone().filter(|&at| is_pot(colour(&problem, at))).count();
        let skies = all.filter(|&at| is_sky(colour(&problem, at))).count();
        assert!((500..1500).contains(&pots) && (500..2500).contains(&skies), "{pots} of pot, {skies} of sky");
    }

    #[test]
    fn a_grid_of_any_size_gives_one_image() {
        let image = |cells| problem(&[("size", "24"), ("steps", "3"), ("cells", cells)]).image().to_vec();
        let one = image("1");
        assert_eq!(image("7"), one);
        assert_eq!(image("40"), one);
    }

    #[test]
    fn triangles_without_area_at_the_poles_are_left_out() {
        // Eight triangles of each of the four patches around the middle of the lid, and of the bottom, have no area.
        let problem = problem(&[]);
        assert_eq!(problem.triangles.len(), 32 * 128 - 8 * 8);
    }
}
