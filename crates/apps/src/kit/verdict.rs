//! The verdict on the answer of a node, thread by thread. This module must never know the kind of things compared.

use tempest::{Cells, FinalState, Report, Thread};

/// The initial counts of a thread, compared and wrong, with which the check fails for a thread that never compares.
const SILENT: [u64; 2] = [0, u64::MAX];

/// For each thread of a node, the number of things compared and the number of wrong ones.
pub(crate) struct Verdict {
    checks: Cells<u64>,
    wrong: Cells<u64>,
}

impl Verdict {
    /// A verdict without comparisons. A thread that never compares fails the check.
    pub(crate) fn new(threads: u32) -> Self {
        let of = |value| Cells::new(threads as usize, value);
        let [checks, wrong] = SILENT.map(of);
        Self { checks, wrong }
    }

    /// Notes a thread's counts, part by part: things that it has compared, and wrong ones.
    pub(crate) fn note(&self, thread: &Thread<'_>, parts: impl IntoIterator<Item = (u64, u64)>) {
        let sum = |sums: (u64, u64), part: (u64, u64)| (sums.0 + part.0, sums.1 + part.1);
        let (checks, wrong) = parts.into_iter().fold((0, 0), sum);
        self.checks.set(thread, thread.index() as usize, checks);
        self.wrong.set(thread, thread.index() as usize, wrong);
    }

    /// The report of a node on its `things`, such as keys, and the number of wrong ones: `due` says the expected state.
    pub(crate) fn report(&self, end: &FinalState<'_>, things: &str, due: &str) -> Report {
        let each =
            (0..self.checks.len()).map(|thread| [&self.checks, &self.wrong].map(|of| of.get(end, thread)));
        judge(each, &format!("{things} on {}", end.node()), due)
    }
}

/// The report on the number of things that each thread has compared, and the number of wrong ones.
fn judge(each: impl Iterator<Item = [u64; 2]>, things: &str, due: &str) -> Report {
    let [checks, wrong] = each.fold([0_u64; 2], |sums, [checks, wrong]| {
        [sums[0].saturating_add(checks), sums[1].saturating_add(wrong)]
    });
    let report = Report::checked(wrong == 0, || format!("{wrong} {things} are not {due}"));
    Report { checks: checks.max(1), ..report }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_finds_wrong_things_or_compares_none_fails_the_check() {
        let report = |notes: [[u64; 2]; 2]| judge(notes.into_iter(), "keys on node 3", "in order");
        let right = report([[5, 0], [0, 0]]);
        assert_eq!((right.verified(), right.checks), (true, 5));
        let wrong = report([[5, 2], [4, 1]]);
        assert_eq!((wrong.failures, wrong.checks), (vec!["3 keys on node 3 are not in order".to_owned()], 9));
        assert!(!report([[5, 0], SILENT]).verified());
    }
}
