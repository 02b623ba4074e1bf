//! The problem of tomcatv: a generated mesh, and its required result.
//!
//! This module must never know how rows travel.

use std::sync::{Arc, Mutex, PoisonError};

use rand::RngExt;
use tempest::Frames;
use tempest::entry::{FRAMES, Inputs};

use super::reference::{self, Expected};
use crate::kit::stream;

/// The most points of a side.
const MOST: u32 = 1 << 13;

/// The inputs of tomcatv.
#[derive(Clone, Inputs)]
pub(super) struct Asked {
    /// points of a side of the square mesh, its borders included; the study has 768
    #[input(default = 128, range = 4..=MOST)]
    pub(super) size: u32,
    /// iterations; the study has 10
    #[input(default = 5, range = 2..=10_000)]
    pub(super) iterations: u32,
    /// integer operations that a model charges for each point and iteration beside those counted
    #[input(default = 0, range = 0..=1_000_000)]
    pub(super) extra: u32,
    #[input(like = FRAMES)]
    pub(super) frames: Frames,
}

/// A coordinate of all points, row by row.
pub(super) type Matrix = Vec<f64>;

/// A mesh: its coordinates x and y.
pub(super) type Mesh = [Matrix; 2];

/// The problem by its inputs, and the mesh that was relaxed last. A comparison runs the same mesh many times, so it is
/// kept.
pub(super) struct Relaxation {
    pub(super) asked: Asked,
    last: Mutex<Option<Solved>>,
}

/// A mesh, and its required result.
#[derive(Clone)]
pub(super) struct Solved {
    seed: u64,
    pub(super) mesh: Arc<Mesh>,
    pub(super) expected: Arc<Expected>,
}

impl Relaxation {
    /// The problem of these inputs. No mesh is generated yet.
    pub(super) fn new(asked: Asked) -> Self {
        Self { asked, last: Mutex::default() }
    }

    /// Generates the mesh of a seed and relaxes it sequentially, unless it was the last relaxed.
    pub(super) fn solve(&self, seed: u64) -> Solved {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(solved) = last.as_ref().filter(|solved| solved.seed == seed) {
            return solved.clone();
        }
        let mesh = generate(self.asked.size as usize, seed);
        let expected = reference::run(&mesh, self.asked.size as usize, self.asked.iterations);
        last.insert(Solved { seed, mesh: Arc::new(mesh), expected: Arc::new(expected) }).clone()
    }
}

/// The place of a point of the undisturbed mesh: a square whose sides are bent by a tenth of their length.
fn place(u: f64, v: f64) -> [f64; 2] {
    let bend = |along: f64| 0.1 * (std::f64::consts::PI * along).sin();
    [u + bend(v) * (2.0 * u - 1.0), v + bend(u) * (2.0 * v - 1.0)]
}

/// A mesh of `size` points a side. The points of the border are at their places, each of the others is off by up to a quarter of a
/// mesh width in each coordinate.
fn generate(size: usize, seed: u64) -> Mesh {
    let width = 1.0 / (size - 1) as f64;
    let mut mesh = [Vec::with_capacity(size * size), Vec::with_capacity(size * size)];
    for i in 0..size {
        let mut random = stream(seed, i as u64);
        for j in 0..size {
            let inside = i % (size - 1) != 0 && j % (size - 1) != 0;
            let place = place(i as f64 * width, j as f64 * width);
            for (matrix, at) in mesh.iter_mut().zip(place) {
                let off = if inside { random.random_range(-0.25..0.25) * width } else { 0.0 };
                matrix.push(at + off);
            }
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_border_does_not_depend_on_the_seed() {
        let (one, other) = (generate(9, 1), generate(9, 2));
        let differ: Vec<_> = (0..81).filter(|&point| one[0][point] != other[0][point]).collect();
        assert_eq!(differ.len(), 49);
        assert!(differ.iter().all(|point| (1..8).contains(&(point % 9)) && (1..8).contains(&(point / 9))));
        assert_eq!(generate(9, 1), one);
    }
}
