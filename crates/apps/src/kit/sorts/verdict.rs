//! The comparison of each thread's keys with the expected ones.
//!
//! Every key is compared with the key that the standard library's sort has at its position, so order and multiset are
//! both right. This module must never know how keys were sorted.

use tempest::{FinalState, Report, Thread};

use crate::kit::Verdict;

/// Compares a thread's keys with the expected ones. A surplus key is wrong, and so is a missing key.
pub(crate) fn compare(verdict: &Verdict, thread: &Thread<'_>, found: &[u32], due: &[u32]) {
    let wrong = found.iter().zip(due).filter(|(found, due)| found != due).count();
    let wrong = wrong + found.len().abs_diff(due.len());
    verdict.note(thread, [(due.len() as u64, wrong as u64)]);
}

/// The report on the keys of a node.
pub(crate) fn report(verdict: &Verdict, end: &FinalState<'_>) -> Report {
    verdict.report(end, "keys", "those of the sorted list")
}
