//! What several microbenchmarks need: when messages are made, and the statistics of what came of them.
//!
//! This module must never know a particular microbenchmark.

pub(crate) mod arrivals;
pub(crate) mod statistics;
