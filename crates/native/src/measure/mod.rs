//! What is measured and recorded of a run.
//!
//! | file | content |
//! |---|---|
//! | `gauge` | the counters and times of one processor |
//! | `meter` | how one processor measures: its gauge, its looks at the clock |
//! | `phases`, `totals` | timed regions; what has been measured of a world up to a moment |
//! | `taken` | the time for which something else had a processor's core |
//! | `tracer` | the events that a traced run records |
//!
//! This part must never know why a processor does what is measured.

pub(crate) mod gauge;
#[cfg(test)]
mod gauge_tests;
pub(crate) mod meter;
pub(crate) mod phases;
pub(crate) mod taken;
pub(crate) mod totals;
pub(crate) mod tracer;
