//! The problem of gauss: a random system, and its solution by a sequential elimination.
//!
//! This module must never know how rows travel.

use std::sync::Arc;

use tempest::entry::{BadPlan, FRAMES, HOMES, Inputs, Problems, portable};
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

/// The problem by its inputs.
pub(super) struct System {
    pub(super) asked: Options,
    problems: Problems,
}

/// A system, and its solution.
pub(super) struct Solved {
    pub(super) equations: Equations,
    pub(super) solution: Solution,
}

portable!(Solved { equations, solution });

impl System {
    /// The problem of these inputs. Systems are kept in `problems`.
    pub(super) fn new(asked: Options, problems: Problems) -> Self {
        Self { asked, problems }
    }

    /// Generates the system of a seed and solves it sequentially.
    ///
    /// # Errors
    /// [`BadPlan`] if the system has no solution.
    pub(super) fn solve(&self, seed: u64) -> Result<Arc<Solved>, BadPlan> {
        let size = self.asked.size as usize;
        self.problems.get("gauss", &format!("{size} unknowns with seed {seed}"), || {
            let equations = Equations::generate(size, seed);
            let solution = reference::solve(&equations).map_err(|column| {
                format!(
                    "column {column} of the matrix of seed {seed} has no pivot: expected --seed of another one"
                )
            })?;
            Ok(Solved { equations, solution })
        })
    }
}
