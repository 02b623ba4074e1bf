//! The harness of the benchmarks: rounds and their median, pinned threads, busy loops, and a table of figures beside bounds. It runs on
//! Linux.
//!
//! | module | contents |
//! |---|---|
//! | `host` | cores, the round trip of a line, busy loops |
//! | `rounds` | the median, and the least, of several measurements |
//! | [`table`] | a table with the columns subject, ours, bound, ratio and aim |
//!
//! This crate must never know the subject of a measurement.

#![forbid(unsafe_code)]

mod host;
mod rounds;
pub mod table;

pub use host::{beside, pin, raw_round_trip};
pub use rounds::{least, median};
