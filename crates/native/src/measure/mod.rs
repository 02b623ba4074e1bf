//! Measurements of a run, out of the gauges of its processors.
//!
//! | file | content |
//! |---|---|
//! | `totals` | timed regions; the totals of a world's measurements up to a moment |
//!
//! This part must never know the reason of the measured activity.

pub(crate) mod totals;
