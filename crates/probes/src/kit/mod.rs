//! The parts that several microbenchmarks share: the times at which messages are made, and statistics of their delays.
//!
//! This module must never know a particular microbenchmark.

pub(crate) mod arrivals;
pub(crate) mod statistics;
