//! The problem of p-ray: the inputs, the scene that is made of them, and its image as one thread renders it.
//!
//! This module must never know how triangles travel.

use std::sync::{Arc, OnceLock};

use tempest::Job;
use tempest::entry::{BadPlan, File, Given, Inputs, Instance, Loaded, Plan, Reader};

use super::balance::Balance;
use super::program::{Config, PRay};
use super::scene::Scene;
use super::surface::{Triangle, WORDS};
use super::trace::{Tracer, Whole};

/// The most words of 8 bytes that the arena of a node may have.
const MOST_WORDS: u64 = 1 << 31;

/// The inputs of p-ray.
#[derive(Clone, Debug, Inputs)]
pub(super) struct Asked {
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
    /// triangles of other nodes that a thread keeps
    #[input(default = 1024, range = 1..=1 << 20)]
    pub(super) cache: u32,
    /// how lines are dealt out: dealt (to all threads in turn) or counter (a thread takes the next one that nobody has)
    #[input(default = "dealt")]
    pub(super) balance: Balance,
}

/// Reads the inputs, and the surface out of its file.
pub(super) fn load(given: &Given) -> Loaded {
    let mut reader = Reader::new(given, Asked::INPUTS);
    let asked = Asked::read(&mut reader);
    // The surface is read even if another input is wrong, so that a person sees all mistakes at once.
    let patches = given.files.get("scene").and_then(|file| {
        let read = formats::bezier::read(&file.name, &file.bytes);
        read.map_err(|errors| errors.to_string().lines().for_each(|line| reader.refuse(line.to_owned()))).ok()
    });
    let made = patches.zip(asked).and_then(|(patches, asked)| {
        let scene = Scene::around(&patches, asked.steps, asked.cells);
        let refused = |problem| reader.refuse(format!("{}: {problem}", asked.scene.name));
        scene.map_err(refused).ok().map(|(scene, triangles)| System::new(asked.clone(), scene, triangles))
    });
    reader.finish()?;
    Ok(Box::new(made.expect("whatever is missing was refused")))
}

/// A scene, and its image.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) asked: Asked,
    pub(super) scene: Scene,
    pub(super) triangles: Vec<Triangle>,
    image: OnceLock<Vec<u64>>,
}

impl Problem {
    /// The image by lines, as one thread renders it that has all triangles. It is rendered when first asked for.
    pub(super) fn image(&self) -> &[u64] {
        self.image.get_or_init(|| {
            let Asked { size, reflections, .. } = self.asked;
            let objects = Whole(&self.triangles);
            let mut tracer = Tracer { scene: &self.scene, objects, size, reflections };
            let line = |y| (0..size).map(move |x| [x, y]);
            (0..size).flat_map(line).map(|at| tracer.pixel(at)).collect()
        })
    }

    /// The triangles of other nodes that a thread keeps: never more than there are.
    pub(super) fn cache(&self) -> u32 {
        self.asked.cache.min(self.triangles.len() as u32)
    }
}

/// The program with its inputs read.
struct System(Arc<Problem>);

impl System {
    fn new(asked: Asked, scene: Scene, triangles: Vec<Triangle>) -> Self {
        Self(Arc::new(Problem { asked, scene, triangles, image: OnceLock::new() }))
    }

    /// Refuses caches that the memory of a node cannot be numbered with.
    fn check_room(&self, plan: &Plan) -> Result<(), BadPlan> {
        let (threads, nodes) = (u64::from(plan.shape.threads), u64::from(plan.shape.nodes));
        let (cache, words) = (u64::from(self.0.cache()), WORDS as u64);
        let size = u64::from(self.0.asked.size);
        let others =
            (self.0.triangles.len() as u64).div_ceil(nodes) * words + size.div_ceil(nodes) * size + 1;
        let room = MOST_WORDS.saturating_sub(others + threads) / words / threads;
        if cache < room {
            return Ok(());
        }
        let caches = format!("{threads} threads of a node with {cache} triangles each");
        Err(format!("{caches}: expected fewer than {room}, --input cache={}", room.saturating_sub(1)).into())
    }
}

impl Instance for System {
    fn job(&self, plan: &Plan) -> Result<Job, BadPlan> {
        self.check_room(plan)?;
        // All nodes need it, and only rendering is timed.
        self.0.image();
        Ok(Job::new::<PRay>(Arc::new(Config { problem: Arc::clone(&self.0), mechanism: plan.mechanism })))
    }

    fn describe(&self) -> Vec<(&'static str, String)> {
        let mut facts = self.0.asked.describe();
        facts.push(("triangles", self.0.triangles.len().to_string()));
        facts
    }
}

#[cfg(test)]
mod tests {
    use tempest::{Mechanism, Shape};

    use super::*;
    use crate::kit::matrices::{assert_say, mistakes};
    use crate::p_ray::scene::SKY;

    const TEAPOT: &[u8] = include_bytes!("../../../../inputs/teapot.bpt");

    fn given(bytes: &[u8], inputs: &[(&str, &str)]) -> Given {
        let mut given = Given::default();
        given.files.insert("scene".into(), File { name: "pot.bpt".into(), bytes: bytes.into() });
        given.values.extend(inputs.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())));
        given
    }

    fn problem(inputs: &[(&str, &str)]) -> Problem {
        let asked = Asked::from_given(&given(TEAPOT, inputs)).unwrap();
        let patches = formats::bezier::read("teapot", TEAPOT).unwrap();
        let (scene, triangles) = Scene::around(&patches, asked.steps, asked.cells).unwrap();
        Problem { asked, scene, triangles, image: OnceLock::new() }
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

    #[test]
    fn the_mistakes_of_inputs_and_file_come_together() {
        let wrong = given(b"1\n3 2\n", &[("balance", "fair"), ("size", "0")]);
        assert_say(&mistakes(load(&wrong)), &["size", "balance", "pot.bpt:2:1: degrees of a patch 3 2"]);
    }

    #[test]
    fn a_surface_without_area_is_refused_by_name() {
        let point = format!("1\n3 3\n{}", "1 1 1\n".repeat(16));
        assert_say(&mistakes(load(&given(point.as_bytes(), &[]))), &["pot.bpt: a surface without extent"]);
        let line: String = (0..16).map(|at| format!("{at} 0 0\n")).collect();
        let line = format!("1\n3 3\n{line}");
        assert_say(&mistakes(load(&given(line.as_bytes(), &[]))), &["pot.bpt: a surface without area"]);
    }

    #[test]
    fn caches_that_do_not_fit_are_refused_with_what_would() {
        let instance = load(&given(TEAPOT, &[("size", "8"), ("cache", "1048576")])).unwrap();
        let plan = |threads| Plan::new(Mechanism::Messages, Shape { nodes: 2, threads });
        assert!(instance.job(&plan(100)).is_ok());
        let error = instance.job(&plan(100_000)).unwrap_err().to_string();
        assert!(
            error.contains("100000 threads of a node with 4032 triangles each: expected fewer than 1192"),
            "{error}"
        );
    }
}
