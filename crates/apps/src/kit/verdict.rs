//! The verdict on the answer of a node, thread by thread. This module must never know what is compared.

use tempest::{Cells, NodeId, Report};

/// The things that each thread of a node has compared, and how many were wrong.
pub(crate) struct Verdict {
    checks: Cells<u64>,
    wrong: Cells<u64>,
}

impl Verdict {
    /// No thread has compared anything. A thread that never does fails the check.
    pub(crate) fn new(threads: u32) -> Self {
        let of = |value| Cells::new(threads as usize, value);
        Self { checks: of(0), wrong: of(u64::MAX) }
    }

    /// Notes what a thread has found, part by part: things that it has compared, and wrong ones.
    pub(crate) fn note(&self, thread: u32, parts: impl IntoIterator<Item = (u64, u64)>) {
        let sum = |sums: (u64, u64), part: (u64, u64)| (sums.0 + part.0, sums.1 + part.1);
        let (checks, wrong) = parts.into_iter().fold((0, 0), sum);
        self.checks.set(thread as usize, checks);
        self.wrong.set(thread as usize, wrong);
    }

    /// The report of a node, on which so many `things`, such as keys, may be wrong: `due` says what they should be.
    pub(crate) fn report(&self, node: NodeId, things: &str, due: &str) -> Report {
        let sum =
            |of: &Cells<u64>| (0..of.len()).fold(0_u64, |sum, thread| sum.saturating_add(of.get(thread)));
        let wrong = sum(&self.wrong);
        let mut report = Report::checked(wrong == 0, || format!("{wrong} {things} on {node} are not {due}"));
        report.checks = sum(&self.checks).max(1);
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_finds_wrong_things_or_compares_none_fails_the_check() {
        let report = |notes: &[(u32, u64, u64)]| {
            let verdict = Verdict::new(2);
            notes.iter().for_each(|&(thread, checks, wrong)| verdict.note(thread, [(checks, wrong)]));
            verdict.report(NodeId(3), "keys", "in order")
        };
        let right = report(&[(0, 5, 0), (1, 0, 0)]);
        assert_eq!((right.verified(), right.checks), (true, 5));
        let wrong = report(&[(0, 5, 2), (1, 4, 1)]);
        assert_eq!((wrong.failures, wrong.checks), (vec!["3 keys on node 3 are not in order".to_owned()], 9));
        assert!(!report(&[(0, 5, 0)]).verified());
    }
}
