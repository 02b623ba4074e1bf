//! The applications, each written once for every world.
//!
//! A program is found by name ([`find`]), told its inputs ([`Given`]) and becomes an [`Instance`]: the input
//! read, checked and ready to be made into a [`tempest::Job`] for a world of any shape. Each program verifies
//! its own result and counts its own work; both appear in the outcome of the run.
//!
//! | program | what it exercises |
//! |---|---|
//! | [`em3d`] | phases of communication and computing on an irregular graph, by every mechanism |
//! | [`fetch_add`] | requests and replies at full rate, on keys as hot as asked |
//! | [`histogram`] | the least that a program is: where to begin a new one |
//! | [`iccg`] | a fine-grain data-flow graph: one small message for each edge that leaves a thread |
//!
//! ```
//! let mut given = programs::Given::default();
//! given.values.insert("skew".into(), "0.99".into());
//! let instance = (programs::find("fetch-add").unwrap().load)(&given).unwrap();
//! let job = instance.job(tempest::Mechanism::Messages, tempest::Shape { nodes: 4, threads: 2 }, 1).unwrap();
//! # let _ = job;
//! assert!(programs::find("fetch-ad").unwrap_err().contains("did you mean `fetch-add`?"));
//! ```
//!
//! This room must never know which world runs a program, nor files or printing: the contents of files come to
//! it as bytes with a name.

#![forbid(unsafe_code)]

pub mod em3d;
pub mod fetch_add;
mod given;
pub mod histogram;
pub mod iccg;
pub mod plain;
mod random;
mod registry;

pub use given::{File, Given, Input, Kind};
pub use registry::{Entry, Instance, Loaded, PROGRAMS, find};
