//! wator: fish that attract each other, all pairs of them, in a plane.
//!
//! Fish are divided among threads. In each step a thread reads the fish of all threads one after the other through global pointers. After
//! each it computes the pull of that fish on all its own. Then all threads agree on the length of the step, and each moves its own fish.
//! This is problem 2 of the exercises *sharks and fish* of the University of California at Berkeley (J. Demmel, *Applications of Parallel
//! Computers*, lecture notes, 1995).
//!
//! A study of five machines ran it with 400 fish in Split-C (A. Krishnamurthy et al., *Evaluation of Architectural Support for Global
//! Address-Based Communication in Large-Scale Parallel Machines*, ASPLOS 1996). It says that each processor loops reading a data point and
//! then computing on it, that computing does not poll, and that a library draws pictures in code that cannot poll. So a read waits until
//! the fish's owner communicates, unless a network processor serves it. The rest is ours:
//!
//! * Every thread reads the fish in the order of their numbers, so all begin with the fish of node 0.
//! * A thread that has drawn its picture reads on; the drawing is a number of integer operations for each of its fish.
//! * The length of a step follows from the greatest speed and acceleration, as in the lecture notes.
//!
//! # Mechanism
//!
//! By messages: a read is a request, and an answer of three words.
//!
//! # Work
//!
//! A model charges 13 operations in floating point for the pull of one fish on another, a root and a quotient among
//! them, with the loads, stores and loop around them: 22 in all. Fish are not looked up in caches: 400 of them fit into
//! any, and the rest is in the processor's rate that a study sets.
//!
//! # Timed regions
//!
//! `swim` is the timed region: all steps.
//!
//! # How it is checked
//!
//! Places and speeds of all fish are equal to the results of a sequential program, to the bit: it adds the pulls on a
//! fish in the same order.

mod fish;
mod problem;
mod split_c;
mod work;

use std::sync::Arc;

use tempest::entry::{BadPlan, Entry, Inputs, Plan, load};
use tempest::{Job, Mechanism};

use problem::{Options, Problem};
use split_c::Wator;

use crate::kit::Division;

/// The entry of wator in a table of programs.
pub const ENTRY: Entry = Entry {
    name: "wator",
    summary: "fish that attract each other: reads of one fish, and computing that does not poll between them",
    mechanisms: &[Mechanism::Messages],
    inputs: Options::INPUTS,
    load: |given| load(given, job),
};

fn job(asked: &Options, plan: &Plan) -> Result<Job, BadPlan> {
    let division = Division::new(asked.fish, plan.shape);
    let problem = Arc::new(Problem::draw(*asked, plan.seed));
    Ok(Job::new::<Wator>(Arc::new(split_c::Config { problem, division })))
}
