//! The laboratory: what the literature claims, how to measure it, and what came of it.
//!
//! | module | what it is |
//! |---|---|
//! | [`claim`] | statements of the literature, from `claims/*.toml` |
//! | [`study`] | experiments as data, from `studies/*.toml`: what is run, which metrics come of it, what is checked |
//! | `template` | `each`: one table of a study that stands for many |
//! | [`expression`] | derived metrics, orders and shapes, as text over metrics |
//! | [`pattern`] | names with one `*` |
//! | [`specification`] | a run of a program, and the numbers of its answer |
//! | [`runner`] | the processes that do runs |
//! | [`record`] | answers of runs, kept for good |
//! | [`campaign`] | does the runs that are needed and are not in the record |
//! | [`model`] | analytic models |
//! | [`survey`] | machines that are a row of a table and nothing more |
//! | [`results`] | the numbers that a study's runs yielded |
//! | [`drawing`] | the points of a study's figures |
//! | [`laboratory`] | all claims and studies together: what must run, and the metrics that come of it |
//! | [`mistake`] | what is wrong in a file, with line and column |
//! | `toml` | TOML with places, every mistake at once |
//! | `absent` | what cannot be measured because a person's file is not there |
//! | `consistency` | names that stand twice or nowhere, over all files |
//! | [`verdict`] | a claim held against its metric |
//! | [`tolerance`] | how far apart is still the same |
//! | [`basis`] | what it says of a model that a claim holds |
//! | [`declared`] | claims with a reason from a file: why they follow, why they differ |
//! | [`ledger`] | which values of a machine file were free, what fixed them, how the rest came out |
//! | [`sensitivity`] | which claims move when a free value does |
//! | [`calibrate`] | measures the host, and writes its machine file |
//!
//! A metric's name is the id of the claim that it is held against. Programs are run as processes of the `tradewind`
//! command, so that one that crashes is just a run that failed.
//!
//! This crate must never know what a program or a world does, never print, and never choose where files lie.

#![forbid(unsafe_code)]

mod absent;
pub mod basis;
pub mod calibrate;
pub mod campaign;
pub mod claim;
mod consistency;
pub mod declared;
pub mod drawing;
pub mod expression;
pub mod laboratory;
pub mod ledger;
pub mod mistake;
pub mod model;
pub mod pattern;
pub mod record;
pub mod results;
pub mod runner;
pub mod sensitivity;
pub mod specification;
pub mod study;
pub mod survey;
mod template;
pub mod tolerance;
mod toml;
pub mod verdict;

pub use basis::Basis;
pub use claim::{Claim, Kind, Role, Stated};
pub use drawing::Drawing;
pub use expression::{Expression, Value};
pub use laboratory::Laboratory;
pub use mistake::{Mistake, Mistakes};
pub use record::Record;
pub use results::Results;
pub use runner::{NoAnswer, Runner};
pub use specification::Specification;
pub use study::Study;
pub use verdict::{Finding, Verdict};
