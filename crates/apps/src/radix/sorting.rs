//! The work of one thread of radix on its keys in a pass: it counts them by digit, and finds the positions where they go.
//!
//! This module must never know where keys stand.

use std::sync::Arc;

use tempest::{FinalState, Merge, NodeId, Report, Thread};

use super::problem::Options;
use crate::kit::sorts::work::{COUNT, SUM};
use crate::kit::sorts::{self, Digit, Keys};
use crate::kit::{Division, Verdict};

/// The keys that a thread reads at a time.
pub(super) const CHUNK: usize = 16;

/// The part of a run without shared memory that all nodes share.
pub(super) struct Config {
    pub(super) asked: Options,
    pub(super) problem: Arc<Keys>,
    pub(super) division: Division,
}

/// The keys that all nodes sort, and the errors of one node's answer.
pub(super) struct Run {
    pub(super) asked: Options,
    pub(super) problem: Arc<Keys>,
    /// The division of keys, and of positions, among threads.
    pub(super) division: Division,
    pub(super) node: NodeId,
    verdict: Verdict,
}

impl Run {
    /// A run on a node. A thread that never compares its keys fails the check.
    pub(super) fn new(asked: Options, problem: &Arc<Keys>, division: Division, node: NodeId) -> Self {
        let verdict = Verdict::new(division.shape().threads);
        Self { asked, problem: Arc::clone(problem), division, node, verdict }
    }

    /// The positions of a thread.
    pub(super) fn own(&self, thread: &Thread<'_>) -> std::ops::Range<usize> {
        let own = self.division.of_thread(thread.id());
        own.start as usize..own.end as usize
    }

    /// Counts keys by digit. `read` reads the keys from a position on.
    pub(super) fn count(
        &self,
        thread: &Thread<'_>,
        digit: Digit,
        read: impl Fn(usize, &mut [u32]),
    ) -> Vec<u64> {
        let mut counts = vec![0; self.asked.radix as usize];
        self.each_chunk(thread, read, |keys| {
            for &key in keys {
                thread.charge(COUNT);
                counts[digit.of(key)] += 1;
                thread.poll();
            }
        });
        counts
    }

    /// Reads all keys of a thread, some at a time.
    pub(super) fn each_chunk(
        &self,
        thread: &Thread<'_>,
        read: impl Fn(usize, &mut [u32]),
        mut each: impl FnMut(&[u32]),
    ) {
        let (own, mut keys) = (self.own(thread), [0; CHUNK]);
        for first in own.clone().step_by(CHUNK) {
            let keys = &mut keys[..CHUNK.min(own.end - first)];
            read(first, keys);
            each(keys);
        }
    }

    /// Compares a thread's keys with the expected ones.
    pub(super) fn compare(&self, thread: &Thread<'_>, read: impl Fn(usize, &mut [u32])) {
        let own = self.own(thread);
        let (mut found, due) = (vec![0; own.len()], &self.problem.expected[own.clone()]);
        for (index, keys) in found.chunks_mut(CHUNK).enumerate() {
            read(own.start + index * CHUNK, keys);
        }
        sorts::compare(&self.verdict, thread, &found, due);
    }

    /// Checks the keys of the node, and states the figures.
    pub(super) fn report(&self, end: &FinalState<'_>) -> Report {
        let mut report = sorts::report(&self.verdict, end);
        if self.node == NodeId(0) {
            let passes = self.asked.digits().count();
            report = report.figure("keys", f64::from(self.asked.keys), Merge::Max).figure(
                "passes",
                passes as f64,
                Merge::Max,
            );
        }
        report
    }
}

/// The position of a thread's first key of each digit. `totals` are the keys of all threads by digit, `before` the keys
/// of the threads before this one.
pub(super) fn positions(thread: &Thread<'_>, totals: &[u64], before: &[u64]) -> Vec<usize> {
    thread.charge(SUM.times(totals.len() as u32));
    let mut smaller = 0;
    let mut position = |(&total, &before): (&u64, &u64)| {
        let first = smaller + before;
        smaller += total;
        first as usize
    };
    totals.iter().zip(before).map(&mut position).collect()
}
