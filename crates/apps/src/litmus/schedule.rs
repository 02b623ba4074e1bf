//! The random choices of a round: the homes of the variables, the nodes that have copies, the pauses of threads.
//!
//! All nodes draw the same rounds; each thread draws its own pauses. This module must never know the code of a thread.

use rand::RngExt;
use rand_pcg::Pcg64;
use tempest::entry::mix;
use tempest::{NodeId, Operations, Right, Thread};

use crate::kit::stream;

/// The longest pause of a round is below a power of two integer operations; the round draws the exponent, which is at
/// most this. Pauses range from nothing to many times the time of a message.
const LONGEST_EXPONENT: u32 = 15;

/// The most polls of a thread in one pause are a power of two; the round draws the exponent, which is at most this. A machine on
/// which a look for messages is dear has a thread look at few of its polls. A thread that never looks executes all its code between
/// two requests of others.
const POLLS_EXPONENT: u32 = 12;

/// The offset of the threads' random streams from the rounds' streams.
const OF_THREADS: u64 = 1 << 32;

/// The choices of one round, equal on every node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Round {
    /// The home of the first variable. The second variable is at home on the next node, and so on.
    pub(super) first_home: u32,
    /// The node that reads the final values of the round before, then writes the initial values of this one.
    pub(super) initialiser: NodeId,
    /// The bound of the pauses, in integer operations.
    longest: u32,
    /// Whether threads may read variables before they start, so that their nodes have copies.
    copies: bool,
    /// The most polls of a thread in one pause.
    polls: u32,
    /// Whether threads may access other pages between their accesses. A thread that waits for such a page serves others meanwhile.
    stirs: bool,
}

impl Round {
    /// Draws round `index` of a run on `nodes` nodes.
    pub(super) fn draw(seed: u64, index: u32, nodes: u32) -> Self {
        let mut random = stream(mix(seed), u64::from(index));
        Self {
            first_home: random.random_range(0..nodes),
            initialiser: NodeId(random.random_range(0..nodes)),
            longest: 1 << random.random_range(0..=LONGEST_EXPONENT),
            copies: random.random(),
            polls: 1 << random.random_range(0..=POLLS_EXPONENT),
            stirs: random.random(),
        }
    }
}

/// The random choices of one thread.
pub(super) struct Chance(Pcg64);

impl Chance {
    /// The random choices of the thread on a node.
    pub(super) fn of(seed: u64, node: NodeId) -> Self {
        Self(stream(mix(seed), OF_THREADS + u64::from(node.0)))
    }

    /// Draws whether the thread reads one more variable before it starts.
    pub(super) fn has_copy(&mut self, round: &Round) -> bool {
        round.copies && self.0.random()
    }

    /// Draws a number below the given one, or none.
    pub(super) fn one_of(&mut self, count: usize) -> Option<usize> {
        (count > 0 && self.0.random()).then(|| self.0.random_range(0..count))
    }

    /// Draws a page that the thread accesses; `None` if it accesses none.
    pub(super) fn stirs(&mut self, round: &Round, pages: usize) -> Option<usize> {
        if round.stirs { self.one_of(pages) } else { None }
    }

    /// Draws the right of a prefetch or of an access that the test does not make.
    pub(super) fn right(&mut self) -> Right {
        if self.0.random() { Right::Read } else { Right::Write }
    }

    /// Pauses for a random time: computes and polls.
    pub(super) fn pause(&mut self, thread: &Thread<'_>, round: &Round) {
        let mut left = self.0.random_range(0..round.longest);
        let step = round.longest.div_ceil(round.polls);
        while left > 0 {
            let now = left.min(step);
            left -= now;
            // A model spends time on the charge, the host on the counting.
            thread.charge(Operations::NONE.integers(now));
            (0..now).for_each(|count| {
                std::hint::black_box(count);
            });
            thread.poll();
        }
    }
}
