//! What must come of a run: how often a sequential pass over the same random streams adds to each word, and what each request
//! must be told. Must never know messages, shared memory, or threads of a world.

use tempest::entry::mix;
use tempest::{Merge, NodeId, Report};

use super::workload::Workload;

/// At most this many wrong words are listed one by one.
const LISTED: usize = 8;

/// The hash of what one request was told.
pub(super) fn told_hash(word: u32, old: u64) -> u64 {
    mix(mix(u64::from(word)).wrapping_add(old))
}

/// A node's words against what they should hold.
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

/// What all threads were told against what they should have been.
pub(super) fn check_told(workload: &Workload, told: u64) -> Report {
    Report::checked(told == workload.expected_told(), || {
        "the old values returned for some word are not 0, 1, 2, … in some order".to_owned()
    })
}

/// A report with what there is to say of a node's words.
pub(super) fn figures(workload: &Workload, node: NodeId, totals: &[u64], report: Report) -> Report {
    let made: u64 = totals.iter().sum();
    let hottest = workload.counts_on(node).max().unwrap_or(0);
    report.figure("fetch&adds", made as f64, Merge::Sum).figure(
        "fetch&adds of the hottest word",
        hottest as f64,
        Merge::Max,
    )
}
