//! The verdict on a node's part of the product. This module must never know how blocks travel.

use tempest::{Cells, NodeId, Report};

/// The elements that each thread of a node has compared, and how many were wrong.
pub(super) struct Verdict {
    elements: Cells<u64>,
    wrong: Cells<u64>,
}

impl Verdict {
    /// No thread has compared anything. A thread that never does fails the check.
    pub(super) fn new(threads: u32) -> Self {
        let of = |value| Cells::new(threads as usize, value);
        Self { elements: of(0), wrong: of(u64::MAX) }
    }

    /// Notes what a thread has found, block by block: elements, and wrong ones.
    pub(super) fn note(&self, thread: u32, blocks: impl Iterator<Item = (u64, u64)>) {
        let (elements, wrong) =
            blocks.fold((0, 0), |sums, (elements, wrong)| (sums.0 + elements, sums.1 + wrong));
        self.elements.set(thread as usize, elements);
        self.wrong.set(thread as usize, wrong);
    }

    /// The report of a node.
    pub(super) fn report(&self, node: NodeId) -> Report {
        let sum =
            |of: &Cells<u64>| (0..of.len()).fold(0_u64, |sum, thread| sum.saturating_add(of.get(thread)));
        let wrong = sum(&self.wrong);
        let mut report = Report::checked(wrong == 0, || {
            format!("{wrong} elements of the product on {node} are not those of the sequential product")
        });
        report.checks = sum(&self.elements).max(1);
        report
    }
}
