//! sample-sort: sorts integer keys by splitters that a sample of the keys yields, so that each key travels once.
//!
//! 1. Each thread draws a few of its keys, `oversampling` of them, at random places. One thread sorts the samples of all. Of the sorted
//!    samples every `oversampling`-th is a *splitter*; all threads are told the splitters.
//! 2. The keys between two splitters belong to one thread. Each thread finds the owner of each of its keys by a binary search and sends
//!    the key into the owner's *bin*.
//! 3. Each thread sorts its bin, by digits of 11 bits.
//!
//! (G. E. Blelloch, C. E. Leiserson, B. M. Maggs, C. G. Plaxton, S. J. Smith and M. Zagha, *A Comparison of Sorting
//! Algorithms for the Connection Machine CM-2*, SPAA 1991. It sorts in this way and names the oversampling.)
//!
//! # Mechanisms
//!
//! | mechanism | how keys travel |
//! |---|---|
//! | `messages` | each key, or `push` of them together, is pushed into its owner's bin by an atomic procedure that the owner's processor runs, and that no thread waits for |
//! | `bulk` | keys are grouped by owner, and each group is one bulk store. Counts are exchanged before, so that a group has its place |
//!
//! These are *sample* and *sampleb* of the study of global addresses (A. Krishnamurthy et al., ASPLOS 1996), which ran
//! them with 16,777,216 keys on 16 nodes and 4,194,304 on 8. The study says that each key is pushed by an atomic remote
//! push. It does not say how many samples there are, which thread sorts them, nor how a thread sorts its bin; these are
//! ours.
//!
//! # The size of a bin
//!
//! The room for bins is part of the layout, which precedes the run. It is the size of the largest bin. The job finds that by drawing the
//! same samples, so no bin overflows. With few bits many keys are equal, and all equal keys belong to one bin.
//!
//! # Work
//!
//! A model charges 4 operations for a step of the search, 6 for a key where it is counted and 10 where it is moved, loads and stores of
//! keys among them: memory of the threads has no price of its own. A thread that computes does not poll.
//!
//! # Timed regions
//!
//! `sort` is the timed region: samples, splitters, the way of the keys and the sorts of the bins. The region `check` follows.
//!
//! # How it is checked
//!
//! Every key is compared with the key that the standard library's sort has at its position.

mod bulk;
mod messages;
mod problem;
mod program;

use std::sync::Arc;

use tempest::entry::{BadPlan, Entry, Inputs, Plan, load};
use tempest::{Job, Mechanism};

use problem::{Options, Problem};
use program::{Config, SampleSort};

use crate::kit::sorts::Keys;
use crate::kit::{Division, one_for_each_thread};

/// The entry of sample-sort in a table of programs.
pub const ENTRY: Entry = Entry {
    name: "sample-sort",
    summary: "sorts integer keys by splitters: each key goes once, into the bin of its owner",
    mechanisms: &[Mechanism::Messages, Mechanism::Bulk],
    inputs: Options::INPUTS,
    load: |given| load(given, job),
};

fn job(asked: &Options, plan: &Plan) -> Result<Job, BadPlan> {
    one_for_each_thread("keys", ("keys", asked.keys), plan.shape)?;
    let division = Division::new(asked.keys, plan.shape);
    let problem = Problem::of(asked, Keys::draw(asked.keys, asked.bits, plan.seed), division, plan.seed);
    let config = Config { asked: *asked, mechanism: plan.mechanism, problem, division };
    Ok(Job::new::<SampleSort>(Arc::new(config)))
}
