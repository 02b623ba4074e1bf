//! The problem of tomcatv: a generated mesh, and its required result.
//!
//! This module must never know how rows travel.

use std::sync::{Arc, Mutex, PoisonError};

use tempest::entry::{FRAMES, HOMES, Inputs};
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

/// The problem by its inputs, and the mesh that was relaxed last. A comparison runs the same mesh many times, so it is
/// kept.
pub(super) struct Relaxation {
    pub(super) asked: Options,
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
    pub(super) fn new(asked: Options) -> Self {
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
