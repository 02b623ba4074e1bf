//! The applications, each written once for every world.
//!
//! | program | what it exercises |
//! |---|---|
//! | [`cholesky`] | sparse Cholesky factorization: tasks that follow from each other, and dense tiles that many threads read |
//! | [`em3d`] | phases of communication and computing on an irregular graph, by every mechanism |
//! | [`fetch_add`] | requests and replies at full rate, with keys as contended as a person asks |
//! | [`fft`] | bursts of communication from all to all, by transpositions |
//! | [`gauss`] | a row that all nodes need at once, column after column, chosen by a reduction |
//! | [`histogram`] | the smallest program, by messages and through shared memory: where to begin a new one |
//! | [`iccg`] | a fine-grain data-flow graph: one small message for each edge that leaves a thread |
//! | [`p_ray`] | blocking reads of small objects, kept in a cache by software, between computing of any length |
//! | [`radix`] | writes to random places of all nodes, in bursts, and sums over threads |
//! | [`litmus`] | litmus tests of shared memory; they are in no table, as the command has a subcommand for them |
//! | [`tomcatv`] | rows of neighbours, between long sweeps over memory that no cache holds |
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

pub mod cholesky;
pub mod em3d;
pub mod fetch_add;
pub mod fft;
pub mod gauss;
pub mod histogram;
pub mod iccg;
mod kit;
pub mod litmus;
pub mod p_ray;
pub mod radix;
pub mod tomcatv;

use tempest::entry::Entry;

/// Every application that is chosen by name.
pub static ALL: &[Entry] = &[
    cholesky::ENTRY,
    em3d::ENTRY,
    fetch_add::ENTRY,
    fft::ENTRY,
    gauss::ENTRY,
    histogram::Histogram::ENTRY,
    iccg::ENTRY,
    p_ray::ENTRY,
    radix::ENTRY,
    histogram::SharedHistogram::ENTRY,
    tomcatv::ENTRY,
];
