//! fft: the fast Fourier transform of complex points in one dimension, by six steps on a square of them.
//!
//! N points are the rows of a square matrix with √N rows. Three transpositions with two transforms of all rows between them transform
//! the whole; in between each point is multiplied with a root of unity. (D. H. Bailey, *FFTs in external or hierarchical memory*,
//! Journal of Supercomputing 4, 1990.) Each thread's rows, equal in number to within one, are in memory of its node. Only
//! transpositions move points between threads: all to all, in three bursts.
//!
//! This is the algorithm, the layout and the order of tiles of the SPLASH-2 suite (S. C. Woo, M. Ohara, E. Torrie, J. P. Singh and A.
//! Gupta, ISCA 1995), whose program the study of the dispatch queue ran with 1,048,576 points (B. Falsafi and D. A. Wood, HPCA-5, 1999).
//! It differs in three ways. The number of threads need not be a power of two. The factors between the two transforms are a thread's
//! own, where SPLASH-2 has them in shared memory at home with the thread. And each access to a row is counted once for the
//! whole transform of the row, whose stages find it in the cache.
//!
//! # Mechanisms
//!
//! | mechanism | how points travel |
//! |---|---|
//! | `shared-memory` | both matrices are in shared memory; a thread reads tiles of 16 points by 16, beginning with the next thread's, and writes its own rows |
//! | `bulk` | a thread gathers its points for a node, transposed, and one transfer scatters them into the rows there |
//!
//! # Work
//!
//! A model charges 14 operations for a butterfly, 10 of them in floating point, and 2 or 8 for each point of the other steps, beside
//! the loads and stores of points and of roots of unity, which go through the caches.
//!
//! # Timed regions
//!
//! `transform` is the timed region, as in the study. The region `check` follows: each thread compares its rows, and with the input
//! `inverse` transforms them back.
//!
//! # How it is checked
//!
//! The transform is compared with that of a sequential program with another order of the same sums, in the norm of Euclid, against
//! twice the bound of one transform. The sequential program is held against another library by a test.
//!
//! [`remap`] is another program for the same problem.

mod bulk;
mod check;
mod layout;
mod problem;
mod reference;
pub mod remap;
mod rows;
mod shared;
mod steps;
mod strip;
mod transform;
mod work;

use std::sync::Arc;

use tempest::entry::{BadPlan, Entry, Inputs, Plan, load};
use tempest::{Job, Mechanism};

use bulk::BulkFft;
use layout::Layout;
use problem::{Options, Problem};
use shared::SharedFft;

/// The entry of fft in a table of programs.
pub const ENTRY: Entry = Entry {
    name: "fft",
    summary: "fast Fourier transform in six steps: all-to-all transpositions between transforms of rows",
    mechanisms: &[Mechanism::SharedMemory, Mechanism::Bulk],
    inputs: Options::INPUTS,
    load: |given| load(given, job),
};

fn job(asked: &Options, plan: &Plan) -> Result<Job, BadPlan> {
    asked.check_shape(plan.shape)?;
    let (problem, layout) = (Problem::draw(asked.points, plan.seed), Layout::new(asked.side(), plan.shape));
    if plan.mechanism == Mechanism::SharedMemory {
        return Ok(Job::new::<SharedFft>(Arc::new(shared::Config::new(plan, *asked, problem, layout)?)));
    }
    Ok(Job::new::<BulkFft>(Arc::new(bulk::Config { asked: *asked, problem, layout })))
}
