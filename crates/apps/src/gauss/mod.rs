//! gauss: a dense system of linear equations by elimination with partial pivoting, by each of three mechanisms.
//!
//! Rows of the matrix are dealt out to nodes, and a node's rows to its threads. No row ever moves: a permutation says which row is the
//! pivot of which column. (B. Falsafi and D. A. Wood, on fixed and floating protocol processors, about 1996.) For each column
//!
//! 1. each thread finds the largest element of the column in its rows that are no pivots yet; the threads of a node
//!    agree on the largest, and then nodes do, by messages in rounds of recursive halving;
//! 2. every thread reads the pivot row from that column on, and subtracts its multiple from each of its other rows.
//!
//! Then the unknowns are computed from the last one on: the owner of the pivot row computes one, all threads meet, and each subtracts
//! its multiple from the right-hand sides of its rows.
//!
//! # Mechanisms
//!
//! | mechanism | how the pivot row and the unknowns come to a node |
//! |---|---|
//! | `messages` | the owner of the pivot row sends it to all other nodes, 13 numbers in each message |
//! | `bulk` | the owner sends it to each other node in one transfer |
//! | `shared-memory` | the matrix is in shared memory, each row at home with its owner; the threads of a node read the pivot row there and share the fetched blocks. This is the program of the study |
//!
//! # Work
//!
//! A model charges a multiplication, a subtraction and three integer operations for the loop for each element that is eliminated.
//! The loads of the pivot row's element and of the row's own, and the store, are accesses, which a model finds or misses in
//! its caches. That is the count of the study of the dispatch queue for an edge of em3d, which is a multiply-add too (B. Falsafi
//! and D. A. Wood, HPCA-5, 1999), and one store more. The study of gauss prints no number.
//!
//! # Inputs
//!
//! The study's input is `--input size=672`. Elements and right-hand sides are random numbers between -1 and 1.
//!
//! # Timed regions
//!
//! `eliminate` and `substitute` are the timed regions. The filling of the matrix comes before them, as in the study.
//!
//! # How it is checked
//!
//! With A and b of the beginning, the solution x must have max|Ax - b| ≤ n ε max|A| max|x|, with max|A| the largest sum of a row's
//! magnitudes. The permutation must be that of a sequential elimination that exchanges rows, and x that of it to the bit: every
//! element is changed by the same operations in the same order.

mod choice;
mod equations;
mod kernel;
mod layout;
mod problem;
mod program;
mod reference;
mod shared;
mod solver;
mod work;

use std::sync::Arc;

use tempest::entry::{BadPlan, Entry, Given, Inputs, Instance, Loaded, Plan};
use tempest::{Job, Mechanism};

use layout::Layout;
use problem::{Options, System};
use program::Gauss;
use shared::SharedGauss;

/// The entry of gauss in a table of programs.
pub const ENTRY: Entry = Entry {
    name: "gauss",
    summary: "elimination with partial pivoting: each pivot row goes to all nodes",
    mechanisms: &[Mechanism::Messages, Mechanism::Bulk, Mechanism::SharedMemory],
    inputs: Options::INPUTS,
    load,
};

fn load(given: &Given) -> Loaded {
    Ok(Box::new(System::new(Options::from_given(given)?, given.problems.clone())))
}

impl Instance for System {
    fn job(&self, plan: &Plan) -> Result<Job, BadPlan> {
        let layout = Layout::new(self.asked.size, plan.shape)?;
        let solved = self.solve(plan.seed)?;
        if plan.mechanism == Mechanism::SharedMemory {
            let config = shared::Config::new(plan, &self.asked, layout, solved)?;
            return Ok(Job::new::<SharedGauss>(Arc::new(config)));
        }
        Ok(Job::new::<Gauss>(Arc::new(program::Config { mechanism: plan.mechanism, layout, solved })))
    }

    fn describe(&self) -> Vec<(&'static str, String)> {
        self.asked.describe()
    }
}
