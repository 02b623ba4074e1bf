//! What is left to chance in a round: where variables live, who has copies of them, how long threads dawdle.
//!
//! All nodes draw the same rounds; each thread draws its own pauses. Must never know what a thread executes.

use rand::RngExt;
use rand_pcg::Pcg64;
use tempest::Operations;
use tempest::entry::mix;
use tempest::{NodeId, Thread};

use crate::kit::stream;

/// The longest pauses of a round are below a power of two of up to this exponent, in integer operations: from nothing to many
/// times what a message takes.
const LONGEST_EXPONENT: u32 = 15;

/// A thread looks for messages at most so many times in a pause.
const POLLS: u32 = 16;

/// Streams of threads are apart from those of rounds.
const OF_THREADS: u64 = 1 << 32;

/// One round, the same on every node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Round {
    /// Which array each variable is in: that of this node the first, that of the next the second.
    pub(super) first_home: u32,
    /// Who reads the final values of the round before, then writes the initial ones.
    pub(super) initialiser: NodeId,
    /// Pauses are shorter than this.
    longest: u32,
    /// Whether threads read variables before they start, so that they have copies.
    copies: bool,
}

impl Round {
    /// Round `index` of a run on so many nodes.
    pub(super) fn draw(seed: u64, index: u32, nodes: u32) -> Self {
        let mut random = stream(mix(seed), u64::from(index));
        Self {
            first_home: random.random_range(0..nodes),
            initialiser: NodeId(random.random_range(0..nodes)),
            longest: 1 << random.random_range(0..=LONGEST_EXPONENT),
            copies: random.random(),
        }
    }
}

/// What one thread draws.
pub(super) struct Chance(Pcg64);

impl Chance {
    /// The thread of a node.
    pub(super) fn of(seed: u64, node: NodeId) -> Self {
        Self(stream(mix(seed), OF_THREADS + u64::from(node.0)))
    }

    /// Whether the thread is to have a copy of one more variable before it starts.
    pub(super) fn has_copy(&mut self, round: &Round) -> bool {
        round.copies && self.0.random()
    }

    /// Computes for a while.
    pub(super) fn pause(&mut self, thread: &Thread<'_>, round: &Round) {
        let mut left = self.0.random_range(0..round.longest);
        let step = round.longest.div_ceil(POLLS);
        while left > 0 {
            let now = left.min(step);
            left -= now;
            // A model takes its time for the charge; the host for the counting.
            thread.charge(Operations::NONE.integers(now));
            (0..now).for_each(|count| {
                std::hint::black_box(count);
            });
            thread.poll();
        }
    }
}
