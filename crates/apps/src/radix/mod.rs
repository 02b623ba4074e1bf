//! radix: sorts integer keys digit by digit, the lowest first.
//!
//! A pass sorts by one digit. Each thread counts its keys by digit. The counts are summed, over threads and over values of the digit,
//! which gives the position of each thread's first key of each value. Then each key moves to its position: all to all, and in an order
//! as random as the digits. (G. E. Blelloch, C. E. Leiserson, B. M. Maggs, C. G. Plaxton, S. J. Smith and M. Zagha, *A Comparison of
//! Sorting Algorithms for the Connection Machine CM-2*, SPAA 1991.)
//!
//! This is the algorithm of the SPLASH-2 suite (S. C. Woo, M. Ohara, E. Torrie, J. P. Singh and A. Gupta, *The SPLASH-2 Programs:
//! Characterization and Methodological Considerations*, ISCA 1995), whose program the study of the dispatch queue ran with 4,194,304 keys
//! (B. Falsafi and D. A. Wood, HPCA-5, 1999). It differs in two ways. The number of threads need not be a power of two. And counts
//! are summed in rounds of doubling distance between nodes, where SPLASH-2 sums them along a tree of threads.
//!
//! # Mechanisms
//!
//! | mechanism | how keys travel |
//! |---|---|
//! | `shared-memory` | a thread writes each key to its position in an array of shared memory, which is at home with the threads in turn |
//! | `bulk` | a thread sorts its keys first; one transfer for each node scatters them there, in runs of consecutive positions |
//! | `messages` | a thread stores each key to its position by a message of its own, whose arrival the target counts |
//!
//! `messages` and `bulk` are *radix* and *radixb* of the study of global addresses (A. Krishnamurthy et al., ASPLOS 1996). It ran them
//! with 8,388,608 keys on 16 nodes and 4,194,304 on 8, and says neither how many bits keys and digits had nor how counts were summed.
//! Times on 16 nodes fit four passes: `--input bits=31 --input radix=256`. On 8 nodes only two passes fit, `radix=65536`. By messages
//! counts are summed over threads by each thread for its share of the values.
//!
//! # Work
//!
//! A model charges six operations for a key where it is counted and ten where it is moved, loads and stores of keys among them; these
//! go through the caches. By messages they are among the operations, as private memory has no price of its own there.
//!
//! # Timed regions
//!
//! `sort` is the timed region: all passes. The region `check` follows.
//!
//! # How it is checked
//!
//! Every key is compared with the key that the standard library's sort has at its position, so order and multiset are
//! both right.

mod bulk;
mod messages;
mod problem;
mod shared;
mod sorting;

use std::sync::Arc;

use tempest::entry::{BadPlan, Entry, Inputs, Plan, load};
use tempest::{Job, Mechanism};

use bulk::BulkRadix;
use messages::MessageRadix;
use problem::Options;
use shared::SharedRadix;

use crate::kit::Division;
use crate::kit::sorts::Keys;

/// The entry of radix in a table of programs.
pub const ENTRY: Entry = Entry {
    name: "radix",
    summary: "sorts integer keys digit by digit: each key goes to a position on any node",
    mechanisms: &[Mechanism::SharedMemory, Mechanism::Bulk, Mechanism::Messages],
    inputs: Options::INPUTS,
    load: |given| load(given, job),
};

fn job(asked: &Options, plan: &Plan) -> Result<Job, BadPlan> {
    let problem = Keys::draw(asked.keys, asked.bits, plan.seed);
    let division = Division::new(asked.keys, plan.shape);
    if plan.mechanism == Mechanism::SharedMemory {
        return Ok(Job::new::<SharedRadix>(Arc::new(shared::Config::new(plan, *asked, problem, division)?)));
    }
    let config = Arc::new(sorting::Config { asked: *asked, problem, division });
    Ok(match plan.mechanism {
        Mechanism::Messages => Job::new::<MessageRadix>(config),
        _ => Job::new::<BulkRadix>(config),
    })
}
