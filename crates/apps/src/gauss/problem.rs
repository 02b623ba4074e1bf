//! The problem of gauss: a random system, and its solution by a sequential elimination.
//!
//! This module must never know how rows travel.

use std::sync::{Arc, Mutex, PoisonError};

use tempest::entry::{BadPlan, FRAMES, HOMES, Inputs};
use tempest::memory::{Frames, Placement};

use super::equations::Equations;
use super::reference::{self, Solution};

/// The most rows.
const MOST: u32 = 1 << 13;

/// The inputs of gauss.
#[derive(Clone, Inputs)]
pub(super) struct Options {
    /// rows of the matrix, and unknowns; the study has 672
    #[input(default = 128, range = 1..=MOST)]
    pub(super) size: u32,
    #[input(like = FRAMES)]
    pub(super) frames: Frames,
    #[input(like = HOMES)]
    pub(super) homes: Placement,
}

/// The problem by its inputs, and the system that was solved last. A comparison runs the same system many times, so it
/// is kept.
pub(super) struct System {
    pub(super) asked: Options,
    last: Mutex<Option<Solved>>,
}

/// A system, and its solution.
#[derive(Clone)]
pub(super) struct Solved {
    seed: u64,
    pub(super) equations: Arc<Equations>,
    pub(super) solution: Arc<Solution>,
}

impl System {
    /// The problem of these inputs. No system is generated yet.
    pub(super) fn new(asked: Options) -> Self {
        Self { asked, last: Mutex::default() }
    }

    /// Generates the system of a seed and solves it sequentially, unless it was the last solved.
    ///
    /// # Errors
    /// [`BadPlan`] if the system has no solution.
    pub(super) fn solve(&self, seed: u64) -> Result<Solved, BadPlan> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(solved) = last.as_ref().filter(|solved| solved.seed == seed) {
            return Ok(solved.clone());
        }
        let equations = Equations::generate(self.asked.size as usize, seed);
        let solution = reference::solve(&equations).map_err(|column| {
            format!(
                "column {column} of the matrix of seed {seed} has no pivot: expected --seed of another one"
            )
        })?;
        let solved = Solved { seed, equations: Arc::new(equations), solution: Arc::new(solution) };
        Ok(last.insert(solved).clone())
    }
}
