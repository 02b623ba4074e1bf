//! bitonic-sort: sorts integer keys by merges of whole blocks, whose partners are fixed beforehand.
//!
//! Each thread sorts its own keys. Then threads merge as the bitonic network prescribes that sorts as many numbers as there are threads (K.
//! E. Batcher, *Sorting networks and their applications*, AFIPS Spring Joint Computer Conference 32, 1968): a comparison of two numbers
//! becomes a merge of two blocks, of which one thread keeps the lower half and the other the upper (G. Baudet and D. Stevenson, *Optimal
//! sorting algorithms for parallel computers*, IEEE Transactions on Computers C-27, 1978). With P threads, a power of two, the network has
//! log₂ P (log₂ P + 1) / 2 steps, and in each of them every thread has a partner.
//!
//! In a step each of two partners stores its whole block into a buffer of the other, waits for the bytes of the other's block, and merges.
//! A barrier stands between wait and merge: without it a thread that is ahead could store a block that another one takes for that of its
//! own partner. Two buffers take turns.
//!
//! This is *bitonic* of the study of global addresses (A. Krishnamurthy et al., ASPLOS 1996), which ran it with 8,388,608 keys on 16
//! nodes and on 8. The study says no more than the name and the size; the steps are Batcher's, and the rest is ours.
//!
//! # Sizes
//!
//! All blocks have one size, as a merge needs it. If the keys do not divide evenly, the last threads have padding keys
//! greater than all others. Threads need not be a power of two: the network for any number of them is by H. W. Lang
//! (*Bitonic sorting network for n not a power of 2*), in which some threads have no partner in some steps.
//!
//! # Mechanisms
//!
//! | mechanism | how blocks travel |
//! |---|---|
//! | `bulk` | each block is one transfer. This is the program of the study |
//! | `messages` | each block is messages of 24 keys |
//!
//! # Work
//!
//! A model charges the sort of a thread's own keys, by digits of 11 bits: 16 operations for a key and digit. It charges 6 operations for a
//! key that a merge keeps. Loads and stores of keys are among them: they are accesses to private memory, which hit or miss in a model's
//! caches. The interface reads the keys that a thread sends, which takes the processor no time. A thread that computes does not poll.
//!
//! # Timed regions
//!
//! `sort` is the timed region. The region `check` follows.
//!
//! # How it is checked
//!
//! Every key is compared with the key that the standard library's sort has at its position.

mod network;
mod problem;
mod program;

use std::sync::Arc;

use tempest::entry::{BadPlan, Entry, Inputs, Plan, load};
use tempest::{Job, Mechanism};

use network::Network;
use problem::Options;
use program::{BitonicSort, Config};

use crate::kit::sorts::Keys;

/// The entry of bitonic-sort in a table of programs.
pub const ENTRY: Entry = Entry {
    name: "bitonic-sort",
    summary: "sorts integer keys by merges of whole blocks, which fixed partners exchange",
    mechanisms: &[Mechanism::Bulk, Mechanism::Messages],
    inputs: Options::INPUTS,
    load: |given| load(given, job),
};

fn job(asked: &Options, plan: &Plan) -> Result<Job, BadPlan> {
    let threads = plan.shape.nodes * plan.shape.threads;
    let config = Config {
        asked: *asked,
        mechanism: plan.mechanism,
        shape: plan.shape,
        block: asked.keys.div_ceil(threads),
        network: Network::of(threads),
        problem: Keys::draw(asked.keys, asked.bits, plan.seed),
    };
    Ok(Job::new::<BitonicSort>(Arc::new(config)))
}
