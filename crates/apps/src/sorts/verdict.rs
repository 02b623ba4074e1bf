//! The comparison of each thread's keys with those that belong there.
//!
//! Every key is compared with the one that the standard library's sort has at its position, so order and multiset are both right. This
//! module must never know how keys were sorted.

use tempest::{Cells, NodeId, Report, Thread};

/// The number of wrong keys among those of each thread of a node.
pub(crate) struct Verdict {
    node: NodeId,
    wrong: Cells<u64>,
}

impl Verdict {
    /// The verdict on the keys of so many threads. A thread that never compares its keys fails the check.
    pub(crate) fn new(node: NodeId, threads: u32) -> Self {
        Self { node, wrong: Cells::new(threads as usize, u64::MAX) }
    }

    /// Compares a thread's keys with those that belong there. A key too many is wrong, and so is one that is missing.
    pub(crate) fn compare(&self, thread: &Thread<'_>, found: &[u32], due: &[u32]) {
        let wrong = found.iter().zip(due).filter(|(found, due)| found != due).count();
        self.wrong.set(thread.index() as usize, (wrong + found.len().abs_diff(due.len())) as u64);
    }

    /// The result of so many comparisons, at least one.
    pub(crate) fn report(&self, checks: u64) -> Report {
        let wrong =
            (0..self.wrong.len()).fold(0_u64, |sum, thread| sum.saturating_add(self.wrong.get(thread)));
        let mut report = Report::checked(wrong == 0, || {
            format!("{wrong} keys on {} are not those of the sorted list", self.node)
        });
        report.checks = checks.max(1);
        report
    }
}
