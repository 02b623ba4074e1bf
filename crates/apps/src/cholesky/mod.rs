//! cholesky: the factorization A = L Lᵀ of a sparse symmetric positive definite matrix, by tasks that follow from each other.
//!
//! The columns are ordered so that the factor stays sparse, and divided into supernodes. Subtrees at the bottom of the
//! elimination tree are *domains*, each of which one thread factors whole, from left to right. The other columns are
//! divided into panels and the factor there into dense *blocks*, dealt out to a grid of threads. A block that is
//! finished is announced to the threads whose blocks it updates. They subtract products of pairs of blocks from their
//! own blocks, and finish these in turn: there are no phases. It is the program of SPLASH-2 (S. C. Woo, M. Ohara, E.
//! Torrie, J. P. Singh and A. Gupta, *The SPLASH-2 Programs: Characterization and Methodological Considerations*, ISCA
//! 1995; E. Rothberg and A. Gupta, *An efficient block-oriented approach to parallel sparse Cholesky factorization*,
//! SIAM Journal on Scientific Computing 15, 1994), written anew.
//!
//! # Mechanisms
//!
//! | mechanism | how a finished block gets to a thread that needs it |
//! |---|---|
//! | `shared-memory` | the thread reads it where it is, at home with its owner; tasks are in queues of shared memory, each with a lock |
//! | `messages` | it is sent to each node that needs it, twelve values in a message; the last message appends the tasks |
//! | `bulk` | one transfer moves it to each node that needs it, and its handler appends the tasks |
//!
//! # The matrix
//!
//! A matrix with values is factored as it is. A pattern gets the values that SPLASH-2 gives it: -1 off the diagonal, and on it 0.1
//! more than the fullest column has entries. Files of SPLASH-2 are ordered already, and `--input order=file` keeps that
//! order; other files are ordered by approximate minimum degree. With the matrix `tk29.O` of the study of the dispatch queue (B. Falsafi
//! and D. A. Wood, HPCA-5, 1999) in its own order the factor has 1,694,796 entries in 3,231 fundamental supernodes and takes
//! 393,059,150 flops.
//!
//! # Work
//!
//! A model charges 2.13 instructions for a flop beside the flop itself, as SPLASH-2's instruction counts have it, with loads and stores
//! among them. The first access of a step to each word of the blocks that it works on is not charged but made: a model finds or misses it in its
//! caches. An announcement takes 150 operations on either side.
//!
//! # Differences from SPLASH-2
//!
//! Supernodes are the fundamental ones: none are merged at the price of zeros. A domain is a subtree with at most half of a thread's
//! share of the work. Indices of blocks are looked up in tables of the host, so their loads are among the operations of an announcement.
//!
//! # Timed regions
//!
//! `factor` is the timed region: the numeric factorization, from a matrix whose entries are in the blocks. `check` (with shared memory)
//! or `gather` follows, which brings the factor to one node.
//!
//! # Figures
//!
//! Rows; entries, supernodes and flops of the factor; domains, blocks, and announcements to other threads; and the greatest backward
//! error of a row.
//!
//! # How it is checked
//!
//! Node 0 solves a system with a known solution by the gathered factor, and checks the residual of each row, in twice the working
//! precision, against a bound that holds for any order of the operations. Before a run begins a sequential factorization, which knows
//! neither supernodes nor blocks, makes sure that the matrix is positive definite, or names the pivot that is not positive.

mod columns;
mod config;
mod dense;
mod domains;
mod fanout;
mod input;
mod messages;
mod order;
mod problem;
mod reference;
mod shared;
mod structure;
mod tiling;
mod tree;
mod work;

use tempest::Mechanism;
use tempest::entry::{Entry, Inputs};

/// The entry of cholesky in a table of programs.
pub const ENTRY: Entry = Entry {
    name: "cholesky",
    summary: "sparse Cholesky factorization: dense blocks that are announced to task queues",
    mechanisms: &[Mechanism::SharedMemory, Mechanism::Messages, Mechanism::Bulk],
    inputs: <input::Options as Inputs>::INPUTS,
    load: input::load,
};
