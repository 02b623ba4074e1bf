//! The problem of tomcatv: a generated mesh, and its required result.
//!
//! This module must never know how rows travel.

use std::convert::Infallible;
use std::sync::Arc;

use tempest::entry::{FRAMES, HOMES, Inputs, Problems, portable};
use tempest::memory::{Frames, Placement};

use super::generated::{Mesh, generate};
use super::reference::{self, Expected};

/// The most points of a side.
const MOST: u32 = 1 << 13;

/// The inputs of tomcatv.
#[derive(Clone, Inputs)]
pub(super) struct Options {
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
    #[input(like = HOMES)]
    pub(super) homes: Placement,
}

/// The problem by its inputs.
pub(super) struct Relaxation {
    pub(super) asked: Options,
    problems: Problems,
}

/// A mesh, and its required result.
pub(super) struct Solved {
    pub(super) mesh: Mesh,
    pub(super) expected: Expected,
}

portable!(Solved { mesh, expected });

impl Relaxation {
    /// The problem of these inputs. Meshes are kept in `problems`.
    pub(super) fn new(asked: Options, problems: Problems) -> Self {
        Self { asked, problems }
    }

    /// Generates the mesh of a seed and relaxes it sequentially.
    pub(super) fn solve(&self, seed: u64) -> Arc<Solved> {
        let Options { size, iterations, .. } = self.asked;
        let of = format!("{size} points a side, {iterations} iterations, seed {seed}");
        let relax = || {
            let mesh = generate(size as usize, seed);
            let expected = reference::run(&mesh, size as usize, iterations);
            Ok::<_, Infallible>(Solved { mesh, expected })
        };
        let Ok(solved) = self.problems.get("tomcatv", &of, relax);
        solved
    }
}
