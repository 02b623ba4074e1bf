//! tomcatv: generation of a mesh by relaxation along its rows, by each of the four mechanisms.
//!
//! The program is that of the SPEC floating-point benchmarks of 1992, vectorized mesh generation after J. F. Thompson. A mesh is two
//! matrices, the coordinates x and y of its points. The points of the border stay; the others move. An iteration has three passes
//! over the rows (B. Falsafi and D. A. Wood, on fixed and floating protocol processors, about 1996):
//!
//! 1. *Update*: the residual of each point and the coefficients of its row's tridiagonal system, from the point and its eight
//!    neighbours.
//! 2. *Residual*: the largest residuals of the thread's rows. Then all threads meet, for the largest of all.
//! 3. *Adjust*: the two tridiagonal systems of each row are solved, and their solutions are added to the coordinates. Then all
//!    threads meet again.
//!
//! Each thread has a block of consecutive rows. So only the rows on both sides of a border between nodes are communicated. The
//! coefficients and residuals are five matrices of a thread's own.
//!
//! # Mechanisms
//!
//! | mechanism | how the rows of neighbours come to a node |
//! |---|---|
//! | `messages` | into *ghost* rows beside the node's own, 13 numbers in each message |
//! | `bulk` | into ghost rows, a row in each transfer |
//! | `deposit` | into ghost rows, 14 numbers at a time |
//! | `shared-memory` | x and y are in shared memory, at home with their rows' owners; a thread reads the rows of others there. This is the program of the study |
//!
//! # Work
//!
//! A model charges the floating-point operations of each loop as the original has them, and three integer operations
//! for each turn of a loop. Loads and stores are accesses, which a model finds or misses in its caches; a value that a
//! turn has loaded for its neighbour is not loaded again. `work` has the counts, and their time on the machine of the
//! study. `extra` operations more are charged for each point and iteration.
//!
//! # Inputs
//!
//! The study's input is `--input size=768 --input iterations=10`. The original reads its mesh from a file, which we do not have; this
//! one is generated: a square whose sides are bent, with interior points off their places by up to a quarter of a mesh width.
//!
//! # Timed regions
//!
//! `iterate` is the timed region: all iterations.
//!
//! # How it is checked
//!
//! Coordinates and residuals are compared, bit for bit, with the results of a sequential loop nest in the order of the
//! original. Bits can agree because every point is computed from the same numbers in the same order, and a maximum
//! depends on no order. The last residual must be less than the first.

mod generated;
mod kernel;
mod layout;
mod mesh;
mod messages;
mod problem;
mod program;
mod reference;
mod shared;
mod sweep;
mod work;

use std::sync::Arc;

use tempest::entry::{BadPlan, Entry, Given, Inputs, Instance, Loaded, Plan};
use tempest::{Job, Mechanism};

use layout::Layout;
use problem::{Options, Relaxation};
use program::Tomcatv;
use shared::SharedTomcatv;

/// The entry of tomcatv in a table of programs.
pub const ENTRY: Entry = Entry {
    name: "tomcatv",
    summary: "generation of a mesh by relaxation: rows of neighbours cross the borders of nodes",
    mechanisms: &[Mechanism::Messages, Mechanism::Bulk, Mechanism::Deposit, Mechanism::SharedMemory],
    inputs: Options::INPUTS,
    load,
};

fn load(given: &Given) -> Loaded {
    Ok(Box::new(Relaxation::new(Options::from_given(given)?, given.problems.clone())))
}

impl Instance for Relaxation {
    fn job(&self, plan: &Plan) -> Result<Job, BadPlan> {
        let layout = Layout::new(self.asked.size, plan.shape)?;
        let (asked, solved) = (self.asked.clone(), self.solve(plan.seed));
        if plan.mechanism == Mechanism::SharedMemory {
            return Ok(Job::new::<SharedTomcatv>(Arc::new(shared::Config::new(
                plan, asked, layout, solved,
            )?)));
        }
        Ok(Job::new::<Tomcatv>(Arc::new(program::Config {
            mechanism: plan.mechanism,
            asked,
            layout,
            solved,
        })))
    }

    fn describe(&self) -> Vec<(&'static str, String)> {
        self.asked.describe()
    }
}
