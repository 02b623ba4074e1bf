//! Measurements of a run, out of the gauges of its processors.
//!
//! | file | content |
//! |---|---|
//! | `totals` | timed regions; the totals of a node's measurements up to a moment |
//! | `outcome` | the records of nodes at the end of a run, and the outcome from all of them |
//!
//! This part must never know the reason of the measured activity.

pub(crate) mod outcome;
pub(crate) mod totals;
