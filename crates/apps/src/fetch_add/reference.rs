//! The check of fetch-add: the words' final values and the previous values in replies, against a sequential pass over
//! the same random streams.
//!
//! This module must never know messages, shared memory, or threads of a world.

use tempest::{Merge, NodeId, Report};

use super::workload::Workload;

/// The most wrong words that a report lists one by one.
const LISTED: usize = 8;

/// Compares the words of a node with the expected counts, and adds the verdict to a report.
pub(super) fn check_words(workload: &Workload, node: NodeId, totals: &[u64], report: &mut Report) {
    let mut wrong = 0;
    for (place, (expected, &total)) in workload.counts_on(node).zip(totals).enumerate() {
        report.checks += 1;
        wrong += usize::from(total != expected);
        if total != expected && wrong <= LISTED {
            report.failures.push(format!("word {place} of {node} holds {total}: expected {expected}"));
        }
    }
    if wrong > LISTED {
        report.failures.push(format!("and {} more words of {node}", wrong - LISTED));
    }
}

/// Compares the sum of the hashes of all threads with the expected sum.
pub(super) fn check_told(workload: &Workload, told: u64) -> Report {
    Report::checked(told == workload.expected_told(), || {
        "the old values returned for some word are not 0, 1, 2, … in some order".to_owned()
    })
}

/// Adds the figures of a node's words to a report.
pub(super) fn figures(workload: &Workload, node: NodeId, totals: &[u64], report: Report) -> Report {
    let made: u64 = totals.iter().sum();
    let hottest = workload.counts_on(node).max().unwrap_or(0);
    report.figure("fetch&adds", made as f64, Merge::Sum).figure(
        "fetch&adds of the hottest word",
        hottest as f64,
        Merge::Max,
    )
}
