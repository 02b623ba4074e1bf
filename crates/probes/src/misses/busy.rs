//! A home that computes and polls while others miss: a tight loop whose body takes a little more or less each time.
//!
//! Must never know what others want of it.

use rand::RngExt;
use rand_pcg::Pcg64;
use tempest::{Operations, Shared, Thread};

/// How far a round may be from the mean, as a share of it: what the study's procedure asks for.
const SPREAD: f64 = 0.2;

/// The loop.
pub(super) struct Busy {
    /// Integer operations of a round on average.
    body: u32,
    random: Pcg64,
}

impl Busy {
    pub(super) fn new(body: u32, random: Pcg64) -> Self {
        Self { body, random }
    }

    /// Goes round until a word of shared memory holds at least so much. How often it went round.
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

    /// Goes round so often, looking at the word each time as [`until`](Self::until) does.
    pub(super) fn rounds(&mut self, thread: &Thread<'_>, word: &Shared<u64>, index: usize, rounds: u64) {
        for _ in 0..rounds {
            thread.read(word, index);
            self.round(thread);
        }
    }
}
