//! The evaluation of a comparison: outcomes of runs become rankings, findings, agreements and predictions.
//!
//! | module | contents |
//! |---|---|
//! | [`combination`] | one program by one mechanism under one policy, run once or several times |
//! | [`parts`] | the six parts of a computing processor's time |
//! | [`ranking`] | the combinations of one machine, the fastest first |
//! | [`interval`] | the confidence interval of a median |
//! | [`refusal`] | requests that a machine could not run |
//! | [`tie`] | the rule by which two rows are tied |
//! | [`margin`] | by how much a row is slower than another |
//! | [`counter`] | counters that can explain a part of the time |
//! | [`bottleneck`] | the part of a machine that limited a run |
//! | [`finding`] | the winner on one machine, its margin, and the cause |
//! | [`agreement`] | whether several machines rank alike |
//! | [`verdict`] | the best mechanism and the best policy of each machine, and by how much |
//! | [`free`] | a comparison over inputs of unknown value: bands, and whether the ranking survives |
//! | [`prediction`] | a calibrated model's times beside those measured on the host |
//!
//! Everything here is plain data: the documents of room `report` are the form that serializes. This room must never know an
//! English sentence, a world that runs programs, or a program.

#![forbid(unsafe_code)]
// Rules name their constants, which are read beside them in the source.
#![allow(rustdoc::private_intra_doc_links)]

pub mod agreement;
pub mod bottleneck;
pub mod combination;
pub mod counter;
pub mod finding;
pub mod free;
pub mod interval;
pub mod margin;
pub mod parts;
pub mod prediction;
pub mod ranking;
pub mod refusal;
#[cfg(any(test, feature = "samples"))]
pub mod samples;
pub mod tie;
#[cfg(test)]
mod trials;
pub mod verdict;

pub use agreement::Agreement;
pub use bottleneck::Bottleneck;
pub use combination::{Combination, Way};
pub use finding::Finding;
pub use free::Free;
pub use interval::Interval;
pub use margin::Margin;
pub use parts::Part;
pub use prediction::Prediction;
pub use ranking::{Machine, MachineShape, Ranking, Row};
pub use refusal::Refusal;
pub use verdict::Verdict;
