//! What is measured and recorded of a run.
//!
//! | file | content |
//! |---|---|
//! | `gauge` | the counters and times of one processor |
//! | `phases` | timed regions, and the totals of a run |
//! | `tracer` | the events that a traced run records |
//!
//! This part must never know why a processor does what is measured.

pub(crate) mod gauge;
#[cfg(test)]
mod gauge_tests;
pub(crate) mod phases;
pub(crate) mod tracer;
