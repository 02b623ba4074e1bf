//! The applications, each written once for every world.
//!
//! | program | exercise |
//! |---|---|
//! | [`bitonic_sort`] | exchanges of whole blocks between two nodes, all nodes at once |
//! | [`cholesky`] | sparse Cholesky factorization: tasks that follow from each other, and dense tiles that many threads read |
//! | [`em3d`] | phases of communication and computing on an irregular graph, by every mechanism |
//! | [`fetch_add`] | requests and replies at full rate, with keys as contended as a person asks |
//! | [`fft`] | bursts of communication from all to all, by transpositions |
//! | [`fft::remap`] | one burst of communication from all to all, in small blocks or in bulk |
//! | [`gauss`] | a row that all nodes need at once, column after column, chosen by a reduction |
//! | [`histogram`] | the smallest program, by messages and through shared memory: where to begin a new one |
//! | [`iccg`] | a fine-grain data-flow graph: one small message for each edge that leaves a thread |
//! | [`matmul`] | large blocks from neighbour to neighbour, and small blocks that are read while others compute |
//! | [`p_ray`] | blocking reads of small objects, kept in a cache by software, between computing of any length |
//! | [`radix`] | writes to random places of all nodes, in bursts, and sums over threads |
//! | [`sample_sort`] | one small message for each key, or one block for each pair of threads, between two computing phases |
//! | [`shell_sort`] | reads of a partner's keys, a few at a time, while the partner computes |
//! | [`litmus`] | litmus tests of shared memory; they are in no table, as the command has a subcommand for them |
//! | [`tomcatv`] | rows of neighbours, between long sweeps over memory that no cache holds |
//! | [`wator`] | small reads of all other nodes' data, with computing between them that does not poll |
//!
//! Each program verifies its own result and counts its own work; both appear in the outcome of the run.
//!
//! ```
//! use tempest::entry::{Given, Plan, Table};
//!
//! let programs = Table::new(&[tradewind_apps::ALL]).unwrap();
//! let mut given = Given::default();
//! given.values.insert("skew".into(), "0.99".into());
//! let instance = (programs.find("fetch-add").unwrap().load)(&given).unwrap();
//! let shape = tempest::Shape { nodes: 4, threads: 2 };
//! let job = instance.job(&Plan::new(tempest::Mechanism::Messages, shape)).unwrap();
//! # let _ = job;
//! ```
//!
//! This room must never know which world runs a program, nor files or printing: the contents of files come to it as bytes
//! with a name.

#![forbid(unsafe_code)]

pub mod bitonic_sort;
pub mod cholesky;
pub mod em3d;
pub mod fetch_add;
pub mod fft;
pub mod gauss;
pub mod histogram;
pub mod iccg;
mod kit;
pub mod litmus;
pub mod matmul;
pub mod p_ray;
pub mod radix;
pub mod sample_sort;
pub mod shell_sort;
pub mod tomcatv;
pub mod wator;

use tempest::entry::Entry;

/// Every application that is chosen by name.
pub static ALL: &[Entry] = &[
    bitonic_sort::ENTRY,
    matmul::cannon::ENTRY,
    cholesky::ENTRY,
    em3d::ENTRY,
    fetch_add::ENTRY,
    fft::ENTRY,
    fft::remap::ENTRY,
    gauss::ENTRY,
    histogram::Histogram::ENTRY,
    iccg::ENTRY,
    matmul::mm::ENTRY,
    p_ray::ENTRY,
    radix::ENTRY,
    sample_sort::ENTRY,
    histogram::SharedHistogram::ENTRY,
    shell_sort::ENTRY,
    tomcatv::ENTRY,
    wator::ENTRY,
];
