//! The verdict on the points of one node: their distance from the expected points. This module must never know how
//! points travelled.

use tempest::{Cells, FinalState, Merge, Report};

/// The verdict on a node's part of a transform whose norm's square is `energy`. `differences` are, by thread, the sums
/// of the squares of the differences from the expected points; a thread that never compared has NaN, and fails.
/// `tolerance` is the greatest error in the norm of Euclid, as a share of the whole transform's norm.
pub(super) fn verdict(
    what: &str,
    end: &FinalState<'_>,
    differences: &Cells<f64>,
    energy: f64,
    tolerance: f64,
) -> Report {
    let node = end.node();
    let sum: f64 = (0..differences.len()).map(|thread| differences.get(end, thread)).sum();
    let error = (sum / energy).sqrt();
    Report::checked(error <= tolerance, || {
        format!("the {what} on {node} is off by {error:e} of its norm: expected at most {tolerance:e}")
    })
    .figure(
        if what == "transform" { "error, share" } else { "error of the inverse, share" },
        error,
        Merge::Max,
    )
}
