//! The laboratory: claims of the literature, their measurement, and the results.
//!
//! | module | contents |
//! |---|---|
//! | [`claim`] | statements of the literature, from `claims/*.toml` |
//! | [`study`] | experiments as data, from `studies/*.toml`: runs, metrics, checks |
//! | `template` | `each`: one table of a study that stands for many |
//! | [`expression`] | derived metrics, orders and shapes, as text over metrics |
//! | [`pattern`] | names with one `*` |
//! | [`specification`] | a run of a program, and the numbers of its answer |
//! | [`runner`] | the processes that do runs |
//! | [`record`] | answers of runs, kept for good |
//! | [`recorded`] | dated records of verdicts, to be counted anew |
//! | [`campaign`] | does the runs that are needed and are not in the record |
//! | [`model`] | analytic models |
//! | [`survey`] | machines that are a row of a table and nothing more |
//! | [`results`] | the numbers that a study's runs yielded |
//! | [`drawing`] | the points of a study's figures |
//! | [`laboratory`] | all claims and studies together: the necessary runs, and the metrics that they yield |
//! | [`mistake`] | mistakes in a file, with line and column |
//! | `toml` | TOML with places, every mistake at once |
//! | `absent` | claims that cannot be measured because a person's file is not there |
//! | `consistency` | names that stand twice or nowhere, over all files |
//! | `fallible` | checks that no run can fail |
//! | `lineage` | the measured numbers that a claim is made of |
//! | `open_input` | claims of which an open input moves one part and not another |
//! | `statements` | the numbers that claims state of metrics |
//! | [`verdict`] | a claim compared with its metric |
//! | [`tolerance`] | the greatest distance that counts as equal |
//! | [`basis`] | the worth of a model if a claim holds |
//! | [`declared`] | claims with a reason from a file: why they follow, why they differ |
//! | [`ledger`] | the free values of a machine file, their origins, and the results of the other claims |
//! | [`sensitivity`] | which claims move when a free value does |
//! | [`calibrate`] | measures the host, and writes its machine file |
//!
//! A metric's name is the id of its claim. Programs are run as processes of the `tradewind` command, so that a crash is
//! just a failed run.
//!
//! This crate must never know the behaviour of a program or a world, never print, and never choose where files lie.

#![forbid(unsafe_code)]

mod absent;
mod assembly;
pub mod basis;
pub mod calibrate;
pub mod campaign;
pub mod claim;
mod consistency;
pub mod declared;
pub mod drawing;
pub mod expression;
mod fallible;
pub mod laboratory;
pub mod ledger;
mod lineage;
pub mod mistake;
pub mod model;
mod open_input;
pub mod pattern;
pub mod record;
pub mod recorded;
pub mod results;
pub mod runner;
pub mod sensitivity;
pub mod specification;
mod statements;
pub mod study;
pub mod survey;
mod template;
pub mod tolerance;
mod toml;
pub mod verdict;

pub use assembly::Laboratory;
pub use basis::Basis;
pub use claim::{Claim, Kind, Role, Stated};
pub use drawing::Drawing;
pub use expression::{Expression, Value};
pub use mistake::{Mistake, Mistakes};
pub use record::Record;
pub use results::Results;
pub use runner::{NoAnswer, Runner};
pub use specification::Specification;
pub use study::Study;
pub use verdict::{Finding, Verdict};
