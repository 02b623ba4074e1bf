//! shell-sort: sorts integer keys by merges with partners at decreasing distances. A thread reads only the keys of its
//! partner that it needs.
//!
//! Each thread sorts its own keys. Then partners divide the keys of both between them, and one keeps the lower half, in a series of passes
//! (V. Kumar, A. Grama, A. Gupta and G. Karypis, *Introduction to Parallel Computing*, 1994, section 9.3, after D. L. Shell,
//! Communications of the ACM 2, 1959):
//!
//! 1. one pass for each distance between partners: the greatest power of two below the number of threads, half of it, and so on to 1. A
//!    key that is far from its place goes far in one pass;
//! 2. clean-up passes between neighbours, first the pairs of odd and then of even threads, until a round of both
//!    changes nothing. A reduction over all threads tells whether a pass changed a key.
//!
//! In a pass a thread first reads the end of its partner's keys. If all keys of the lower thread are below all of the
//! upper one, both see that there, and nothing changes. Otherwise each merges its own half: it reads a piece of the
//! partner's keys, merges until the piece is used up, and reads the next. It does not poll while it merges. So where
//! computing processors serve, a read waits until the partner has come to the end of its own piece; where a network
//! processor serves, it does not wait. Keys are in two arrays that take turns, so that no thread writes keys that the
//! partner still reads; a barrier ends each pass.
//!
//! Partners that have random keys use up their pieces at about the same time. Then both wait at once and serve each
//! other, and neither waits long, with any serving processor.
//!
//! This is *shell* of the study of global addresses (A. Krishnamurthy et al., ASPLOS 1996), which ran it with 16,777,216 keys on 16
//! nodes and 4,194,304 on 8. Of the study we know the name and the sizes, and that its run time on both machines depends on how soon a
//! request is served. The series of passes and the reads by pieces are ours.
//!
//! # Mechanisms
//!
//! | mechanism | how a piece travels |
//! |---|---|
//! | `bulk` | a piece is one transfer, by the handler of the request |
//! | `messages` | a piece is requests and replies of 24 keys |
//!
//! # Work
//!
//! A model charges the sort of a thread's own keys, by digits of 11 bits: 16 operations for a key and digit. It charges 6 operations for a
//! key that a merge keeps. Loads and stores of keys are among them: memory of the threads has no price of its own.
//!
//! # Timed regions
//!
//! `sort` is the timed region. The region `check` follows.
//!
//! # How it is checked
//!
//! Every key is compared with the key that the standard library's sort has at its position.

mod passes;
mod problem;
mod program;

use std::sync::Arc;

use tempest::entry::{BadPlan, Entry, Inputs, Plan, load};
use tempest::{Job, Mechanism};

use problem::Options;
use program::{Config, ShellSort};

use crate::kit::sorts::Keys;
use crate::kit::{Division, one_for_each_thread};

/// The entry of shell-sort in a table of programs.
pub const ENTRY: Entry = Entry {
    name: "shell-sort",
    summary: "sorts integer keys by merges, for which partners read pieces of each other's keys while they compute",
    mechanisms: &[Mechanism::Bulk, Mechanism::Messages],
    inputs: Options::INPUTS,
    load: |given| load(given, job),
};

fn job(asked: &Options, plan: &Plan) -> Result<Job, BadPlan> {
    one_for_each_thread("keys", ("keys", asked.keys), plan.shape)?;
    let config = Config {
        asked: *asked,
        mechanism: plan.mechanism,
        division: Division::new(asked.keys, plan.shape),
        problem: Keys::draw(asked.keys, asked.bits, plan.seed),
    };
    Ok(Job::new::<ShellSort>(Arc::new(config)))
}
