//! iccg: the sparse triangular solve of an incomplete-Cholesky preconditioned conjugate gradient, as a
//! data-flow graph.
//!
//! Row i of L x = b is a node of the graph; the entry L_ki below the diagonal is an edge from i to k. A row can be
//! solved once the updates of all its incoming edges have arrived. Then each outgoing edge carries one update, L_ki
//! x_i. There are no phases: the graph alone orders the work. (F. T. Chong, R. Barua, F. Dahlgren, J. D. Kubiatowicz
//! and A. Agarwal, *The Sensitivity of Communication Mechanisms to Bandwidth and Latency*, HPCA-4, 1998.)
//!
//! Rows are divided among the threads of all nodes. A thread applies the update of an edge inside its own part
//! itself. How all others travel depends on the mechanism:
//!
//! | mechanism | an update |
//! |---|---|
//! | `messages` | one message of 12 modelled bytes, whose handler subtracts the update, counts it, and marks the row ready after the last |
//! | `bulk` | two words of a batch for one receiver, which a transfer moves when it is full, or when its thread has no row to solve. Its handler reads the batch where it has arrived |
//!
//! # Timed regions
//!
//! `solve` is the timed region, as in the study. The region `gather` follows: it brings x to one node for the check
//! and is not timed.
//!
//! # How it is checked
//!
//! Node 0 checks the gathered x by the componentwise backward error of every row, against a bound that holds for any
//! order of the updates. Each node also checks that each of its rows became ready exactly once.

mod bulk;
pub mod factor;
mod input;
mod layout;
pub mod partition;
pub mod problem;
mod program;
mod reference;

use tempest::Mechanism;
use tempest::entry::{Entry, Inputs};

/// The entry of iccg in a table of programs.
pub const ENTRY: Entry = Entry {
    name: "iccg",
    summary: "sparse triangular solve as a data-flow graph of small messages",
    mechanisms: &[Mechanism::Messages, Mechanism::Bulk],
    inputs: <input::Options as Inputs>::INPUTS,
    load: input::load,
};
