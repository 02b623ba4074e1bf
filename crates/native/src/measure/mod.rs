//! Measurements and recordings of a run.
//!
//! | file | content |
//! |---|---|
//! | `gauge` | the counters and times of one processor |
//! | `meter` | a processor's means of measurement: its gauge, its clock readings |
//! | `phases`, `totals` | timed regions; the totals of a world's measurements up to a moment |
//! | `taken` | stolen time: the host ran another task on a processor's core |
//! | `tracer` | the events that a traced run records |
//!
//! This part must never know the reason of the measured activity.

pub(crate) mod gauge;
#[cfg(test)]
mod gauge_tests;
pub(crate) mod meter;
pub(crate) mod phases;
pub(crate) mod taken;
pub(crate) mod totals;
pub(crate) mod tracer;
