//! A home that computes and polls while other nodes miss: a tight loop, whose body takes a slightly different time in
//! each round.
//!
//! This module must never know which requests the home serves.

use rand::RngExt;
use rand_pcg::Pcg64;
use tempest::{Operations, Shared, Thread};

/// The greatest deviation of a round from the mean, as a share of the mean, as in the study.
const SPREAD: f64 = 0.2;

/// The loop of a busy home.
pub(super) struct Busy {
    /// The mean of a round's integer operations.
    body: u32,
    random: Pcg64,
}

impl Busy {
    pub(super) fn new(body: u32, random: Pcg64) -> Self {
        Self { body, random }
    }

    /// Runs rounds until a word of shared memory is at least `least`. Returns the number of rounds.
    pub(super) fn until(&mut self, thread: &Thread<'_>, word: &Shared<u64>, index: usize, least: u64) -> u64 {
        let mut rounds = 0;
        while thread.read(word, index) < least {
            self.round(thread);
            rounds += 1;
        }
        rounds
    }

    fn round(&mut self, thread: &Thread<'_>) {
        let factor = 1.0 + self.random.random_range(-SPREAD..=SPREAD);
        thread.charge(Operations::NONE.integers((f64::from(self.body) * factor).round() as u32));
        thread.poll();
    }

    /// Runs `rounds` rounds. Each reads the word, so that a round costs as much as in [`until`](Self::until).
    pub(super) fn rounds(&mut self, thread: &Thread<'_>, word: &Shared<u64>, index: usize, rounds: u64) {
        for _ in 0..rounds {
            thread.read(word, index);
            self.round(thread);
        }
    }
}
